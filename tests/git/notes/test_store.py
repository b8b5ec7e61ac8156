"""Writing notes: one commit for each transaction, whoever else writes or is killed meanwhile."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import kit.killed_writer
import pytest
from kit.notes import (
    bare_notes,
    commit_tree,
    key,
    opened,
    shown_by_git,
    sweep_id,
    text_line,
    tree_of,
)
from kit.repo import git, new_repo

from wt_git.errors import GitError
from wt_git.git.notes.lines import line_hash
from wt_git.git.notes.store import (
    NOTES_REF,
    Notes,
    open_notes,
    tracking_ref,
)


class StoppedClock:
    """Always the same time."""

    def now(self):
        return datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

    def monotonic(self):
        return 0.0


@pytest.fixture
def notes(tmp_path):
    return bare_notes(tmp_path / "r.git")


def log(notes, *, form="%s"):
    return git(notes.folder, "log", f"--format={form}", notes.ref).splitlines()


def test_a_transaction_is_one_commit_with_a_one_line_subject(notes):
    """The log of the notes ref is the journal of experiments."""
    with notes.transaction("focused PASS\nrefund \x1b[31m") as tx:
        tx.add(key("tree"), sweep_id(1), [b'{"a":1}', b'{"b":2}'])
        tx.add(key("tree under test"), sweep_id(1), [b'{"a":1}'])
        tx.add_text(key("commit"), [text_line(1)])
    assert (tx.commit, tx.changed) == (notes.tip(), True)
    assert log(notes, form="%B") == ["focused PASS\\nrefund \\x1b[31m"]
    view = notes.view()
    assert view.records(key("tree")) == {sweep_id(1): (b'{"a":1}', b'{"b":2}')}
    assert view.text(key("commit")) == (text_line(1),)
    assert git(notes.folder, "fsck", "--strict", "--no-dangling") == ""


def test_what_is_there_already_makes_no_commit(notes):
    """Hooks may ask for the same as often as they like."""
    for _ in range(3):
        with notes.transaction("add") as tx:
            tx.add(key(1), sweep_id(1), [b"{}"])
            tx.add_text(key(2), [text_line(1)])
    assert tx.changed is False
    assert len(log(notes)) == 1
    with notes.transaction("nothing") as tx:
        pass
    assert (tx.commit, tx.changed) == (notes.tip(), False)


def test_a_block_that_raises_writes_nothing(notes):
    """Half of a sweep's notes would be worse than none."""
    with pytest.raises(RuntimeError), notes.transaction("add") as tx:
        raise RuntimeError(tx.add(key(1), sweep_id(1), [b"{}"]))
    assert notes.tip() is None
    assert not notes.view()


def test_a_view_stays_as_it_was(notes):
    """A decision is made on one state of the notes, however long it takes."""
    view = notes.view()
    with notes.transaction("add") as tx:
        tx.add(key(1), sweep_id(1), [b"{}"])
    assert view.records(key(1)) == {}
    assert notes.view().records(key(1)) != {}
    assert notes.view(at=[tx.commit]).records(key(1)) != {}


def test_only_names_that_are_sweep_ids_are_sweeps(notes):
    """Under a tree, what is not called like a sweep is not taken for one."""
    with notes.transaction("add") as tx:
        for name in (sweep_id(1), "README", sweep_id(2).upper(), sweep_id(3) + "0"):
            tx.add(key(1), name, [b"{}"])
    assert set(notes.view().sweeps(key(1))) == {sweep_id(1)}
    assert len(notes.view().records(key(1))) == 4


def test_what_was_pruned_is_not_added_again(notes):
    """Neither records nor texts, here nor from a fetched ref."""
    with notes.transaction("add") as tx:
        tx.add(key(1), sweep_id(1), [b'{"a":1}', b'{"b":2}'])
        tx.add_text(key(2), [text_line(1)])
    git(notes.folder, "remote", "add", "origin", "nowhere")
    git(notes.folder, "update-ref", tracking_ref("origin"), notes.tip())
    with notes.transaction("prune") as tx:
        tx.prune([line_hash(b'{"a":1}'), line_hash(sweep_id(1).encode())])
    with notes.transaction("again") as tx:
        tx.add(key(1), sweep_id(1), [b'{"a":1}'])
        tx.add_text(key(2), [text_line(1, second=9)])
    assert tx.changed is False
    assert notes.view().records(key(1)) == {sweep_id(1): (b'{"b":2}',)}
    assert notes.view().text(key(2)) == ()
    assert notes.live_view().pruned == notes.view().pruned


