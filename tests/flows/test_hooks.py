"""Evidence and git together: real experiments, real commits, real pushes through the real hooks."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from kit.commands import wt
from kit.projects import (
    PACK,
    POLICY,
    Project,
    bare,
    clone_of,
    copied,
    new_project,
    path_with_wt,
    set_up,
)
from kit.repo import Repo, git

if TYPE_CHECKING:
    from pathlib import Path

EACH = POLICY + 'commits = "each"\n'
MAIN = POLICY + 'branches = ["main", "release/*"]\n'
NOTES = "refs/windtunnel/notes"


@pytest.fixture
def remote(tmp_path) -> Repo:
    return bare(tmp_path / "remote.git")


@pytest.fixture
def project(tmp_path, remote) -> Project:
    """A project with hooks and one commit that was not tested."""
    return new_project(tmp_path / "project", remote)


@pytest.fixture(scope="module")
def template(tmp_path_factory) -> Path:
    """A folder with a remote, and a project whose commit was tested and pushed there."""
    folder = tmp_path_factory.mktemp("template")
    project = new_project(folder / "project", bare(folder / "remote.git"))
    project.experiment()
    project.pushed("origin", "main")
    return folder


@pytest.fixture
def tested(template, tmp_path, remote) -> Project:
    """A project whose commit was tested and pushed."""
    return copied(template, tmp_path)


@pytest.fixture(scope="module")
def branched_template(template, tmp_path_factory) -> Path:
    """The same with a second branch at the remote, `gone`."""
    folder = tmp_path_factory.mktemp("branched")
    copied(template, folder).pushed("origin", "main:gone")
    return folder


@pytest.fixture
def branched(branched_template, tmp_path) -> Project:
    return copied(branched_template, tmp_path)


def edit(project: Project, text: str, message: str = "an edit") -> str:
    project.write({"agent.txt": text})
    return project.commit(message)


def remote_refs(remote: Repo) -> dict[str, str]:
    listing = remote.git("for-each-ref", "--format=%(refname) %(objectname)")
    return dict(line.split(" ") for line in listing.split("\n") if line)


# Pushing


def test_what_a_refusal_prints_leads_to_a_push_that_works(tested, remote):
    """Somebody new to the tool pastes what it says, line by line."""
    edit(tested, "edited\n")
    said = tested.refused("origin", "main")
    assert "'agent.txt'" in said
    prefix = "wt pre-push: "
    lines = [line.removeprefix(prefix).strip() for line in said.split("\n") if prefix in line]
    commands = [line.removeprefix("run: ") for line in lines if line.startswith("run: ")]
    commands += [line.partition(": ")[2] for line in lines if line.startswith("then push again: ")]
    assert len(commands) == 2
    for command in commands:
        subprocess.run(
            command, shell=True, check=True, cwd=tested.path, env={"PATH": path_with_wt()}
        )
    assert remote_refs(remote)["refs/heads/main"] == tested.git("rev-parse", "HEAD")


def test_what_was_tested_and_not_committed_is_named(tested, remote):
    """The usual mistake: a new file was there when it was run, and was then not committed."""
    tested.write({"agent.txt": "edited\n", "new one.txt": "needed\n"})
    tested.experiment()
    tested.git("add", "agent.txt")
    tested.git("commit", "--quiet", "--message", "without the new file")
    said = tested.refused("origin", "main")
    assert "these files differ from it: 'new one.txt'" in said
    assert (
        "first: commit, undo or (in .git/info/exclude) ignore these differences from that commit: 'new one.txt'"
        in said
    )
    tested.commit("with it")
    assert "is covered" in tested.pushed("origin", "main")


def test_a_refusal_tells_from_where_its_command_works(tested):
    """Paths count from the top, and whoever pushes may be below it."""
    tested.write({"agent.txt": "edited\n", "below/x": ""})
    tested.commit("an edit")
    said = Project(tested.path / "below").refused("origin", "main")
    assert f"first: cd {tested.path}\n" in said
    assert "commit or undo" not in said, "nothing is uncommitted"


def test_another_commit_than_the_one_that_is_checked_out_is_refused(tested):
    """An experiment here would be about something else, and that is said."""
    edit(tested, "edited\n")
    tested.git("branch", "topic")
    edit(tested, "edited again\n")
    said = tested.refused("origin", "topic")
    assert "first:" not in said
    assert "or check that commit out" in said


def test_the_very_first_push_is_told_what_an_experiment_is(project, remote):
    """Nothing was ever recorded: the rule, and the command with the runtime that the policy names."""
    said = project.refused("origin", "main")
    assert "rule: a pushed branch needs evidence of a focused experiment against in_memory" in said
    (command,) = [line for line in said.split("\n") if "  run: wt run" in line]
    assert "--runtime=in_memory" in command
    assert "where PACK is the name of an installed pack; for a pack in a file write" in said
    assert "--pack-source=FILE.py:NAME" in said
    assert remote_refs(remote) == {}


def test_a_covered_push_says_by_what_and_takes_the_notes_along(project, remote, tmp_path):
    """In another clone a fetch is enough to see the line, once."""
    sweep = project.experiment()
    said = project.pushed("origin", "main")
    assert f"is covered by focused evidence of sweep {sweep}" in said
    assert "target in_memory, model unknown" in said
    assert NOTES in remote_refs(remote)
    other = clone_of(remote, tmp_path / "other")
    other.git("fetch", "--quiet")
    assert sweep in wt("notes", "show", cwd=other.path).out
    wt("sync", cwd=other.path)
    (line,) = other.lines()
    assert sweep in line


PUSHES = {
    "a tag": ["v1"],
    "an annotated tag": ["v2"],
    "tags": ["--tags"],
    "a deletion": ["--delete", "gone"],
    "a deletion by refspec": [":gone"],
    "nothing": ["main"],
    "the notes": [NOTES],
    "another ref": ["HEAD:refs/for/main"],
}


@pytest.mark.parametrize("name", PUSHES)
def test_what_needs_no_evidence_is_let_through(branched, name):
    """Tags, deletions, an empty push, the notes themselves: no branch gets a new commit."""
    tested = branched
    main = tested.git("rev-parse", "HEAD")
    edit(tested, "not tested\n")
    tested.git("tag", "v1")
    tested.git("tag", "--annotate", "--message", "two", "v2")
    if name == "nothing":
        tested.git("reset", "--quiet", "--hard", main)
    assert "refused" not in tested.pushed("origin", *PUSHES[name])


WAYS = {
    "its name": ["main"],
    "HEAD": ["HEAD"],
    "another name": ["main:refs/heads/new/name"],
    "an expression": ["HEAD~0:refs/heads/new"],
    "an id": ["{id}:refs/heads/new"],
    "an annotated tag's commit": ["v2^{{commit}}:refs/heads/new"],
    "all branches": ["--all"],
    "a mirror": ["--mirror"],
    "force": ["--force", "main"],
    "several at once": ["old:refs/heads/old", "main", "v2"],
    "atomically": ["--atomic", "old:refs/heads/old", "main"],
    "beside a deletion": [":gone", "main"],
    "along with the notes": [NOTES, "main"],
}


def test_whatever_way_a_branch_is_pushed_it_is_judged(branched, tmp_path):
    """Every line that git passes is read, and one branch without evidence stops the whole push."""
    remote = Repo(tmp_path / "remote.git")
    before = remote_refs(remote)
    branched.git("branch", "old")
    commit = edit(branched, "not tested\n")
    branched.git("tag", "--annotate", "--message", "two", "v2")
    wrong = []
    for name, way in WAYS.items():
        said = branched.refused("origin", *(one.format(id=commit) for one in way))
        after = remote_refs(remote)
        if (
            said.count("has no evidence that counts") != 1
            or "(an edit)" not in said
            or {**after, NOTES: ""} != {**before, NOTES: ""}
        ):
            wrong.append((name, said, after))
    assert wrong == []


def test_a_forced_push_over_a_commit_that_is_not_here(tested, remote, tmp_path):
    """The other side's old id may be unknown; what is judged is what is pushed."""
    other = clone_of(remote, tmp_path / "other")
    edit(other, "theirs\n")
    other.git("push", "--quiet", "--no-verify", "origin", "main")
    tested.git("commit", "--quiet", "--allow-empty", "--message", "the same content")
    tested.pushed("--force", "origin", "main")
    edit(tested, "not tested\n")
    other.git("push", "--quiet", "--no-verify", "--force", "origin", "main")
    said = tested.refused("--force", "origin", "main")
    assert "git push origin +main" in said


