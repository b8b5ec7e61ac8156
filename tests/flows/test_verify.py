"""`wt verify` and `wt log` as people and CI meet them: real clones, fetched notes, exit codes."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest
from kit.commands import write_pack, write_plugin, wt, wt_process
from kit.evidence_rows import line, row, sweep
from kit.repo import Repo, git, new_repo
from kit.verified_repos import agent_repo, clone, cover, file_notes, notes_of, tree_of

from wt_git.git.notes.lines import line_hash
from wt_git.text import DECLARATION_OPTIONS

if TYPE_CHECKING:
    from pathlib import Path

GATE = "[tool.windtunnel.gate]\n"
SPEC = "+refs/windtunnel/notes*:refs/windtunnel/remotes/origin/notes*"


@pytest.fixture
def hub(tmp_path: Path) -> Repo:
    """The bare repository that everybody pushes to."""
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", "hub.git")
    return Repo(tmp_path / "hub.git")


@pytest.fixture
def here(tmp_path: Path, hub: Repo) -> Repo:
    """A repository with an agent, pushed to the hub's main branch."""
    repo = agent_repo(tmp_path / "here")
    repo.git("remote", "add", "origin", f"file://{hub.path}")
    push(repo)
    return repo


def push(repo: Repo, *refs: str) -> None:
    repo.git("push", "--quiet", "origin", "HEAD:refs/heads/main", *refs)


def verify(repo: Repo, *arguments: str, env: dict[str, str] | None = None):
    return wt("verify", *arguments, cwd=repo.path, env=env)


def answer(repo: Repo, *arguments: str, env: dict[str, str] | None = None):
    ran = verify(repo, "--json", *arguments, env=env)
    found = json.loads(ran.out)
    assert found["covered"] == (ran.code == 0)
    return found


def codes(found):
    return [why["code"] for why in found["commits"][0]["reasons"]]


def test_from_an_experiment_to_a_verified_clone(tmp_path, hub, monkeypatch):
    """Run, commit, push; elsewhere fetch and verify; then git log shows the line, once."""
    repo = new_repo(tmp_path / "first", {".gitignore": "runs/\n"})
    monkeypatch.chdir(repo.path)
    write_pack(scenarios=[("passes", "ok", [])])
    write_plugin()
    ran = wt("run", "--pack-source=pack.py:PACK", "--runtime=plugin.py:PLUGIN")
    assert ran.code == 0
    repo.commit("agent")
    assert verify(repo).code == 0
    repo.git("remote", "add", "origin", f"file://{hub.path}")
    push(repo, "refs/windtunnel/notes")
    second = clone(hub.path, tmp_path / "second")
    second.git("config", "--add", "remote.origin.fetch", SPEC)
    second.git("config", "notes.displayRef", "refs/windtunnel/notes*")
    second.git("fetch", "--quiet")
    ran = verify(second)
    assert ran.code == 0
    assert "is covered by recorded evidence" in ran.out
    assert second.git("log", "-1").count("focused PASS") == 1


def test_uncovered_says_the_rule_the_files_and_the_command(here):
    """Three parts; the command is the one that made the nearest evidence."""
    cover(here)
    here.write({"agent.py": "edited\n", "new.py": "x\n"})
    here.commit("edited")
    ran = verify(here)
    assert ran.code == 1
    assert "stale-evidence" in ran.out
    assert "'agent.py', 'new.py'" in ran.out
    assert (
        "    wt run --pack-source=packs/orders.py:PACK --pack=orders --scenario=refund "
        f"--runtime=my_runtime {DECLARATION_OPTIONS}\n"
    ) in ran.out


def test_a_fresh_clone_fetches_the_notes_when_asked(here, hub, tmp_path):
    """Without --fetch nothing goes to the network, and missing notes are no pass."""
    cover(here)
    push(here, "refs/windtunnel/notes")
    fresh = clone(hub.path, tmp_path / "fresh")
    assert codes(answer(fresh)) == ["no-notes"]
    assert answer(fresh, "--fetch")["covered"]
    assert answer(fresh)["covered"]