def test_merging_takes_what_is_there_and_remembers_where_it_came_from(notes):
    """With nothing of our own their commit is ours; with something, a commit has both as parents."""
    theirs = commit_tree(
        notes.repository,
        tree_of(notes.repository, {f"ab/{'0' * 38}/{sweep_id(1)}": b"{}\n"}),
        tracking_ref("origin"),
    )
    with notes.transaction("unite") as tx:
        tx.merge(theirs)
    assert notes.tip() == theirs
    other = commit_tree(
        notes.repository,
        tree_of(notes.repository, {f"cd/{'0' * 38}/{sweep_id(1)}": b"{}\n"}),
        tracking_ref("origin"),
    )
    with notes.transaction("unite") as tx:
        tx.merge(other)
    assert log(notes, form="%P")[0] == f"{theirs} {other}"
    assert set(notes.view().record_keys()) == {"ab" + "0" * 38, "cd" + "0" * 38}
    with notes.transaction("unite") as tx:
        tx.merge(theirs)
        tx.merge(other)
    assert tx.changed is False


def test_merging_makes_texts_inert(notes):
    """Also where there is nothing of ours to merge with."""
    text = f"{text_line(1)}\x1b]0;owned\x07\n".encode()
    theirs = commit_tree(
        notes.repository, tree_of(notes.repository, {f"ab/{'0' * 38}": text}), "refs/x/y"
    )
    with notes.transaction("unite") as tx:
        tx.merge(theirs)
    shown = git(notes.folder, "cat-file", "blob", f"{NOTES_REF}:ab/{'0' * 38}")
    assert shown == f"{text_line(1)}\\x1b]0;owned\\x07"


def test_a_commit_that_is_not_here_cannot_be_merged(notes):
    """A ref may name what a damaged repository has lost."""
    with pytest.raises(GitError, match="1111") as caught, notes.transaction("unite") as tx:
        tx.merge("1" * 40)
    assert caught.value.specific_code == "notes-broken"
    assert notes.tip() is None


@pytest.fixture(params=["git", "libgit2"])
def asked(request, monkeypatch):
    """Who is asked for the configuration: git knows the files that variables name."""
    if request.param == "libgit2":
        monkeypatch.delenv("GIT_CONFIG_GLOBAL")
        monkeypatch.delenv("GIT_CONFIG_NOSYSTEM")


@pytest.mark.usefixtures("asked")
def test_the_committer_is_whom_git_would_name(tmp_path, monkeypatch):
    """Servers refuse commits without one, and CI machines often have none."""
    notes = bare_notes(tmp_path / "r.git")
    notes = Notes(notes.repository, clock=StoppedClock())
    by = []
    for number, (variable, setting) in enumerate(
        [(None, None), (None, "Set <Here>"), ("In Env", "Set Here")]
    ):
        if setting:
            git(tmp_path / "r.git", "config", "committer.name", setting)
        if variable:
            monkeypatch.setenv("GIT_COMMITTER_NAME", variable)
        with notes.transaction("add") as tx:
            tx.add(key(number), sweep_id(1), [b"{}"])
        by.append(git(tmp_path / "r.git", "log", "-1", "--format=%an <%ae> %ct", tx.commit))
    address = "<author@example.test> 1767323045"
    assert by == [f"Test Author {address}", f"Set Here {address}", f"In Env {address}"]


@pytest.mark.usefixtures("asked")
def test_without_any_identity_the_program_names_itself(tmp_path):
    """An empty home, as in a container."""
    notes = bare_notes(tmp_path / "r.git")
    git(tmp_path / "r.git", "config", "user.name", "")
    git(tmp_path / "r.git", "config", "user.email", "")
    with notes.transaction("add") as tx:
        tx.add(key(1), sweep_id(1), [b"{}"])
    assert log(notes, form="%an <%ae>")[0].startswith("Wind Tunnel <wind-tunnel@")


