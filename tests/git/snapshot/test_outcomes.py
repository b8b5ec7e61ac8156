"""What a snapshot says beside its tree, what it leaves out, and how it fails."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import msgspec
import pygit2
import pytest
from kit.oracle import oracle_tree, repository_bytes
from kit.repo import Repo, git, new_repo
from kit.snapshots import found, snapshot

from wt_git.errors import GitError
from wt_git.git.path_patterns import PathPatterns
from wt_git.git.snapshot.scratch import Memory
from wt_git.git.snapshot.status import Exclusions
from wt_git.git.snapshot.take import LeftOut, take_snapshot

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
FAKE_LFS = """\
#!/bin/sh
# Stores what it cleans, as git-lfs does.
test "$1" = clean || exit 1
mkdir -p .git/lfs/objects && cat > .git/lfs/objects/stored
printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%s\\nsize %s\\n' \
    "$(sha256sum < .git/lfs/objects/stored | cut -d' ' -f1)" \
    "$(wc -c < .git/lfs/objects/stored | tr -d ' ')"
"""
COMPILED = Exclusions(suffixes=(".pyc", ".pyo"))


@pytest.fixture
def repo(tmp_path):
    """A repository with a commit."""
    return new_repo(
        tmp_path / "repo", {"a": "one\n", "d/b": "two\n", ".gitignore": "*.log\ntmp/\n"}
    )


def test_a_clean_checkout_has_the_tree_of_head(repo):
    """That is what lets a later commit find the evidence."""
    taken = snapshot(repo.path)
    assert taken.tree == taken.base == repo.git("rev-parse", "HEAD^{tree}")
    assert taken.head == repo.git("rev-parse", "HEAD")
    assert taken.changes == {}
    assert taken.tree_under_test == taken.tree


def test_before_the_first_commit_there_is_no_base(tmp_path):
    """An empty folder is the empty tree."""
    empty = snapshot(new_repo(tmp_path / "r").path)
    assert (empty.tree, empty.head, empty.base, empty.changes) == (EMPTY_TREE, None, None, {})


def test_a_sha256_repository_has_long_ids(tmp_path):
    """Git hashes what libgit2 cannot."""
    git(tmp_path, "init", "--quiet", "--object-format=sha256", "r")
    repo = Repo(tmp_path / "r")
    assert len(snapshot(repo.path).tree) == 64
    repo.write({"a": "1", "d/b": "2"})
    repo.commit("one")
    repo.write({"a": "3", "d/e/f": "4"})
    taken = snapshot(repo.path)
    assert taken.tree == oracle_tree(repo.path)
    assert (taken.method, taken.method_reason) == ("git", "its object format is sha256")


def test_the_changes_are_named_with_their_entries(repo):
    """Against the tree of HEAD, deletions as None, in order."""
    repo.write({"a": "edited\n", "new": ""})
    (repo.path / "d/b").unlink()
    taken = snapshot(repo.path)
    assert list(taken.changes) == ["a", "d/b", "new"]
    assert taken.changes["d/b"] is None
    assert taken.changes["new"] == (0o100644, "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391")


def test_names_that_are_not_utf8_are_surrogate_escapes(repo):
    """In every list of paths."""
    name = os.fsdecode(b"caf\xe9")
    repo.write({name: "x"})
    assert name in snapshot(repo.path).changes


# Exclusions


def test_excluded_paths_are_no_part_of_the_tree_tracked_or_not(repo):
    """Nor are they among the changes, unless HEAD has them."""
    repo.write({"runs/old": "1", "d/x.pyc": "2", "out.xml": "3"})
    before = repo.git("rev-parse", "HEAD^{tree}")
    repo.commit("with outputs")
    repo.write({"runs/old": "edited", "runs/new": "4", "new.pyc": "5", "d/y.pyo": "6"})
    exclusions = Exclusions(paths=("runs", "out.xml"), suffixes=(".pyc", ".pyo"))
    taken = snapshot(repo.path, exclusions=exclusions)
    assert taken.tree == before
    assert taken.excluded == ("d/x.pyc", "out.xml", "runs/old")
    assert taken.changes == dict.fromkeys(taken.excluded)


@pytest.mark.parametrize("shape", ["libgit2", "git"])
def test_excluded_paths_that_are_only_staged(repo, shape):
    """Added, or taken out of the index: neither shows."""
    repo.write({"old.pyc": "1"})
    repo.commit("with one")
    repo.git("rm", "--quiet", "--cached", "old.pyc")
    repo.write({"new.pyc": "2", "runs/x": "3"})
    repo.git("add", "--force", "new.pyc", "runs")
    if shape == "git":
        repo.git("update-index", "--split-index")
    taken = snapshot(repo.path, exclusions=Exclusions(paths=("runs",), suffixes=(".pyc",)))
    assert taken.excluded == ("old.pyc",)
    assert taken.method == shape
    (repo.path / "old.pyc").unlink()
    repo.git("rm", "--quiet", "-r", "-f", "new.pyc", "runs")
    assert taken.tree == oracle_tree(repo.path)


def test_exclusions_are_literal(repo):
    """A path with a star takes nothing but the file of that name."""
    repo.write({"out*.xml": "1", "outs.xml": "2", "[d]": "3"})
    taken = snapshot(repo.path, exclusions=Exclusions(paths=("out*.xml", "[d]", ":(glob)**", "ru")))
    assert set(taken.changes) == {"outs.xml"}
    (repo.path / "out*.xml").unlink()
    (repo.path / "[d]").unlink()
    assert taken.tree == oracle_tree(repo.path)


def test_an_excluded_folder_is_not_looked_into(repo):
    """Agents leave repositories and unreadable things there."""
    repo.write({"runs/x/a": "1"})
    git(repo.path / "runs/x", "init", "--quiet")
    taken = snapshot(repo.path, exclusions=Exclusions(paths=("runs",)))
    assert taken.tree == taken.base
    assert taken.left_out == ()


def test_many_exclusions(repo):
    """A runs directory may have written any number of outputs."""
    names = [f"out/{number}.xml" for number in range(100)]
    repo.write({**dict.fromkeys(names, "x"), "out/kept": "y"})
    taken = snapshot(repo.path, exclusions=Exclusions(paths=tuple(names)))
    assert list(taken.changes) == ["out/kept"]


def test_other_exclusions_of_the_same_index_are_not_confused(repo):
    """What one snapshot remembers is of its own exclusions."""
    repo.write({"x.pyc": "1"})
    repo.commit("one")
    assert take_snapshot(found(repo.path)).excluded == ()
    assert take_snapshot(found(repo.path), exclusions=COMPILED).excluded == ("x.pyc",)
    assert take_snapshot(found(repo.path)).tree == oracle_tree(repo.path)


# What is not under test


def test_the_tree_without_what_is_not_under_test(repo):
    """Has no trace of it, edited, new or as it was; folders that become empty vanish."""
    repo.write({"docs/a.md": "1", "docs/deep/b.md": "2", "d/c.md": "3"})
    repo.commit("docs")
    repo.write({"docs/a.md": "edited", "docs/new.md": "4", "a": "edited\n"})
    patterns = PathPatterns(["docs/**", "**/*.md"])
    taken = snapshot(repo.path, not_under_test=patterns)
    assert taken.tree == oracle_tree(repo.path)
    repo.git("rm", "--quiet", "-r", "-f", "docs", "d/c.md")
    (repo.path / "docs/new.md").unlink()
    (repo.path / "docs").rmdir()
    assert taken.tree_under_test == oracle_tree(repo.path)


# What a tree cannot show


def test_ignored_files_are_named(repo):
    """A folder as a whole; excluded ones are not."""
    repo.write({"x.log": "", "tmp/1": "", "tmp/2": "", "d/y.log": "", "out.log": ""})
    taken = snapshot(repo.path, exclusions=Exclusions(paths=("out.log",)))
    assert taken.ignored == ("d/y.log", "tmp/", "x.log")


def test_a_nested_repository_without_a_commit_is_left_out(repo):
    """Git itself would refuse to add anything then."""
    repo.write({"vendor/x/file": "1", "new": "2"})
    git(repo.path / "vendor/x", "init", "--quiet")
    taken = snapshot(repo.path)
    assert taken.left_out == (LeftOut("vendor/x", "a repository of its own, without a commit"),)
    assert list(taken.changes) == ["new"]


def test_dirty_repositories_are_named(repo):
    """Submodules and nested ones: their uncommitted edits are in no tree."""
    module = new_repo(repo.path.parent / "module", {"m": "1"})
    for name in ("sub", "tidy"):
        allow = ("-c", "protocol.file.allow=always")
        repo.git(*allow, "submodule", "--quiet", "add", str(module.path), name)
    repo.commit("submodules")
    nested = new_repo(repo.path / "vendor/x", {"in": "1"})
    repo.write({"sub/new": "untracked"})
    nested.write({"in": "edited"})
    assert snapshot(repo.path).dirty_submodules == ("sub", "vendor/x")


def test_hidden_edits_are_named(repo):
    """Files that git was told to pass over, where they differ."""
    repo.write({"same": "1", "touched": "2", "gone": "3"})
    repo.commit("more")
    repo.git("update-index", "--assume-unchanged", "a", "same", "touched", "gone")
    repo.git("update-index", "--skip-worktree", "d/b")
    assert snapshot(repo.path).hidden_edits == ()
    repo.write({"a": "hidden", "d/b": "hidden", "touched": "2"})
    (repo.path / "gone").unlink()
    taken = snapshot(repo.path)
    assert taken.hidden_edits == ("a", "d/b", "gone")
    assert taken.tree == taken.base


def test_absent_files_are_named_by_the_highest_folder(repo):
    """Files outside of a sparse checkout are in the tree, and the agent does not see them."""
    repo.write({"far/1": "", "far/off/2": "", "near/3": "", "kept/4": ""})
    repo.commit("more")
    repo.git("sparse-checkout", "set", "--no-cone", "/a", "/kept/", "/near/x")
    assert snapshot(repo.path).absent == (".gitignore", "d/", "far/", "near/")


def test_edits_outside_of_a_sparse_checkout_are_named(repo):
    """Git does not stage them, so they are in no tree."""
    repo.git("sparse-checkout", "set", "--cone", "kept")
    repo.write({"d/b": "edited", "d/new": "new", "kept/x": "1", "a": "edited\n"})
    taken = snapshot(repo.path)
    assert taken.tree == oracle_tree(repo.path, status=1)
    assert taken.hidden_edits == ("d/b",)
    assert taken.left_out == (LeftOut("d/new", "outside of the sparse checkout"),)


def test_a_submodule_without_content_is_absent(repo):
    """Its commit is in the tree, its files are not on disk."""
    module = new_repo(repo.path.parent / "module", {"m": "1"})
    allow = ("-c", "protocol.file.allow=always")
    repo.git(*allow, "submodule", "--quiet", "add", str(module.path), "sub")
    repo.git("submodule", "--quiet", "deinit", "--force", "sub")
    assert snapshot(repo.path).absent == ("sub",)


def test_links_that_lead_out_are_absent(repo, tmp_path):
    """Tracked or new; links inside, and ones to nowhere inside, are not."""
    (repo.path / "old").symlink_to(tmp_path)
    repo.git("add", "old")
    (repo.path / "new").symlink_to("../elsewhere")
    (repo.path / "fine").symlink_to(repo.path / "d")
    (repo.path / "broken").symlink_to("nowhere")
    assert snapshot(repo.path).absent == ("new", "old")


def test_unmerged_paths_are_named(repo):
    """Their content is what is on disk, markers and all."""
    repo.git("checkout", "--quiet", "-b", "other")
    repo.write({"a": "theirs\n"})
    repo.commit("theirs")
    repo.git("checkout", "--quiet", "main")
    repo.write({"a": "ours\n"})
    repo.commit("ours")
    subprocess.run(["git", "merge", "other"], check=False, cwd=repo.path, capture_output=True)
    taken = snapshot(repo.path)
    assert taken.conflicts == ("a",)
    assert taken.tree == oracle_tree(repo.path)


@pytest.mark.parametrize("method", ["libgit2", "git"])
def test_content_that_only_attributes_change_is_named(repo, method):
    """A file committed with CR LF, before `eol=lf` was set, changes as soon as it is touched."""
    repo.write({"dos": "a\r\nb\r\n", "new": "x\r\n"})
    for name in ("dos", "new"):
        os.utime(repo.path / name, (1, 1))  # long before the index is written
    repo.commit("dos")
    repo.write({".gitattributes": "dos text eol=lf\n", "a": "edited\n"})
    if method == "git":
        repo.git("update-index", "--split-index")
    assert snapshot(repo.path).unnormalised == ()
    os.utime(repo.path / "dos", (2, 2))
    taken = snapshot(repo.path)
    assert taken.unnormalised == ("dos",)
    assert taken.tree == oracle_tree(repo.path)
    assert taken.method == method


# Git LFS


@pytest.fixture
def lfs(repo, tmp_path, monkeypatch):
    """A repository with a tracked LFS file, and a git-lfs that stores like the real one."""
    program = tmp_path / "bin/git-lfs"
    program.parent.mkdir()
    program.write_text(FAKE_LFS)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    repo.git("config", "filter.lfs.clean", "git-lfs clean -- %f")
    repo.git("config", "filter.lfs.required", "true")
    repo.write({".gitattributes": "*.bin filter=lfs -text\n", "x.bin": b"\0content" * 9999})
    repo.commit("with a large file")
    return repo


def test_a_pointer_comes_from_content_and_nothing_is_stored(lfs):
    """A touch changes nothing; an edit gives the pointer that Git LFS would give."""
    (lfs.path / ".git/lfs/objects/stored").unlink()
    os.utime(lfs.path / "x.bin", (1, 1))
    taken = snapshot(lfs.path)
    assert taken.tree == taken.base
    lfs.write({"x.bin": b"other", "y.bin": b"new", "empty.bin": b"", "a": "edited\n"})
    edited = snapshot(lfs.path)
    assert not list((lfs.path / ".git/lfs/objects").iterdir())
    assert edited.method == "git"
    (lfs.path / "empty.bin").unlink()  # which the real git-lfs keeps empty, and ours does not
    assert snapshot(lfs.path).tree == oracle_tree(lfs.path)
    assert edited.changes["empty.bin"] == (0o100644, "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391")


def test_a_pointer_on_disk_stays_one_and_is_said(lfs):
    """As after a clone without Git LFS: the agent finds no content there."""
    pointer = lfs.git("cat-file", "blob", "HEAD:x.bin") + "\n"
    lfs.write({"x.bin": pointer})
    taken = snapshot(lfs.path)
    assert taken.tree == taken.base
    assert taken.absent == ("x.bin",)


def test_lfs_extensions_are_refused(lfs):
    """What their programs make of a file nobody but Git LFS knows."""
    lfs.git("config", "lfs.extension.case.clean", "tr a-z A-Z")
    with pytest.raises(GitError, match="extensions"):
        take_snapshot(found(lfs.path))


# The stat cache


def test_an_edit_of_the_same_size_and_time_is_seen(repo):
    """Right after the index was written, and with the snapshot's own copy in between."""
    repo.write({"a": "aaaa"})
    repo.git("add", "a")
    moment = (repo.path / "a").stat().st_mtime_ns
    for content in ("bbbb", "cccc"):
        repo.write({"a": content})
        os.utime(repo.path / "a", ns=(moment, moment))
        os.utime(repo.path / ".git/index", ns=(moment, moment))
        assert take_snapshot(found(repo.path)).tree == oracle_tree(repo.path)