@pytest.mark.parametrize(
    "options",
    [
        ("--depth=1",),
        ("--depth=2",),
        ("--filter=blob:none",),
        ("--filter=tree:0",),
        ("--depth=1", "--filter=blob:none"),
        ("--depth=1", "--no-tags", "--single-branch"),
    ],
    ids=" ".join,
)
def test_shallow_and_partial_clones(here, hub, tmp_path, options):
    """The notes come with their content; what was cut stays cut, and no history comes along."""
    hub.git("config", "uploadpack.allowFilter", "true")
    here.write({"agent.py": "two\n"})
    here.commit("two")
    here.write({"agent.py": "three\n"})
    here.commit("three")
    cover(here)
    push(here, "refs/windtunnel/notes")
    there = clone(hub.path, tmp_path / "there", *options)
    before = shape(there)
    assert answer(there, "--fetch")["covered"]
    assert shape(there) == before


def shape(repo):
    """Which commits are here, and where history is cut."""
    shallow = repo.path / ".git" / "shallow"
    return (
        repo.git("rev-list", "--count", "HEAD"),
        shallow.read_text() if shallow.exists() else None,
    )


def test_a_remote_that_cannot_be_reached(here, hub):
    """It is said, and what is here still answers."""
    here.git("remote", "set-url", "origin", "file:///nowhere/at/all.git")
    ran = verify(here, "--fetch")
    assert ran.code == 1
    assert "the notes could not be fetched" in ran.err
    cover(here)
    assert verify(here, "--fetch").code == 0


def pull_request(here, hub, tmp_path, *, policy=GATE, base_moves=False, options=("--depth=2",)):
    """A pull request as CI checks it out: the merge of main and topic, alone in a clone.

    Returns the clone and what GitHub says in the environment.
    """
    here.write({"pyproject.toml": policy})
    here.commit("policy")
    push(here)
    here.git("checkout", "--quiet", "-b", "topic")
    here.write({"agent.py": "topic\n"})
    topic = here.commit("topic")
    cover(here)
    here.git("checkout", "--quiet", "-b", "trunk", "HEAD~1")
    if base_moves:
        here.write({"other.py": "moved\n"})
        here.commit("moved")
        push(here)
    here.git("merge", "--quiet", "--no-ff", "--message", "merge", "topic")
    merge = here.git("rev-parse", "HEAD")
    here.git("push", "--quiet", "origin", f"{topic}:refs/heads/topic", f"{merge}:refs/pull/1/merge")
    here.git("push", "--quiet", "origin", "refs/windtunnel/notes")
    there = new_repo(tmp_path / "ci")
    there.git("remote", "add", "origin", f"file://{hub.path}")
    there.git(
        "fetch", "--quiet", *options, "origin", "+refs/pull/1/merge:refs/remotes/pull/1/merge"
    )
    there.git("checkout", "--quiet", "--detach", "refs/remotes/pull/1/merge")
    env = {
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_REF": "refs/pull/1/merge",
        "GITHUB_SHA": merge,
        "GITHUB_BASE_REF": "main",
    }
    return there, env


def test_a_merge_with_the_tree_of_its_head_is_covered(here, hub, tmp_path):
    """The base stood still, so what CI built is what was tested."""
    there, env = pull_request(here, hub, tmp_path)
    assert answer(there, "--fetch", env=env)["covered"]


def test_a_merge_that_nobody_tested(here, hub, tmp_path):
    """It has a tree of its own; the answer says so."""
    there, env = pull_request(here, hub, tmp_path, base_moves=True)
    found = answer(there, "--fetch", env=env)
    assert codes(found) == ["merge-untested", "base-moved"]
    assert found["commits"][0]["nearest"]["files"] == ["other.py"]


def test_the_head_stands_in_where_the_policy_of_the_base_says_so(here, hub, tmp_path):
    """And the answer says that, too."""
    policy = GATE + 'merge = "head"\n'
    there, env = pull_request(here, hub, tmp_path, policy=policy, base_moves=True)
    found = answer(there, "--fetch", env=env)
    assert found["covered"]
    (one,) = found["commits"]
    assert one["judged"] == there.git("rev-parse", "HEAD^2")
    assert "stands in for it" in one["remarks"][0]
    assert found["policy_from"] == there.git("rev-parse", "HEAD^1")