def test_linked_worktrees_share_the_notes(tmp_path):
    """Evidence found in one worktree holds in all."""
    repo = new_repo(tmp_path / "main", {"a": "1"})
    repo.git("worktree", "add", "-q", "../linked", "-b", "other")
    linked = opened(tmp_path / "linked")
    with linked.transaction("add") as tx:
        tx.add(key(1), sweep_id(1), [b"{}"])
        tx.add_text(repo.git("rev-parse", "HEAD"), [text_line(1)])
    assert opened(repo.path).tip() == linked.tip() == tx.commit
    assert opened(repo.path).view().records(key(1)) != {}
    assert (tmp_path / "main/.git/windtunnel/refs_windtunnel_notes.lock").exists()
    assert Path(linked.folder) == tmp_path / "linked"
    commit = repo.git("rev-parse", "HEAD")
    assert shown_by_git(tmp_path / "linked", [commit]) == {commit: [text_line(1)]}


def test_a_broken_ref_is_an_error_that_says_how_to_go_on(notes):
    """Notes can be made again, so a ref that names nothing is no reason to stop for good."""
    blob = str(notes.repository.create_blob(b"not a commit"))
    git(notes.folder, "update-ref", NOTES_REF, blob)
    with pytest.raises(GitError, match=f"at {blob}") as caught:
        notes.view()
    assert caught.value.specific_code == "notes-broken"
    assert caught.value.hints[0] == f"git update-ref -d {NOTES_REF}"