def test_branches_outside_of_the_policy_need_nothing(tested):
    """Patterns name those that do."""
    tested.write({"pyproject.toml": MAIN})
    edit(tested, "not tested\n")
    tested.pushed("origin", "main:refs/heads/mine")
    tested.refused("origin", "main:refs/heads/release/1")
    tested.refused("origin", "main")


def test_every_commit_where_the_policy_says_so(tmp_path, remote):
    """A tested tip does not cover what lies before it; what the other side has is not asked again."""
    project = new_project(tmp_path / "each", remote, policy=EACH)
    project.experiment()
    project.pushed("origin", "main")
    edit(project, "not tested\n", "in between")
    edit(project, "tested\n", "tip")
    project.experiment()
    said = project.refused("origin", "main")
    assert "(in between)" in said
    assert "(tip)" not in said
    project.git("checkout", "--quiet", "HEAD~1")
    project.experiment()
    project.git("checkout", "--quiet", "main")
    project.pushed("origin", "main")


def test_a_push_to_a_bare_url_is_judged_but_takes_no_notes_along(tested, tmp_path):
    """Notes go to the remote that was recorded and to no other."""
    elsewhere = bare(tmp_path / "elsewhere.git")
    tested.pushed(str(elsewhere.path), "main")
    tested.git("remote", "add", "second", str(elsewhere.path))
    tested.pushed("second", "main:refs/heads/two")
    assert set(remote_refs(elsewhere)) == {"refs/heads/main", "refs/heads/two"}
    edit(tested, "not tested\n")
    tested.refused(str(elsewhere.path), "main")