def test_a_failure_on_the_merge_itself_is_not_passed_over(here, hub, tmp_path):
    """Its head may be fine; what comes out of both is not."""
    policy = GATE + 'merge = "head"\n'
    there, env = pull_request(here, hub, tmp_path, policy=policy, base_moves=True)
    tree = tree_of(there)
    failing = row(tree, sweep="f" * 12, verdict="FAIL")
    file_notes(there, tree, failing, sweep("f" * 12, outcome="fail", exit_code=1))
    found = answer(there, "--fetch", env=env)
    assert codes(found)[0] == "failing-scenarios"


def test_a_clone_of_the_merge_alone(here, hub, tmp_path):
    """Without its parents nobody can say whose policy judges; --fetch brings them, beside the clone."""
    policy = GATE + 'merge = "head"\n'
    there, env = pull_request(
        here, hub, tmp_path, policy=policy, base_moves=True, options=("--depth=1",)
    )
    ran = verify(there, env=env)
    assert ran.code == 2
    assert "the base" in ran.err
    assert "wt verify --fetch" in ran.err
    before = shape(there)
    assert answer(there, "--fetch", env=env)["covered"]
    assert shape(there) == before
    assert verify(there, env=env).code == 2


def test_a_pull_request_cannot_weaken_the_gate_it_is_judged_by(here, hub, tmp_path):
    """The base asks for another runtime; the change says any will do."""
    here.write({"pyproject.toml": GATE + 'runtime = "production"\n'})
    here.commit("strict")
    push(here)
    here.git("checkout", "--quiet", "-b", "topic")
    here.write({"pyproject.toml": GATE})
    here.commit("weaker")
    cover(here)
    base = here.git("rev-parse", "HEAD~1")
    assert answer(here)["covered"]
    found = answer(here, "--policy-from", base)
    assert codes(found) == ["other-runtime"]
    assert "gate.runtime" in found["commits"][0]["remarks"][0]
    env = {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_BASE_REF": "main"}
    assert codes(answer(here, env=env)) == ["other-runtime"]


def test_a_merge_of_somebodys_own_is_not_taken_for_cis(here, hub, tmp_path):
    """Whoever may choose the first parent would choose the policy."""
    here.write({"pyproject.toml": GATE + 'runtime = "production"\n'})
    here.commit("strict")
    push(here)
    here.git("checkout", "--quiet", "-b", "weak", "HEAD~1")
    here.write({"agent.py": "weak\n"})
    here.commit("weak")
    here.git("merge", "--quiet", "--strategy=ours", "--no-ff", "--message", "mine", "@{-1}")
    cover(here)
    env = {
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_REF": "refs/pull/1/merge",
        "GITHUB_SHA": "e" * 40,
        "GITHUB_BASE_REF": "main",
    }
    assert codes(answer(here, env=env)) == ["other-runtime"]


def test_the_notes_of_a_fork_count_for_the_requests_own_commits_only(here, hub, tmp_path):
    """They are read beside the clone and leave nothing in it."""
    here.write({"pyproject.toml": GATE})
    here.commit("policy")
    push(here)
    fork = clone(hub.path, tmp_path / "fork")
    fork.git("checkout", "--quiet", "-b", "topic")
    fork.write({"agent.py": "topic\n"})
    topic = fork.commit("topic")
    cover(fork)
    cover(fork, "HEAD~1", sweep_id="b" * 12)
    there = clone(hub.path, tmp_path / "there")
    there.git("fetch", "--quiet", str(fork.path), "topic")
    url = f"file://{fork.path}"
    refs = there.git("for-each-ref")
    found = answer(there, topic, "--notes-from", url, "--policy-from", "origin/main")
    assert found["covered"]
    found = answer(there, "origin/main", "--notes-from", url, "--policy-from", "origin/main")
    assert codes(found) == ["no-notes"]
    assert there.git("for-each-ref") == refs
    ran = verify(there, topic, "--notes-from", url)
    assert ran.code == 2
    assert "--policy-from" in ran.err


def test_a_fork_cannot_take_a_failure_back(here, hub, tmp_path):
    """It may prune in its own notes; what others recorded about its commits stands."""
    fork = clone(hub.path, tmp_path / "fork")
    fork.git("checkout", "--quiet", "-b", "topic")
    fork.write({"agent.py": "topic\n"})
    topic = fork.commit("topic")
    failing = row(tree_of(fork), scenario="order_status", verdict="FAIL", sweep="f" * 12)
    there = clone(hub.path, tmp_path / "there")
    there.git("fetch", "--quiet", str(fork.path), "topic")
    file_notes(there, tree_of(fork), failing, sweep("f" * 12, outcome="fail", exit_code=1))
    cover(fork)
    with notes_of(fork).transaction("prune") as tx:
        tx.prune([line_hash(line(failing))])
    options = ("--notes-from", f"file://{fork.path}", "--policy-from", "origin/main")
    assert codes(answer(there, topic, *options)) == ["failing-scenarios"]


def test_a_fork_without_notes(here, hub, tmp_path):
    """Nothing to read is no pass, and a URL that is none is an error."""
    found = answer(here, "--notes-from", f"file://{hub.path}", "--policy-from", "HEAD")
    assert codes(found) == ["no-notes"]
    assert "there are no notes" in found["warnings"][0]
    ran = verify(here, "--notes-from", "file:///nowhere.git", "--policy-from", "HEAD")
    assert ran.code == 2
    assert "nothing could be fetched" in ran.err


HOSTILE = "x\n::error::gotcha\x1b[31m `<b>` ##[error]y | ]]>"


def hostile_repo(here):
    here.write({"agent.py": "h\n", "a:b,c%0A.py": "x\n"})
    (here.path / "::warning::f.py").write_text("x\n")
    here.git("add", "--all")
    here.git("commit", "--quiet", "--message", "::error::a title ##[x]y")
    tree = tree_of(here)
    failing = row(tree, scenario=HOSTILE, pack=HOSTILE, verdict="FAIL", sweep="f" * 12)
    file_notes(here, tree, failing, sweep("f" * 12))


def test_foreign_text_does_nothing_in_any_form(here, tmp_path):
    """Names of scenarios, files and commits are shown, never obeyed."""
    cover(here)
    hostile_repo(here)
    target = tmp_path / "summary.md"
    for form in ("text", "github"):
        ran = verify(here, "--format", form, env={"GITHUB_STEP_SUMMARY": str(target)})
        assert ran.code == 1
        assert "\x1b" not in ran.out
        assert "##[" not in ran.out
        commands = [one for one in ran.out.split("\n") if one.lstrip().startswith("::")]
        assert all(one.startswith(("::error title=", "::warning file=")) for one in commands)
        assert bool(commands) == (form == "github")
    assert "<b>" not in target.read_text().replace("`", "").split("<b>")[0]
    ET.fromstring(verify(here, "--format", "junit").out)
    assert "\\u001b" in verify(here, "--json").out


def test_folders_that_a_partial_clone_left_out(here, tmp_path):
    """Notes are fetched all the same; of an older commit it is said how git brings its folders."""
    here.git("config", "uploadpack.allowFilter", "true")
    here.git("config", "uploadpack.allowAnySHA1InWant", "true")
    cover(here)
    here.write({"below/more.py": "x\n"})
    here.commit("more")
    cover(here, sweep_id="c" * 12)
    there = clone(here.path, tmp_path / "treeless", "--filter=tree:0")
    ran = verify(there, "--fetch")
    assert ran.code == 0
    assert "warning" not in ran.err
    ran = verify(there, "HEAD~1")
    assert ran.code == 2
    (hint,) = [line.strip() for line in ran.err.split("\n") if line.startswith("  git ")]
    there.git(*hint.split(" ")[1:])
    assert verify(there, "HEAD~1").code == 0


@pytest.mark.parametrize("command", ["verify", "log"])
def test_where_nothing_was_committed_yet(repo, command):
    """There is nothing to fetch, so that is not the advice."""
    ran = wt(command, cwd=repo.path)
    assert ran.code == 2
    assert "nothing was committed yet" in ran.err
    assert "fetch" not in ran.err


def test_asked_wrongly(here, tmp_path):
    """Exit 2: an unknown commit, contradicting options, no repository, a gate that may not be."""
    ran = verify(here, "no-such-branch")
    assert (ran.code, "there is no commit 'no-such-branch'" in ran.err) == (2, True)
    assert "git fetch origin no-such-branch" in ran.err
    assert verify(here, "HEAD^{tree}").code == 2
    # A remote takes the names of branches and commits, and nothing that is reckoned from them.
    assert verify(here, "HEAD~9").err.splitlines()[-1] == "  git fetch"
    assert verify(here, "--json", "--format", "text").code == 2
    assert verify(here, "--merge").code == 2
    assert wt("verify", cwd=tmp_path).code == 2
    here.write({"pyproject.toml": GATE + 'not_under_test = ["*.toml"]\n'})
    here.commit("hides its own rules")
    ran = verify(here)
    assert ran.code == 2
    assert "takes pyproject.toml" in ran.err


def test_several_commits(here):
    """Each is answered by the name it was asked by; one that is not covered decides."""
    cover(here)
    here.write({"agent.py": "x\n"})
    here.commit("x")
    found = answer(here, "HEAD", "HEAD~1")
    assert [(one["revision"], one["covered"]) for one in found["commits"]] == [
        ("HEAD", False),
        ("HEAD~1", True),
    ]


def test_a_linked_worktree_and_a_subfolder(here, tmp_path):
    """The same answer from anywhere in a repository."""
    cover(here)
    here.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "linked"))
    assert verify(Repo(tmp_path / "linked")).code == 0
    assert wt("verify", cwd=here.path / "packs").code == 0


