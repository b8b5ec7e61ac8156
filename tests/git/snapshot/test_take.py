"""A snapshot is the tree that git itself would commit, and leaves no trace."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from kit.oracle import oracle_tree
from kit.repo import Repo, git, new_repo
from kit.snapshots import snapshot

from wt_git.git.git_config import GitConfig
from wt_git.git.repository import Repository
from wt_git.git.snapshot.differences import choose_hash_method
from wt_git.git.snapshot.index_file import IndexFacts

FILES = {
    "a.txt": "one\n",
    "src/b.py": "print()\n",
    "src/deep/c.py": "",
    "run.sh": "#!/bin/sh\n",
    ".gitignore": "ignored\n*.log\n",
}


# Each shape is a function that brings a repository, made from FILES, into it.


def clean(repo):
    pass


def edited(repo):
    repo.write({"a.txt": "two two\n", "src/new.py": "x", "new/deep/er": "y"})


def deleted(repo):
    (repo.path / "a.txt").unlink()
    (repo.path / "src/deep/c.py").unlink()


def staged_only(repo):
    repo.write({"a.txt": "staged\n", "staged": "s"})
    repo.git("add", ".")


def staged_then_edited(repo):
    staged_only(repo)
    repo.write({"a.txt": "and edited\n", "staged": "again"})


def staged_then_reverted(repo):
    staged_only(repo)
    repo.write({"a.txt": "one\n"})
    (repo.path / "staged").unlink()


def removed_from_the_index_only(repo):
    repo.git("rm", "--quiet", "--cached", "a.txt", "src/b.py")


def removed_and_ignored(repo):
    repo.git("rm", "--quiet", "--cached", "a.txt")
    repo.write({".gitignore": "a.txt\n"})


def tracked_but_ignored(repo):
    repo.write({"ignored": "1", "x.log": "2"})
    repo.git("add", "--force", "ignored")
    repo.write({"ignored": "tracked all the same"})


def intent_to_add(repo):
    repo.write({"later": "content", "gone": "x"})
    repo.git("add", "--intent-to-add", "later", "gone")
    (repo.path / "gone").unlink()


def unborn(repo):
    repo.git("update-ref", "-d", "HEAD")


def unborn_without_index(repo):
    unborn(repo)
    (repo.path / ".git/index").unlink()


def detached(repo):
    repo.git("checkout", "--quiet", "--detach")
    edited(repo)


def modes(repo):
    (repo.path / "run.sh").chmod(0o755)
    repo.write({"tool": "x"})
    (repo.path / "tool").chmod(0o744)


def modes_that_do_not_count(repo):
    repo.git("config", "core.fileMode", "false")
    modes(repo)


def links(repo):
    (repo.path / "link").symlink_to("a.txt")
    (repo.path / "dangling").symlink_to("nowhere")
    (repo.path / "a.txt").unlink()
    (repo.path / "a.txt").symlink_to("src/b.py")


def folder_becomes_a_link(repo):
    repo.write({"other/b.py": "other"})
    Path(repo.path / "src").rename(repo.path / "kept")
    (repo.path / "src").symlink_to("kept")


def file_becomes_a_folder(repo):
    (repo.path / "a.txt").unlink()
    repo.write({"a.txt/inside": "x", "a.txt/deep/er": "y"})


def folder_becomes_a_file(repo):
    (repo.path / "src/deep/c.py").unlink()
    (repo.path / "src/deep").rmdir()
    repo.write({"src/deep": "now a file"})


def links_that_are_files(repo):
    links(repo)
    repo.git("add", ".")
    repo.git("config", "core.symlinks", "false")
    for name in ("link", "dangling"):
        (repo.path / name).unlink()
        (repo.path / name).write_text("elsewhere")


def names_like_extensions(repo):
    names = ["link", "sdir", "d/link", "dd/link", "ddd/sdir", "dddd/sdir", "TREE", "x/sdir"]
    repo.write(dict.fromkeys(names, "x"))
    repo.git("add", ".")


def large_file(repo):
    with (repo.path / "large").open("wb") as stream:
        stream.truncate(60_000_000)


def hooks(repo):
    for name in ("post-index-change", "pre-commit"):
        (repo.path / ".git/hooks").mkdir(exist_ok=True)
        (repo.path / ".git/hooks" / name).write_text("#!/bin/sh\ndate >> ../repo/.git/ran\n")
        (repo.path / ".git/hooks" / name).chmod(0o755)
    (repo.path / "a.txt").touch()
    edited(repo)


def odd_names(repo):
    names = ["with space", "tab\there", "line\nbreak", "e\u0301", '"quoted"', "star*", "-dash"]
    repo.write(dict.fromkeys(names, "x"))
    (repo.path / os.fsdecode(b"caf\xe9")).write_text("latin")
    repo.write({os.fsdecode(b"d\xff/in"): "x"})


def names_that_sort_oddly(repo):
    repo.write(dict.fromkeys(["a", "a-b", "a.b", "ab/c", "ab-", "ab0", "lib/x", "lib.x"], "x"))


def automatic_line_endings(repo):
    repo.git("config", "core.autocrlf", "true")
    repo.write({"dos": "a\r\nb\r\n", "unix": "a\nb\n", "a.txt": "one\r\ntwo\r\n", "bin": b"\0\r\n"})


def input_line_endings(repo):
    repo.write({"crlf-in-index": "a\r\n"})
    repo.commit("crlf")
    repo.git("config", "core.autocrlf", "input")
    repo.write({"dos": "a\r\nb\r\n", "crlf-in-index": "a\r\nb\r\n"})


def attributes_for_text(repo):
    repo.write(
        {
            ".gitattributes": "* text=auto\n*.bat eol=crlf\n*.raw -text\n",
            "new.txt": "a\r\n",
            "x.bat": "a\r\n",
            "y.raw": "a\r\n",
            "a.txt": "one\r\n",
        }
    )


def attributes_below(repo):
    repo.write({"src/.gitattributes": "*.py text\n", "src/b.py": "x\r\n", "top.py": "x\r\n"})


def attributes_beside_the_repository(repo):
    (repo.path / ".git/info").mkdir(exist_ok=True)
    (repo.path / ".git/info/attributes").write_text("*.txt text\n")
    repo.write({"a.txt": "x\r\n"})


def attributes_of_the_user(repo):
    folder = Path.home() / ".config/git"
    folder.mkdir(parents=True)
    (folder / "attributes").write_text("*.txt text\n")
    repo.write({"a.txt": "x\r\n"})


def ident(repo):
    repo.write({".gitattributes": "*.c ident\n", "x.c": "/* $Id: 1234567 $ */\n"})


def safecrlf(repo):
    repo.git("config", "core.safecrlf", "warn")
    repo.git("config", "core.autocrlf", "input")
    repo.write({"mixed": "a\r\nb\n", "a.txt": "x\r\n"})


def assume_unchanged(repo):
    repo.git("update-index", "--assume-unchanged", "a.txt")
    repo.write({"a.txt": "hidden"})


def skip_worktree(repo):
    repo.git("update-index", "--skip-worktree", "a.txt", "src/b.py")
    repo.write({"a.txt": "hidden"})
    (repo.path / "src/b.py").unlink()


def conflict(repo):
    repo.git("checkout", "--quiet", "-b", "other")
    repo.write({"a.txt": "theirs\n", "src/b.py": "theirs\n"})
    repo.commit("theirs")
    repo.git("checkout", "--quiet", "main")
    repo.write({"a.txt": "ours\n"})
    (repo.path / "src/b.py").unlink()
    repo.commit("ours")
    with pytest.raises(AssertionError):
        repo.git("merge", "other")


def conflict_with_a_deletion(repo):
    conflict(repo)
    (repo.path / "a.txt").unlink()


def untracked_cache(repo):
    repo.git("update-index", "--force-untracked-cache")
    repo.git("status")
    edited(repo)


def split_index(repo):
    repo.git("update-index", "--split-index")
    edited(repo)
    repo.git("add", "src/new.py")


def old_index_version(repo):
    repo.git("update-index", "--index-version", "4")
    edited(repo)


def sparse_checkout(repo):
    repo.git("sparse-checkout", "set", "src/deep")
    repo.write({"src/deep/c.py": "edited", "src/deep/new": "x"})


def sparse_index(repo):
    repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "new")
    repo.write({"a.txt": "edited", "new/x": "x"})


def external_filter(repo):
    repo.git("config", "filter.up.clean", "tr a-z A-Z")
    repo.write({".gitattributes": "*.up filter=up\n", "x.up": "shout\n", "plain": "x\r\n"})


def filter_that_is_not_configured(repo):
    repo.write({".gitattributes": "*.up filter=nobody\n", "x.up": "quiet\n"})


def encoding(repo):
    text = "größe\n".encode("utf-16")
    repo.write({".gitattributes": "*.u16 working-tree-encoding=UTF-16\n", "x.u16": text})


def nested_repository(repo):
    new_repo(repo.path / "vendor/x", {"in": "nested"})


def submodule(repo):
    new_repo(repo.path.parent / "module", {"m": "1"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../module", "sub")
    repo.commit("with a submodule")


def submodule_with_a_new_commit(repo):
    submodule(repo)
    inside = Repo(repo.path / "sub")
    inside.write({"m": "2"})
    inside.commit("two")


def submodule_that_is_ignored(repo):
    submodule_with_a_new_commit(repo)
    repo.git("config", "submodule.sub.ignore", "all")


def submodule_that_is_dirty(repo):
    submodule(repo)
    Repo(repo.path / "sub").write({"m": "edited", "extra": "x"})


def submodule_without_content(repo):
    submodule(repo)
    repo.git("submodule", "--quiet", "deinit", "--force", "sub")


def special_files(repo):
    os.mkfifo(repo.path / "pipe")
    edited(repo)


def shallow(repo):
    repo.commit("second")
    git(repo.path.parent, "clone", "--quiet", "--depth=1", repo.path.as_uri(), "shallow")
    repo.path = repo.path.parent / "shallow"
    edited(repo)


def locked(repo):
    edited(repo)
    (repo.path / ".git/index.lock").write_text("")


def replaced(repo):
    first = repo.git("rev-parse", "HEAD")
    edited(repo)
    second = repo.commit("second")
    repo.git("replace", second, first)
    repo.write({"a.txt": "three"})


def linked_worktree(repo):
    repo.git("worktree", "add", "--quiet", "-b", "side", "../side")
    repo.path = repo.path.parent / "side"
    edited(repo)
    repo.git("add", "a.txt")


def unreadable_settings(repo):
    for name, value in {
        "status.showUntrackedFiles": "no",
        "status.relativePaths": "true",
        "status.showStash": "true",
        "status.branch": "true",
        "diff.renames": "copies",
        "diff.ignoreSubmodules": "all",
        "core.quotePath": "true",
        "color.ui": "always",
        "index.threads": "1",
        "core.fsmonitor": "/nowhere/hook",
        "core.untrackedCache": "true",
    }.items():
        repo.git("config", name, value)
    repo.write({"a.txt": "stashed"})
    repo.git("stash")
    edited(repo)


LIBGIT2 = [
    clean,
    edited,
    deleted,
    staged_only,
    staged_then_edited,
    staged_then_reverted,
    removed_from_the_index_only,
    removed_and_ignored,
    tracked_but_ignored,
    intent_to_add,
    unborn,
    unborn_without_index,
    detached,
    modes,
    modes_that_do_not_count,
    links,
    folder_becomes_a_link,
    file_becomes_a_folder,
    folder_becomes_a_file,
    links_that_are_files,
    names_like_extensions,
    large_file,
    hooks,
    odd_names,
    names_that_sort_oddly,
    automatic_line_endings,
    input_line_endings,
    attributes_for_text,
    attributes_below,
    attributes_beside_the_repository,
    ident,
    safecrlf,
    assume_unchanged,
    skip_worktree,
    conflict,
    conflict_with_a_deletion,
    untracked_cache,
    old_index_version,
    nested_repository,
    submodule,
    submodule_with_a_new_commit,
    submodule_that_is_ignored,
    submodule_that_is_dirty,
    submodule_without_content,
    special_files,
    shallow,
    locked,
    replaced,
    linked_worktree,
    unreadable_settings,
]
GIT = [
    split_index,
    sparse_checkout,
    sparse_index,
    attributes_of_the_user,
    external_filter,
    filter_that_is_not_configured,
    encoding,
]


@pytest.mark.parametrize("shape", [*LIBGIT2, *GIT], ids=lambda shape: shape.__name__)
def test_the_tree_is_git_s_own(tmp_path, shape):
    """In every shape of repository; nothing is written, and a second look sees the same."""
    repo = new_repo(tmp_path / "repo", FILES)
    shape(repo)
    taken = snapshot(repo.path)
    assert taken.tree == oracle_tree(repo.path)
    assert taken.method == ("git" if shape in GIT else "libgit2")
    assert bool(taken.method_reason) == (shape in GIT)


def test_settings_that_libgit2_does_not_see(tmp_path, monkeypatch):
    """Those of the environment hold for git, hence for a commit."""
    repo = new_repo(tmp_path / "repo", FILES)
    for name, value in {"COUNT": "1", "KEY_0": "core.autocrlf", "VALUE_0": "input"}.items():
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)
    repo.write({"a.txt": "x\r\n"})
    taken = snapshot(repo.path)
    assert taken.tree == oracle_tree(repo.path)
    assert taken.method_reason == "core.autocrlf is set where libgit2 does not look"


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({}, ""),
        ({"core.safecrlf": "warn", "extensions.worktreeconfig": "true"}, ""),
        ({"core.safecrlf": "true"}, "core.safecrlf is set"),
        ({"core.sparsecheckout": "true"}, "its checkout is sparse"),
        ({"extensions.refstorage": "reftable"}, "its refs are stored as reftable"),
        ({"extensions.refstorage": "files"}, ""),
        ({"extensions.compatobjectformat": "sha256"}, "it uses extensions.compatobjectformat"),
    ],
)
def test_the_way_follows_from_the_shape(settings, reason):
    """What is git's alone is recognised before libgit2 opens anything."""
    nowhere = Path("/nowhere")
    repository = Repository(nowhere, nowhere, nowhere, "sha1")
    chosen = choose_hash_method(repository, GitConfig(settings), IndexFacts())
    assert chosen == (("git", reason) if reason else ("libgit2", ""))