def test_notes_stay_here_where_the_policy_says_so(tmp_path, remote):
    """`push_notes = false`."""
    project = new_project(tmp_path / "p", remote, policy=POLICY + "push_notes = false\n")
    project.experiment()
    project.pushed("origin", "main")
    assert set(remote_refs(remote)) == {"refs/heads/main"}


UPDATE = '#!/bin/sh\ncase "$1" in refs/windtunnel/*) {action};; esac\n'


@pytest.mark.parametrize(
    ("action", "reason"), [("exit 1", "hook declined"), ("sleep 60", "longer than")]
)
def test_notes_that_cannot_be_pushed_do_not_stop_the_branch(tmp_path, remote, action, reason):
    """A server without room for them, or one that does not answer: said in a line, and gone on."""
    project = new_project(tmp_path / "p", remote, policy=POLICY + "push_timeout_s = 1\n")
    hook = remote.path / "hooks/update"
    hook.write_text(UPDATE.format(action=action))
    hook.chmod(0o755)
    project.experiment()
    said = project.pushed("origin", "main")
    assert "the push goes on, but the notes stayed here" in said
    assert reason in said
    assert "wt sync origin" in said
    assert set(remote_refs(remote)) == {"refs/heads/main"}


def test_a_push_from_a_linked_worktree(tested, tmp_path):
    """Git names the worktree's own git directory in GIT_DIR."""
    tested.git("worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    side = Project(tmp_path / "side")
    side.pushed("origin", "side")
    edit(side, "not tested\n")
    assert "'agent.txt'" in side.refused("origin", "side")


def test_a_policy_that_may_not_be_is_no_pass(tested):
    """A broken file stops the push and is named, with key and value."""
    tested.write({"pyproject.toml": '[tool.windtunnel.gate]\nrequire = "nothing"\n'})
    tested.commit("a broken policy")
    said = tested.refused("origin", "main")
    assert "require" in said
    assert "nothing" in said


def test_an_edit_that_is_not_committed_has_no_say(tested):
    """What is judged is what is pushed, also while the file in the working directory is broken."""
    tested.git("commit", "--quiet", "--allow-empty", "--message", "the same content")
    tested.write({"pyproject.toml": "[broken"})
    tested.pushed("origin", "main")


def test_a_repository_whose_notes_cannot_be_read_is_no_pass(tmp_path):
    """libgit2 reads no SHA-256 yet: `wt init` says so, and so does a hook that is there all the same."""
    git(tmp_path, "init", "--quiet", "--object-format=sha256", "sha256")
    project = Project(tmp_path / "sha256")
    project.write({"a": "a"})
    commit = project.commit("first")
    ran = wt("init", cwd=project.path)
    assert ran.code == 1
    assert "libgit2 does not read it" in ran.out
    assert not (project.path / ".git/hooks/pre-push").exists()
    done = hook(project, "pre-push", f"main {commit} refs/heads/main {'0' * 64}\n")
    assert done.returncode == 1
    assert "cannot be checked" in done.stderr
    assert "git push --no-verify" in done.stderr


def hook(
    project: Project, name: str, stdin: str, *, args: tuple[str, ...] = (), **env: str
) -> subprocess.CompletedProcess:
    """A hook as something else than git calls it."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "wt_git", "hook", name, *args],
        cwd=project.path,
        input=stdin,
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, **env},
    )


def test_the_pre_commit_framework_passes_variables_and_no_input(tested):
    """One ref of a push, without ids when a root commit is in it."""
    said = {
        "PRE_COMMIT_LOCAL_BRANCH": "refs/heads/main",
        "PRE_COMMIT_REMOTE_BRANCH": "refs/heads/main",
        "PRE_COMMIT_REMOTE_NAME": "origin",
        "PRE_COMMIT_REMOTE_URL": "url",
    }
    done = hook(tested, "pre-push", "", **said)
    assert (done.returncode, "is covered by" in done.stderr) == (0, True)
    old = tested.git("rev-parse", "HEAD")
    new = edit(tested, "not tested\n")
    assert hook(tested, "pre-push", "", **said).returncode == 1
    ids = {"PRE_COMMIT_FROM_REF": old, "PRE_COMMIT_TO_REF": new}
    done = hook(tested, "pre-push", "", **said, **ids)
    assert done.returncode == 1
    assert "git push origin main" in done.stderr


def test_a_working_directory_whose_git_directory_is_elsewhere(tested, tmp_path):
    """Some keep their home directory this way: git says where it is in variables."""
    home = tmp_path / "home"
    home.mkdir()
    commit = tested.git("rev-parse", "HEAD")
    said = {"GIT_DIR": str(tested.path / ".git"), "GIT_WORK_TREE": str(home)}
    line = f"refs/heads/main {commit} refs/heads/main {'0' * 40}\n"
    done = hook(Project(home), "pre-push", line, args=("elsewhere", "url"), **said)
    assert done.returncode == 0
    assert "is covered by" in done.stderr


# Evidence lives as long as the content


def test_evidence_survives_what_leaves_the_content_alone(tested):
    """Another message, a rebase that rewords, a squash, a cherry-pick onto the same base."""
    base = tested.git("rev-parse", "HEAD")
    edit(tested, "one\n")
    edit(tested, "two\n")
    sweep = tested.experiment()
    tested.tried("commit", "--amend", "--message", "amended")
    assert [sweep in line for line in tested.lines()] == [True]
    reworded = {"GIT_SEQUENCE_EDITOR": "sed -i 's/^pick/reword/'", "GIT_EDITOR": "true"}
    assert tested.tried("rebase", "-i", "--no-ff", base, env=reworded).returncode == 0
    assert [sweep in line for line in tested.lines()] == [True]
    tested.pushed("origin", "main")
    tested.git("checkout", "--quiet", "-b", "squashed", base)
    tested.git("merge", "--quiet", "--squash", "main")
    tested.tried("commit", "--message", "squashed")
    assert [sweep in line for line in tested.lines()] == [True]
    tested.pushed("origin", "squashed")
    tested.git("checkout", "--quiet", "-b", "picked", base)
    assert tested.tried("cherry-pick", "squashed").returncode == 0
    assert [sweep in line for line in tested.lines()] == [True]
    tested.pushed("origin", "picked")


EDITS = {
    "a byte": (lambda p: p.write({"pack.py": PACK + " "}), "pack.py"),
    "a mode": (lambda p: (p.path / "pack.py").chmod(0o755), "pack.py"),
    "a name": (lambda p: p.git("mv", "pack.py", "renamed.py"), "renamed.py"),
    "a new file": (lambda p: p.write({"new.txt": ""}), "new.txt"),
}


@pytest.mark.parametrize("name", EDITS)
def test_evidence_is_void_after_any_change(tested, name):
    """And the refusal names the file."""
    change, file = EDITS[name]
    change(tested)
    tested.commit("changed")
    assert f"'{file}'" in tested.refused("origin", "main")


def test_a_rebase_gives_each_commit_its_line_once(tested):
    """`post-commit` fires for each commit and `post-rewrite` once for all of them."""
    base = tested.git("rev-parse", "HEAD")
    sweeps = []
    for text in ("one\n", "two\n"):
        tested.git("checkout", "--quiet", "main")
        tested.write({"agent.txt": text})
        tested.git("add", "--all")
        committed(tested)
        sweeps.append(tested.experiment())
    later = {
        "GIT_COMMITTER_DATE": "2040-01-01T00:00:00Z"
    }  # in the same second nothing is rewritten
    assert tested.tried("rebase", "--no-ff", base, env=later).returncode == 0
    assert [len(tested.lines(one)) for one in ("HEAD", "HEAD~1")] == [1, 1]
    assert sweeps[1] in tested.lines("HEAD")[0]
    assert sweeps[0] in tested.lines("HEAD~1")[0]
    subjects = tested.git("log", "--format=%s", NOTES).split("\n")
    assert subjects.count("notes on rewritten commits") == 1
    assert "notes on a new commit" not in subjects[: subjects.index("notes on rewritten commits")]


def test_a_commit_that_is_made_while_a_rebase_stands_still(tested):
    """Git lists it nowhere; it shows its evidence all the same once the rebase is done."""
    base = tested.git("rev-parse", "HEAD")
    edit(tested, "one\n")
    editor = {"GIT_SEQUENCE_EDITOR": "sed -i 's/^pick/edit/'"}
    tested.tried("rebase", "-i", "--no-ff", base, env=editor)
    tested.write({"agent.txt": "made in between\n"})
    sweep = tested.experiment()
    tested.git("add", "--all")
    committed(tested)
    assert tested.tried("rebase", "--continue").returncode == 0
    assert sweep in "".join(tested.lines())


def test_a_fast_forward_and_a_merge_show_what_was_fetched(tested, remote, tmp_path):
    """After a pull the line is there once, and so it is under a merge of the same content."""
    other = clone_of(remote, tmp_path / "other")
    edit(tested, "one\n")
    sweep = tested.experiment()
    tested.pushed("origin", "main")
    assert other.tried("pull", "--ff-only").returncode == 0
    assert [sweep in line for line in other.lines()] == [True]
    tested.git("checkout", "--quiet", "-b", "side", "HEAD~1")
    assert tested.tried("merge", "--no-ff", "--message", "merged", "main").returncode == 0
    assert [sweep in line for line in tested.lines()] == [True]


# Committing


def committed(project: Project, *args: str) -> subprocess.CompletedProcess:
    return project.tried("commit", "--message", "x", *args)


def test_a_commit_is_told_whether_it_has_evidence(tested):
    """It goes through either way."""
    done = committed(tested, "--allow-empty")
    assert "this commit is covered by" in done.stderr
    tested.write({"agent.txt": "not tested\n"})
    tested.git("add", "agent.txt")
    done = committed(tested)
    assert done.returncode == 0
    assert "this commit has no evidence yet" in done.stderr
    assert "'agent.txt'" in done.stderr


@pytest.mark.parametrize("way", ["staged", "-a", "path", "worktree", "amend"])
def test_what_is_judged_is_what_will_be_committed(tmp_path, remote, way):
    """Git works on an index of its own for `commit -a` and for paths; the working directory is not it."""
    policy = POLICY + 'pre_commit = "refuse"\n'
    project = new_project(tmp_path / "p", remote, policy=policy)
    project.write({"a.txt": "0", "b.txt": "0"})
    project.experiment()
    project.commit("tested")
    if way == "worktree":
        project.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
        project = Project(tmp_path / "linked")
    project.write({"a.txt": "1"})
    project.experiment()  # with a.txt = 1 and b.txt = 0
    project.write({"b.txt": "1"})
    project.git("add", "b.txt")
    match way:
        case "staged" | "worktree" | "amend":
            options = ["--amend"] if way == "amend" else []
            assert committed(project, *options).returncode == 1  # a = 0, b = 1
            project.git("reset", "--quiet", "b.txt")
            project.git("add", "a.txt")
            assert committed(project, *options).returncode == 0  # a = 1, b = 0
        case "-a":
            assert committed(project, "-a").returncode == 1  # a = 1, b = 1
            project.git("checkout", "--quiet", "HEAD", "b.txt")
            assert committed(project, "-a").returncode == 0
        case "path":
            assert committed(project, "b.txt").returncode == 1
            assert committed(project, "a.txt").returncode == 0  # although b.txt is staged


def test_judging_a_commit_touches_neither_index_nor_its_lock(tested):
    """Another git may be at work, and a lock would be in its way."""
    tested.write({"agent.txt": "x\n"})
    tested.git("add", "agent.txt")
    index = tested.path / ".git/index"
    before = (index.read_bytes(), index.stat().st_mtime_ns)
    (tested.path / ".git/index.lock").touch()
    done = tested.tried("hook", "run", "pre-commit")
    assert "no evidence yet" in done.stderr
    assert before == (index.read_bytes(), index.stat().st_mtime_ns)


def test_a_commit_that_the_policy_refuses_says_why(tmp_path, remote):
    """`pre_commit = "refuse"`: rule, what was seen, what to run, and the way around."""
    project = new_project(tmp_path / "p", remote, policy=POLICY + 'pre_commit = "refuse"\n')
    done = committed(project, "--allow-empty")
    assert done.returncode == 1
    for part in ("rule: ", "seen: ", "run: wt run", "git commit --no-verify"):
        assert part in done.stderr
    assert committed(project, "--allow-empty", "--no-verify").returncode == 0


def test_a_commit_is_told_nothing_where_the_policy_says_so(tmp_path, remote):
    """`pre_commit = "off"`, also when it is only staged so far."""
    project = new_project(tmp_path / "p", remote)
    project.write({"pyproject.toml": POLICY + 'pre_commit = "off"\n'})
    project.git("add", "pyproject.toml")
    assert "wt pre-commit" not in committed(project).stderr


def test_the_first_commit_of_all(tmp_path):
    """There is no HEAD yet, and perhaps no index."""
    git(tmp_path, "init", "--quiet", "fresh")
    project = Project(tmp_path / "fresh")
    set_up(project)
    done = committed(project, "--allow-empty")
    assert done.returncode == 0
    assert "no evidence yet" in done.stderr


def trailers(project: Project) -> str:
    return project.git("log", "-1", "--format=%(trailers:key=Wind-Tunnel,valueonly)")


def test_a_trailer_where_the_policy_wants_one(tmp_path, remote):
    """It names the sweep, is replaced and never doubled, and goes when it is no longer true."""
    project = new_project(tmp_path / "p", remote, policy=POLICY + "trailer = true\n")
    sweep = project.experiment()
    committed(project, "--allow-empty")
    assert sweep in trailers(project)
    project.tried("commit", "--amend", "--no-edit")
    assert trailers(project).count(sweep) == 1
    project.write({"agent.txt": "not tested\n"})
    project.tried("commit", "--amend", "--all", "--no-edit")
    assert sweep in trailers(project)  # untracked files are not committed by --all
    project.git("add", "agent.txt")
    project.tried("commit", "--amend", "--no-edit")
    assert trailers(project).strip() == ""
    assert project.git("log", "-1", "--format=%s") == "x"


def test_no_trailer_unless_it_is_wanted(tested):
    """Off by default."""
    committed(tested, "--allow-empty")
    assert "Wind-Tunnel" not in tested.git("log", "-1", "--format=%B")


# Receiving


@pytest.fixture
def guarded(remote) -> Repo:
    """The remote, with the hook of a server."""
    set_up(remote)
    return remote


def blind(project: Project) -> Project:
    """A project whose own hook is left out, as an editor or `--no-verify` does."""
    (project.path / ".git/hooks/pre-push").unlink()
    return project


def test_a_server_refuses_what_nobody_tested(project, guarded):
    """Leaving out the hooks on this side does not help."""
    done = blind(project).tried("push", "origin", "main")
    assert done.returncode != 0
    assert "wt pre-receive: refused: main at" in done.stderr
    assert remote_refs(guarded) == {}


def test_a_server_reads_notes_that_come_in_the_same_push(project, guarded):
    """Both are still in quarantine then, and the objects are seen there."""
    sweep = project.experiment()
    done = blind(project).tried("push", "origin", "main", NOTES)
    assert done.returncode == 0
    assert f"covered by focused evidence of sweep {sweep}" in done.stderr
    assert set(remote_refs(guarded)) == {"refs/heads/main", NOTES}


def test_a_server_reads_notes_that_came_before(project, guarded):
    """As our own hook sends them."""
    project.experiment()
    project.pushed("origin", "main")
    assert set(remote_refs(guarded)) == {"refs/heads/main", NOTES}


def test_two_that_run_and_push_at_the_same_moment(tested, remote, tmp_path):
    """No note is lost, none is doubled, and no push fails for good."""
    clones = [tested, clone_of(remote, tmp_path / "two"), clone_of(remote, tmp_path / "three")]
    sweeps = [clone.experiment() for clone in clones]
    program = 'git push origin "HEAD:refs/heads/$0" && wt sync'
    pushes = [
        subprocess.Popen(
            ["sh", "-c", program, f"b{number}"],
            cwd=clone.path,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PATH": path_with_wt()},
        )
        for number, clone in enumerate(clones)
    ]
    for push in pushes:
        said, _ = push.communicate(timeout=90)
        assert push.returncode == 0, said
    wt("sync", cwd=tested.path)
    shown = "\n".join(tested.lines())
    assert [shown.count(sweep) for sweep in sweeps] == [1, 1, 1]


def test_notes_are_neither_deleted_nor_taken_back_on_a_server(tested, guarded):
    """Everybody's evidence is in them."""
    before = remote_refs(guarded)
    done = tested.tried("push", "origin", f":{NOTES}")
    assert "is not deleted" in done.stderr
    edit(tested, "more\n")
    tested.experiment()
    tested.pushed("origin", "main")
    older = before[NOTES]
    done = tested.tried("push", "--force", "origin", f"{older}:{NOTES}")
    assert done.returncode != 0
    assert "that others recorded" in done.stderr
    assert remote_refs(guarded)[NOTES] != older


def test_a_push_does_not_weaken_what_judges_it(tested, guarded):
    """The old tip's policy decides, and a new branch takes the default branch's."""
    blind(tested)
    before = remote_refs(guarded)["refs/heads/main"]
    tested.write({"pyproject.toml": POLICY + 'branches = ["none"]\n'})
    edit(tested, "not tested\n")
    for target in ("main", "main:refs/heads/new"):
        done = tested.tried("push", "origin", target)
        assert done.returncode != 0
        assert "has no evidence that counts" in done.stderr
        assert "gate.branches" in done.stderr
    assert remote_refs(guarded)["refs/heads/main"] == before
    tested.experiment()
    done = tested.tried("push", "origin", "main", NOTES)
    assert done.returncode == 0
    assert "gate.branches" in done.stderr  # what changes is named


def test_a_server_lets_deletions_and_tags_through(tested, guarded):
    """They bring no commit to any branch."""
    tested.pushed("origin", "main:gone")
    blind(tested)
    edit(tested, "not tested\n")
    tested.git("tag", "v1")
    assert tested.tried("push", "origin", ":gone", "v1").returncode == 0
    assert "refs/heads/gone" not in remote_refs(guarded)