def test_an_edit_that_hides_behind_a_remembered_time_is_seen(repo):
    """Of the same size, in the second of a snapshot, with its old time put back, and again."""
    for round_number in range(6):
        repo.write({"a": f"{round_number}{round_number}\n"})
        os.utime(repo.path / "a", (round_number // 2, round_number // 2))
        assert take_snapshot(found(repo.path)).tree == oracle_tree(repo.path)
        repo.write({"a": "one\n"})
        os.utime(repo.path / "a", (1, 1))
        assert take_snapshot(found(repo.path)).tree == oracle_tree(repo.path)


@pytest.mark.parametrize("settings", [{"core.trustctime": "false"}, {"core.checkStat": "minimal"}])
def test_no_setting_of_the_repository_makes_an_edit_unseen(repo, settings):
    """Git may be told to look at less; what passed would then cover what was never run."""
    repo.git("config", "core.trustctime", "false")
    for name, value in settings.items():
        repo.git("config", name, value)
    repo.write({"a": "aaaa"})
    os.utime(repo.path / "a", (1, 1))
    repo.git("add", "a")
    before = take_snapshot(found(repo.path)).tree
    time.sleep(1.1)  # git compares times by the second
    with (repo.path / "a").open("r+") as file:
        file.write("bbbb")
    os.utime(repo.path / "a", (1, 1))
    now = take_snapshot(found(repo.path))
    assert now.tree != before
    assert "a" in now.changes


def test_a_touched_file_is_hashed_once(repo):
    """Its new time is remembered once it is old enough to be trusted."""
    repo.git("config", "filter.count.clean", "echo >> .git/windtunnel/count; cat")
    repo.write({".gitattributes": "*.counted filter=count\n", "x.counted": "content"})
    (repo.path / ".git/windtunnel").mkdir()
    repo.commit("one")
    take_snapshot(found(repo.path))
    (repo.path / "x.counted").touch()
    time.sleep(1.1)
    (repo.path / ".git/windtunnel/count").unlink()
    assert take_snapshot(found(repo.path)).changes == {}
    cleaned = (repo.path / ".git/windtunnel/count").stat().st_size
    assert take_snapshot(found(repo.path)).changes == {}
    assert (repo.path / ".git/windtunnel/count").stat().st_size == cleaned > 0


def test_a_new_file_is_hashed_once(repo):
    """Unless it is so young that an edit could still hide behind its time."""
    repo.write({"large": "x" * 100})
    assert snapshot(repo.path).tree == oracle_tree(repo.path)
    time.sleep(2.1)
    first = take_snapshot(found(repo.path))
    [memory] = (repo.path / ".git/windtunnel/snapshot/main").glob("*.msgpack")
    remembered = msgspec.msgpack.decode(memory.read_bytes(), type=Memory)
    stamp, _ = remembered.blobs[b"large"]
    remembered.blobs[b"large"] = (stamp, "1" * 40)
    memory.write_bytes(msgspec.msgpack.encode(remembered))
    assert (
        take_snapshot(found(repo.path)).changes["large"].id == "1" * 40 != first.changes["large"].id
    )
    repo.write({"large": "y" * 100})
    assert take_snapshot(found(repo.path)).tree == oracle_tree(repo.path)


def test_attributes_that_change_void_what_was_remembered(repo):
    """A touched file was found unchanged under the attributes of then."""
    repo.write({"dos": "a\r\n"})
    repo.commit("dos")
    os.utime(repo.path / "dos", (1, 1))
    assert take_snapshot(found(repo.path)).changes == {}
    for place in (".gitattributes", ".git/info/attributes"):
        (repo.path / ".git/info").mkdir(exist_ok=True)
        repo.write({place: "dos text\n"})
        taken = take_snapshot(found(repo.path))
        assert "dos" in taken.changes
        assert taken.tree == oracle_tree(repo.path)
        (repo.path / place).unlink()
        assert take_snapshot(found(repo.path)).changes == {}


def test_a_damaged_memory_is_made_anew(repo):
    """It is a cache."""
    expected = take_snapshot(found(repo.path))
    folder = repo.path / ".git/windtunnel/snapshot/main"
    other_types = msgspec.msgpack.encode({"facts": 1, "blobs": [], "head": "x", "attributes": 7})
    for junk in (b"", b"[]", b"{", msgspec.msgpack.encode([]), other_types):
        [memory] = folder.glob("*.msgpack")
        memory.write_bytes(junk)
        assert take_snapshot(found(repo.path)) == expected


def test_old_copies_are_removed(repo):
    """One index, one memory and a lock: however often the index changes."""
    for number in range(3):
        repo.write({"a": str(number)})
        repo.commit("next")
        take_snapshot(found(repo.path))
    assert len(list((repo.path / ".git/windtunnel/snapshot/main").iterdir())) == 3


def test_snapshots_at_the_same_time_agree(repo):
    """Whoever finds the copy in use makes one of his own; nobody waits."""
    repo.write({"a": "edited"})
    expected = take_snapshot(found(repo.path))
    seen = []
    threads = [
        threading.Thread(target=lambda: seen.append(take_snapshot(found(repo.path))))
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [expected] * 6


def test_each_worktree_has_a_memory_of_its_own(repo):
    """Linked worktrees have an index each."""
    repo.git("worktree", "add", "--quiet", "-b", "side", "../side")
    Repo(repo.path.parent / "side").write({"a": "there\n"})
    there, here = snapshot(repo.path.parent / "side"), snapshot(repo.path)
    assert there.tree == oracle_tree(repo.path.parent / "side") != here.tree
    assert sorted(one.name for one in (repo.path / ".git/windtunnel/snapshot").iterdir()) == [
        "main",
        "side",
    ]


# Surroundings


@pytest.mark.parametrize(
    "name", ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"]
)
def test_variables_of_a_surrounding_hook_are_not_obeyed(repo, tmp_path, monkeypatch, name):
    """The working directory is the one that we are in."""
    monkeypatch.setenv(name, str(tmp_path / "elsewhere"))
    assert take_snapshot(found(repo.path)).tree == repo_tree(repo)


def repo_tree(repo):
    environment = {key: os.environ[key] for key in ("HOME", "PATH", "GIT_CONFIG_GLOBAL")}
    done = subprocess.run(
        ["git", "rev-parse", "HEAD^{tree}"],
        check=True,
        cwd=repo.path,
        env=environment,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


def test_a_partial_clone_works_without_what_it_lacks(repo):
    """Nothing is fetched: the old content of an edited file is not needed."""
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.write({"a": "edited\n"})
    repo.commit("second")
    clone = repo.path.parent / "clone"
    git(repo.path.parent, "clone", "--quiet", "--filter=blob:none", repo.path.as_uri(), "clone")
    repo.path.rename(repo.path.parent / "moved")  # whoever fetches now fails
    Repo(clone).write({"a": "here\n", "d/new": "x"})
    taken = snapshot(clone)
    (repo.path.parent / "moved").rename(repo.path)
    assert taken.tree == oracle_tree(clone)


def test_an_old_partial_clone_is_git_s(repo):
    """Its extension is one that libgit2 does not know."""
    repo.git("config", "core.repositoryFormatVersion", "1")
    repo.git("config", "extensions.partialClone", "origin")
    repo.write({"a": "edited"})
    taken = snapshot(repo.path)
    assert taken.method_reason == "it uses extensions.partialclone"
    assert taken.tree == oracle_tree(repo.path)


def test_a_missing_tree_is_said(repo):
    """The tree that an edit is in has to be there."""
    tree = repo.git("rev-parse", "HEAD:d")
    repo.write({"d/b": "edited"})
    (repo.path / f".git/objects/{tree[:2]}/{tree[2:]}").unlink()
    with pytest.raises(GitError, match=tree):
        take_snapshot(found(repo.path))


def test_a_required_filter_that_fails_fails_the_snapshot(repo):
    """A tree with the content as it is would be one that nobody can commit."""
    repo.git("config", "filter.broken.clean", "false")
    repo.git("config", "filter.broken.required", "true")
    repo.write({".gitattributes": "*.x filter=broken\n", "y.x": "content"})
    with pytest.raises(GitError, match="broken"):
        take_snapshot(found(repo.path))


def test_a_filter_that_may_fail_leaves_content_as_it_is(repo):
    """As git does."""
    repo.git("config", "filter.broken.clean", "false")
    repo.write({".gitattributes": "*.x filter=broken\n", "y.x": "content"})
    assert snapshot(repo.path).tree == oracle_tree(repo.path)


def test_a_filter_that_hangs_is_ended_and_named(repo):
    """The limit is for each git command."""
    repo.git("config", "filter.slow.clean", "sleep 60")
    repo.write({".gitattributes": "*.x filter=slow\n", "y.x": "content"})
    with pytest.raises(GitError, match="took longer than 1 s"):
        take_snapshot(found(repo.path), timeout_s=1.0)


def test_a_file_that_never_holds_still_is_named(repo):
    """A tree with half of a file would be nobody's."""
    repo.git("config", "filter.grow.clean", "cat; echo more >> ../repo/y.x")
    repo.write({".gitattributes": "*.x filter=grow\n", "y.x": "content\n"})
    with pytest.raises(GitError, match=r"'y\.x' keeps changing") as caught:
        take_snapshot(found(repo.path))
    assert caught.value.specific_code == "git-unsettled"
    assert caught.value.retryable


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


def as_nobody(repo: Repo) -> str:
    """Take a snapshot as an ordinary user, since root may read everything.

    In a fork: the interpreter itself may stand where only root can start it.
    """
    pygit2.hash(b"")  # loaded before the fork: nobody may not be able to read it
    scratch = repo.path.parent / "tmp"
    scratch.mkdir(exist_ok=True)
    scratch.chmod(0o777)
    source, sink = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            os.environ |= {"GIT_CONFIG_GLOBAL": "/dev/null", "HOME": "/nonexistent"}
            os.environ.pop("XDG_CONFIG_HOME", None)
            tempfile.tempdir = str(scratch)
            os.chdir("/")
            os.write(sink, answer_of(repo.path).encode())
        finally:
            os._exit(0)
    os.close(sink)
    with os.fdopen(source) as answer:
        said = answer.read()
    os.waitpid(child, 0)
    return said


@pytest.fixture
def shared_repo():
    """A repository that every user can reach, unlike pytest's own folders."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        Path(folder).chmod(0o755)
        yield new_repo(Path(folder) / "repo", {"a": "one\n", "d/b": "two\n"})


def answer_of(path: Path) -> str:
    try:
        return take_snapshot(found(path), exclusions=Exclusions(paths=("runs",))).tree
    except GitError as error:
        return " ".join((error.specific_code, error.message, *error.hints))
    except Exception as error:  # noqa: BLE001 - there is no other way out of the fork
        return f"{type(error).__name__} {error}"


def give_away(repo: Repo) -> None:
    subprocess.run(["chown", "-R", "65534:65534", repo.path], check=True)


@needs_root
def test_what_cannot_be_read_is_named(shared_repo):
    """A folder or a file; not one that is excluded."""
    tree = oracle_tree(shared_repo.path)
    shared_repo.write({"runs/secret/x": "1"})
    (shared_repo.path / "runs/secret").chmod(0)
    give_away(shared_repo)
    assert as_nobody(shared_repo) == tree
    shared_repo.write({"closed/x": "1"})
    give_away(shared_repo)
    (shared_repo.path / "closed").chmod(0)
    answer = as_nobody(shared_repo)
    assert answer.startswith("git-unreadable")
    assert "closed/" in answer
    for mode in (0o755, 0o444):  # tracked, and then not to be looked into
        (shared_repo.path / "closed").chmod(mode)
        shared_repo.git("-c", "safe.directory=*", "add", "closed") if mode == 0o755 else None
    assert as_nobody(shared_repo).startswith("git-unreadable")
    (shared_repo.path / "closed").chmod(0o755)
    shared_repo.write({"closed/x": "edited"})
    (shared_repo.path / "closed/x").chmod(0)
    answer = as_nobody(shared_repo)
    assert answer.startswith("git-unreadable")
    assert "closed/x" in answer


@needs_root
def test_somebody_else_s_repository_is_named_with_the_remedy(shared_repo):
    """It is neither trusted nor taken for no repository."""
    answer = as_nobody(shared_repo)
    assert answer.startswith("git-ownership")
    assert f"git config --global --add safe.directory {shared_repo.path}" in answer


@needs_root
def test_a_repository_that_cannot_be_written_is_no_obstacle(shared_repo):
    """As one mounted read-only: the copy then lives for one snapshot."""
    give_away(shared_repo)
    subprocess.run(["chmod", "-R", "a-w", shared_repo.path / ".git"], check=True)
    shared_repo.path.joinpath("a").write_text("edited")
    before = repository_bytes_of_root(shared_repo)
    tree = as_nobody(shared_repo)
    assert len(tree) == 40
    assert repository_bytes_of_root(shared_repo) == before
    assert not (shared_repo.path / ".git/windtunnel").exists()


def repository_bytes_of_root(repo):
    git(repo.path, "config", "--global", "safe.directory", "*")
    return repository_bytes(repo.path)