@pytest.mark.parametrize("left", ["an empty file", "no file", "the first half"])
def test_objects_lost_in_a_power_cut_are_an_error_that_says_how_to_go_on(notes, left):
    """Git does not wait for the disk for every object, so a ref may survive what it names."""
    with notes.transaction("add") as tx:
        tx.add(key(1), sweep_id(1), [b"{}"])
        tx.add_text(key(1)[::-1], [text_line(1)])
    listing = git(notes.folder, "rev-list", "--objects", "--no-object-names", NOTES_REF)
    for lost in listing.splitlines():
        path = Path(notes.repository.path, "objects", lost[:2], lost[2:])
        content = path.read_bytes()
        path.unlink()
        if left == "an empty file":
            path.touch()
        elif left == "the first half":
            path.write_bytes(content[: len(content) // 2])
        fresh = opened(notes.folder)
        with pytest.raises(GitError) as caught:
            (fresh.view().records(key(1)), fresh.view().text(key(1)[::-1]))
        assert caught.value.specific_code in {"notes-broken", "notes-incomplete"}
        assert caught.value.hints
        path.unlink(missing_ok=True)
        path.write_bytes(content)
    assert opened(notes.folder).view().text(key(1)[::-1]) == (text_line(1),)


def test_a_repository_that_takes_no_objects_is_an_error_of_ours(notes):
    """A full disk or a read-only one: a sweep warns and goes on. Here, files stand in the way."""
    for number in range(256):
        Path(notes.repository.path, "objects", f"{number:02x}").write_text("")
    with (
        pytest.raises(GitError, match="could not be written") as caught,
        notes.transaction("add") as tx,
    ):
        tx.add(key(1), sweep_id(1), [b"{}"])
    assert caught.value.specific_code == "ref-unwritable"


def without_git_settings():
    """An environment in which libgit2 finds the committer: no git process for each commit."""
    return {name: value for name, value in os.environ.items() if "GIT_CONFIG" not in name}


@pytest.mark.parametrize(
    ("writers", "writes"), [(20, 5), pytest.param(40, 25, marks=pytest.mark.thorough)]
)
def test_many_processes_lose_nothing(tmp_path, writers, writes):
    """Each writes several notes, all at once, and every one of them is there afterwards."""
    bare_notes(tmp_path / "r.git")
    program = (
        "import sys; from pathlib import Path; from kit.killed_writer import write_at_once;"
        f"write_at_once(Path(sys.argv[1]), {writers}, {writes})"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "r.git")],
        check=False,
        cwd=Path(__file__).parents[2],
        capture_output=True,
        env=without_git_settings(),
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert all(kit.killed_writer.written(tmp_path / "r.git", n) for n in range(writers * writes))
    assert len(log(opened(tmp_path / "r.git"))) == writers * writes


def killed_rounds(folder, when):
    """Run the writer that is killed; what is wrong afterwards ends it with an error."""
    bare_notes(folder)
    done = subprocess.run(
        [sys.executable, "-m", "kit.killed_writer", str(folder), when],
        check=False,
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        env=without_git_settings(),
    )
    assert done.returncode == 0, done.stderr
    git(folder, "fsck", "--strict", "--no-dangling")
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_writer_killed_at_any_step_leaves_the_old_notes_or_the_new(tmp_path):
    """And the next writer writes, whatever the dead one left behind."""
    rounds = killed_rounds(tmp_path / "r.git", "step")
    assert len(rounds) > 30
    assert {one["moved"] for one in rounds} == {True, False}
    assert any(one["lock"] for one in rounds), "no writer was killed with git's lock in hand"


@pytest.mark.parametrize("rounds", [15, pytest.param(300, marks=pytest.mark.thorough)])
def test_a_writer_killed_at_any_moment_leaves_the_old_notes_or_the_new(tmp_path, rounds):
    """Inside of a call into libgit2, too."""
    assert len(killed_rounds(tmp_path / "r.git", str(rounds))) == rounds


def test_the_environment_of_a_server_hook_shows_what_was_just_pushed(tmp_path):
    """Git keeps pushed objects in quarantine until the hook has agreed."""
    bare_notes(tmp_path / "r.git")
    hook = tmp_path / "r.git/hooks/pre-receive"
    hook.write_text(
        f"#!{sys.executable}\n"
        "import sys\n"
        "from pathlib import Path\n"
        "from wt_git.git.notes.store import open_notes\n"
        "old, new, ref = sys.stdin.read().split()\n"
        "plain = open_notes(Path('.'))\n"
        "inside = open_notes(Path('.'), from_environment=True)\n"
        "assert plain.repository.get(new) is None\n"
        f"print(inside.view(at=[new]).records({key(1)!r}), file=sys.stderr)\n"
    )
    hook.chmod(0o755)
    local = bare_notes(tmp_path / "local.git")
    with local.transaction("add") as tx:
        tx.add(key(1), sweep_id(1), [b'{"a":1}'])
    done = subprocess.run(
        ["git", "push", "../r.git", f"{NOTES_REF}:{NOTES_REF}"],
        check=False,
        cwd=tmp_path / "local.git",
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "remote: {'" + sweep_id(1) in done.stderr


def test_outside_a_repository_there_are_no_notes(tmp_path):
    """Not an error: experiments run anywhere."""
    assert open_notes(tmp_path) is None


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--object-format=sha256"], "sha256"),
        (["extensions.refstorage=reftable"], "refstorage"),
    ],
)
def test_a_repository_that_libgit2_cannot_open_is_an_answer_of_its_own(tmp_path, options, reason):
    """The notes are unavailable, the reason is named, and the sweep goes on."""
    git(tmp_path, "init", "-q", *[one for one in options if one.startswith("--")], "r")
    for name, value in (one.split("=") for one in options if not one.startswith("--")):
        git(tmp_path / "r", "config", "core.repositoryFormatVersion", "1")
        git(tmp_path / "r", "config", name, value)
    with pytest.raises(GitError, match=reason) as caught:
        open_notes(tmp_path / "r")
    assert caught.value.specific_code == "notes-unavailable"


def test_a_partial_clone_of_an_old_git_can_be_opened(tmp_path):
    """It has an extension that newer versions no longer write."""
    bare_notes(tmp_path / "r.git")
    git(tmp_path / "r.git", "config", "core.repositoryFormatVersion", "1")
    git(tmp_path / "r.git", "config", "extensions.partialClone", "origin")
    assert open_notes(tmp_path / "r.git") is not None


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
def test_somebody_elses_repository_is_not_opened(tmp_path):
    """The error names the setting that allows it; it does not pass for 'no repository'."""
    git(tmp_path, "init", "-q", "r")
    for path in (tmp_path / "r", *(tmp_path / "r").rglob("*")):
        os.chown(path, 12345, 12345)
    with pytest.raises(GitError, match="another user") as caught:
        open_notes(tmp_path / "r")
    assert caught.value.specific_code == "git-ownership"
    assert "safe.directory" in caught.value.hints[0]