def test_a_repository_that_libgit2_cannot_read(tmp_path):
    """It is said, and it is no pass."""
    git(tmp_path, "init", "--quiet", "--object-format=sha256", "sha256")
    repo = Repo(tmp_path / "sha256")
    repo.write({"a": "1"})
    repo.commit("first")
    ran = verify(repo)
    assert ran.code == 2
    assert "notes cannot be kept in the repository" in ran.err


def test_notes_that_came_without_their_content(here, hub, tmp_path):
    """A filtered clone that fetched them by git alone: said, with the command that mends it."""
    hub.git("config", "uploadpack.allowFilter", "true")
    cover(here)
    push(here, "refs/windtunnel/notes")
    there = clone(hub.path, tmp_path / "there", "--filter=blob:none")
    there.git("fetch", "--quiet", "origin", SPEC)
    ran = verify(there)
    assert ran.code == 2
    assert "wt sync" in ran.err
    assert verify(there, "--fetch").code == 0


def test_a_bare_repository(here, hub):
    """A server has no working directory."""
    cover(here)
    push(here, "refs/windtunnel/notes")
    assert verify(hub, "main").code == 0


def test_a_log_of_commits_and_their_experiments(here):
    """The newest first, with the trend of each scenario below."""
    cover(here)
    here.write({"agent.py": "x\n"})
    here.commit("worse")
    tree = tree_of(here)
    failing = row(tree, verdict="FAIL", sweep="b" * 12)
    file_notes(here, tree, failing, sweep("b" * 12, outcome="fail", prediction_held=False))
    ran = wt_process("log", "--graph", cwd=here.path, env={"PYTHONIOENCODING": "utf-8"})
    assert ran.code == 0
    lines = ran.out.split("\n")
    assert lines[0].endswith("worse (not covered)")
    assert "FAIL" in lines[1]
    assert "expected pass: did not hold" in lines[1]
    assert lines[2].endswith("first (covered)")
    assert lines[5] == "orders/refund  █▁  100% -> 0%"
    ran = wt("log", "--json", "--scenario", "orders/refund", "HEAD~1..HEAD", cwd=here.path)
    (one,) = json.loads(ran.out)["commits"]
    assert (one["title"], one["rows"][0]["verdict"]) == ("worse", "FAIL")
    assert json.loads(wt("log", "--json", "--scenario=other", cwd=here.path).out)["commits"] == []
    assert wt("log", "nowhere", cwd=here.path).code == 2


def test_a_log_of_a_scenario_that_has_none_says_so(here):
    """A mistyped name would look like one that never ran."""
    cover(here)
    ran = wt("log", "--scenario", "refnd", cwd=here.path)
    assert (ran.code, ran.out) == (0, "")
    assert "no experiment with 'refnd'" in ran.err
    assert "no experiment" not in wt("log", "--scenario", "refund", cwd=here.path).err


def test_the_log_of_one_sweep_is_in_the_order_of_names(here):
    """Rows of one second have no order of their own."""
    tree = tree_of(here)
    names = ["b", "d", "a", "c"]
    rows = [row(tree, scenario=one, sweep="c" * 12, label=f"l{n}") for n, one in enumerate(names)]
    file_notes(here, tree, *rows, sweep("c" * 12))
    ran = wt("log", "--json", cwd=here.path)
    (one,) = json.loads(ran.out)["commits"]
    assert [row["scenario"] for row in one["rows"]] == sorted(names)
