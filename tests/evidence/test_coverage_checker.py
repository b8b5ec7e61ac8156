"""Coverage of commits in real repositories: which trees are looked under, and what explains a no."""

from __future__ import annotations

import pytest
from kit.evidence_rows import line, parts, regression, row, sweep
from kit.repo import git
from kit.verified_repos import agent_repo, clone, cover, file_notes, notes_of, tree_of

from wt_git import config
from wt_git.errors import ConfigurationError, GitError
from wt_git.evidence.coverage.checker import CoverageChecker
from wt_git.evidence.coverage.result import Covered, NotCovered
from wt_git.evidence.policy import Policy
from wt_git.files import append_line
from wt_git.records.fingerprint import Manifest, write_manifest

THINNING = '[tool.windtunnel.gate]\nnot_under_test = ["docs/**"]\n'
REGRESSION = '[tool.windtunnel.gate]\nrequire = "regression"\n'


@pytest.fixture
def here(tmp_path):
    return agent_repo(tmp_path / "here")


def ask(repo, revision="HEAD", *, runs_dirs=(), **options):
    notes = notes_of(repo)
    checker = CoverageChecker(notes.repository, notes.view(), runs_dirs=runs_dirs)
    return checker.commit(repo.git("rev-parse", revision), **options)


def codes(answer):
    assert isinstance(answer, NotCovered)
    return [reason.code for reason in answer.reasons]


def test_nothing_recorded_nothing_fetched(here):
    """That there are no notes at all is said, with the command for a first experiment."""
    answer = ask(here)
    assert codes(answer) == ["no-notes"]
    assert answer.reasons[0].hints == ("wt run --pack=PACK --runtime=RUNTIME",)


def test_evidence_is_found_by_tree(here):
    """So an amended message, or a revert to the same content, is covered as before."""
    cover(here)
    assert isinstance(ask(here), Covered)
    here.git("commit", "--quiet", "--amend", "--message", "another message")
    assert isinstance(ask(here), Covered)
    here.write({"agent.py": "other\n"})
    here.commit("changed")
    assert isinstance(ask(here), NotCovered)
    here.git("revert", "--no-edit", "HEAD")
    assert isinstance(ask(here), Covered)


EDITS = {
    "one byte": lambda repo: repo.write({"agent.py": "print('ho')\n"}),
    "a mode": lambda repo: (repo.path / "agent.py").chmod(0o755),
    "a rename": lambda repo: repo.git("mv", "agent.py", "agent2.py"),
    "a new file": lambda repo: repo.write({"agent.cfg": "x\n"}),
    "a deletion": lambda repo: repo.git("rm", "--quiet", "agent.py"),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_an_edit_voids_it_and_is_named(here, edit):
    """The refusal names exactly the files that differ from the nearest evidence."""
    cover(here)
    edit(here)
    here.commit("edited")
    answer = ask(here)
    assert codes(answer) == ["stale-evidence"]
    changed = here.git("diff", "--name-only", "--no-renames", "HEAD~1", "HEAD").split("\n")
    assert sorted(answer.nearest.differing) == sorted(changed)
    assert all(name in answer.reasons[0].message for name in changed)
    assert answer.nearest.found_at == here.git("rev-parse", "HEAD~1")


def test_the_nearest_is_the_one_with_the_fewest_files(here):
    """Whichever branch it is on, and of two alike the later commit."""
    cover(here)
    here.git("checkout", "--quiet", "-b", "other")
    here.write({"a.py": "a\n", "b.py": "b\n"})
    here.commit("two more")
    cover(here, sweep_id="b" * 12)
    here.write({"a.py": "c\n"})
    here.commit("one edited")
    assert ask(here).nearest.differing == ("a.py",)
    here.git("checkout", "--quiet", "--detach", "HEAD~2")
    here.write({"a.py": "a\n"})
    here.commit("elsewhere")
    assert ask(here).nearest.differing == ("a.py",)


def test_of_two_alike_the_later_experiment_is_the_nearest(here, tmp_path):
    """Somebody ran it with a new file beside, and then committed without: that file is the news."""
    for number in range(30):  # in a repository that has been used for a while
        here.write({"agent.py": f"{number}\n"})
        here.commit(f"edit {number}")
        cover(here, sweep_id=f"{number:012x}")
    base = tree_of(here)
    here.write({"agent.py": "edited\n"})
    here.commit("edited")
    now, runs = here.git("rev-parse", "HEAD:agent.py"), tmp_path / "runs"
    runs.mkdir()
    write_manifest(runs, "7" * 40, Manifest(base, {"agent.py": now, "extra.txt": "9" * 40}))
    later = row("7" * 40, ts="2026-01-03T00:00:00Z")
    append_line(runs / "ledger.ndjsonl", line(later).decode(), durable=False)
    answer = ask(here, runs_dirs=(runs,))
    assert answer.nearest.differing == ("extra.txt",)
    assert codes(answer) == ["stale-evidence"], "the base is the same"


def test_evidence_of_a_branch_that_is_no_ancestor_is_found_too(here):
    """A squashed branch leaves its trees behind."""
    here.git("checkout", "--quiet", "-b", "topic")
    here.write({"agent.py": "new\n"})
    topic = here.commit("topic")
    cover(here, topic)
    here.git("checkout", "--quiet", "-b", "main2", "HEAD~1")
    here.write({"agent.py": "new\n", "late.py": "x\n"})
    here.commit("squashed and more")
    assert ask(here).nearest.differing == ("late.py",)


def test_a_squash_merge_on_a_base_that_moved(here):
    """What the commit changes was tested, on another base: an answer of its own."""
    here.git("checkout", "--quiet", "-b", "topic")
    here.write({"agent.py": "new\n"})
    cover(here, here.commit("topic"))
    here.git("checkout", "--quiet", "-b", "trunk", "HEAD~1")
    here.write({"other.py": "moved\n"})
    here.commit("the base moves")
    here.git("merge", "--quiet", "--squash", "topic")
    here.commit("squashed")
    answer = ask(here)
    assert codes(answer) == ["base-moved"]
    assert answer.nearest.differing == ("other.py",)


def test_what_came_later_is_no_base_that_moved(here):
    """Somebody asks about a commit in the middle, whose successor was tested."""
    here.write({"agent.py": "one\n"})
    here.commit("one")
    here.write({"later.py": "x\n"})
    here.commit("two")
    cover(here)
    answer = ask(here, "HEAD~1")
    assert answer.nearest.differing == ("later.py",)
    assert codes(answer) == ["stale-evidence"]


def test_a_squash_merge_with_the_same_content_stays_covered(here):
    """The base stood still, so the tree is the one that was tested."""
    trunk = here.git("symbolic-ref", "--short", "HEAD")
    here.git("checkout", "--quiet", "-b", "topic")
    here.write({"agent.py": "new\n"})
    here.commit("one")
    here.write({"agent.py": "newer\n"})
    cover(here, here.commit("two"))
    here.git("checkout", "--quiet", trunk)
    here.git("merge", "--quiet", "--squash", "topic")
    here.commit("squashed")
    assert isinstance(ask(here), Covered)


def thinned(repo):
    """The tree of HEAD without docs, as git itself makes it."""
    repo.git("rm", "-r", "--cached", "--quiet", "docs")
    tree = repo.git("write-tree")
    repo.git("reset", "--quiet")
    return tree


def test_paths_that_no_experiment_depends_on(here):
    """A page is edited after the experiment: covered, by the tree without pages."""
    here.write({"pyproject.toml": THINNING})
    here.commit("policy")
    tree, thin = tree_of(here), thinned(here)
    one = row(tree, experiment={"tree_under_test": thin})
    file_notes(here, tree, one, sweep())
    file_notes(here, thin, one, sweep())
    here.write({"docs/a.md": "typo fixed\n"})
    here.commit("docs")
    answer = ask(here)
    assert isinstance(answer, Covered)
    assert answer.thinned
    here.write({"agent.py": "edited\n"})
    here.commit("code")
    assert codes(ask(here)) == ["stale-evidence"]
    assert ask(here).nearest.differing == ("agent.py",)


def test_a_failure_on_the_thinned_tree_speaks_against_the_commit(here):
    """The same experiment after a page was edited is about the same thing."""
    here.write({"pyproject.toml": THINNING})
    here.commit("policy")
    tree, thin = tree_of(here), thinned(here)
    file_notes(here, tree, row(tree, experiment={"tree_under_test": thin}), sweep())
    failing = row(
        "3" * 40,
        sweep="b" * 12,
        scenario="order_status",
        verdict="FAIL",
        experiment={"tree_under_test": thin},
    )
    file_notes(here, thin, failing, sweep("b" * 12))
    assert codes(ask(here)) == ["failing-scenarios"]


def test_a_commit_cannot_leave_out_more_than_its_judge_does(here):
    """Weakening in one step: the change itself says that code is not under test.

    Evidence is filed under the thinned tree while the code was another.
    """
    before = config.parse(b"", "before")
    here.write({"pyproject.toml": '[tool.windtunnel.gate]\nnot_under_test = ["agent.py"]\n'})
    here.commit("agent.py is not under test")
    here.git("rm", "--cached", "--quiet", "agent.py")
    thin = here.git("write-tree")
    here.git("reset", "--quiet")
    file_notes(here, thin, row("3" * 40, experiment={"tree_under_test": thin}), sweep())
    own = ask(here)
    assert isinstance(own, Covered)
    answer = ask(here, policy=Policy(), before=before)
    assert isinstance(answer, NotCovered)
    assert "gate.not_under_test: none -> agent.py" in " ".join(answer.remarks)


def test_weakening_in_two_steps(here):
    """The first commit weakens the gate, the second relies on it; the old policy judges both."""
    strict = config.parse(b'[tool.windtunnel.gate]\nruntime = "production"\n', "old tip")
    here.write({"pyproject.toml": '[tool.windtunnel.gate]\nruntime = "my_runtime"\n'})
    here.commit("weaker")
    here.write({"agent.py": "worse\n"})
    here.commit("relies on it")
    cover(here, "HEAD~1")
    cover(here)
    for revision in ("HEAD~1", "HEAD"):
        assert isinstance(ask(here, revision), Covered)
        answer = ask(here, revision, policy=Policy(strict.gate), before=strict)
        assert codes(answer) == ["other-runtime"]
        assert "gate.runtime: production -> my_runtime" in " ".join(answer.remarks)


def test_tracked_compiled_files(here):
    """No snapshot has them, so evidence stands under the tree without them."""
    tree = tree_of(here)
    here.write({"lib/x.pyc": b"\0", "y.pyo": b"\0"})
    here.commit("compiled")
    file_notes(here, tree, row(tree), sweep())
    answer = ask(here)
    assert isinstance(answer, Covered)
    assert not answer.thinned


def test_lines_filed_under_a_foreign_tree(here):
    """Evidence for one commit is copied under another's tree."""
    good = tree_of(here)
    cover(here)
    here.write({"agent.py": "untested\n"})
    here.commit("untested")
    file_notes(here, tree_of(here), row(good, sweep="b" * 12), sweep("b" * 12))
    answer = ask(here)
    assert codes(answer) == ["stale-evidence"]
    assert answer.skipped == {"another-tree": 1}
    assert "another-tree" in " ".join(answer.remarks)


def test_starting_over_in_a_fresh_runs_directory_buys_nothing(here):
    """A baseline regression counts only where nothing below it has evidence for the target."""
    here.write({"pyproject.toml": REGRESSION})
    here.commit("policy")
    tree = tree_of(here)
    file_notes(here, tree, *regression(tree, earned_by=None, baseline=True))
    assert isinstance(ask(here), Covered)
    cover(here, "HEAD~1", sweep_id="b" * 12)
    assert codes(ask(here)) == ["regression-not-earned"]


def first_regression_on(repo, below):
    """The commit of REGRESSION's policy on a root commit with the tree `below`, and its evidence."""
    root = repo.git("commit-tree", "-m", "below", below)
    repo.write({"pyproject.toml": REGRESSION})
    repo.git("add", "--all")
    commit = repo.git("commit-tree", "-p", root, "-m", "next", repo.git("write-tree"))
    tree = tree_of(repo, commit)
    file_notes(repo, tree, *regression(tree, earned_by=None, baseline=True))
    return commit


def test_starting_over_where_compiled_files_are_tracked(here):
    """Evidence for the commit below stands under its tree without them, and counts all the same."""
    cleaned = tree_of(here)
    here.write({"lib/x.pyc": b"\0"})
    here.commit("compiled")
    next_one = first_regression_on(here, tree_of(here))
    assert isinstance(ask(here, next_one), Covered)
    file_notes(here, cleaned, row(cleaned, sweep="b" * 12), sweep("b" * 12))
    assert codes(ask(here, next_one)) == ["regression-not-earned"]


def test_starting_over_after_a_page_was_edited(here):
    """What the commit below leaves out of what is under test is its own to say."""
    here.write({"pyproject.toml": THINNING})
    here.commit("policy")
    tree, thin = tree_of(here), thinned(here)
    here.write({"docs/a.md": "typo\n"})
    here.commit("docs")
    next_one = first_regression_on(here, tree_of(here))
    assert isinstance(ask(here, next_one), Covered)
    one = row(tree, sweep="b" * 12, experiment={"tree_under_test": thin})
    file_notes(here, thin, one, sweep("b" * 12))
    assert codes(ask(here, next_one)) == ["regression-not-earned"]


def test_a_first_regression_is_not_earlier_than_itself(here):
    """An empty commit, or one that edits what is not under test, stands on the same regression."""
    here.write({"pyproject.toml": THINNING + 'require = "regression"\n'})
    here.commit("policy")
    tree, thin = tree_of(here), thinned(here)
    records = regression(tree, earned_by=None, tree_under_test=thin)
    file_notes(here, tree, *records)
    file_notes(here, thin, *records)
    here.git("commit", "--quiet", "--allow-empty", "--message", "nothing")
    assert isinstance(ask(here), Covered)
    here.write({"docs/a.md": "typo\n"})
    here.commit("docs")
    assert isinstance(ask(here), Covered)


def test_evidence_for_another_target_does_not_end_a_beginning(here):
    """Each target has its first regression."""
    here.write({"pyproject.toml": REGRESSION})
    here.commit("policy")
    tree, below = tree_of(here), tree_of(here, "HEAD~1")
    file_notes(here, tree, *regression(tree, earned_by=None))
    other = row(below, sweep="b" * 12, fingerprint_parts=parts(below, target="elsewhere"))
    file_notes(here, below, other, sweep("b" * 12))
    assert isinstance(ask(here), Covered)


def test_where_history_is_cut_a_first_regression_is_undecided(here, tmp_path):
    """Which is not a pass."""
    here.write({"pyproject.toml": REGRESSION})
    here.commit("policy")
    tree = tree_of(here)
    file_notes(here, tree, *regression(tree, earned_by=None))
    shallow = clone(here.path, tmp_path / "shallow", "--depth=1")
    shallow.git("fetch", "--quiet", "origin", "refs/windtunnel/*:refs/windtunnel/*")
    assert codes(ask(shallow)) == ["history-cut"]


def test_a_shallow_clone_finds_evidence_by_tree(here, tmp_path):
    """And says that it cannot look back where it finds none."""
    here.write({"agent.py": "two\n"})
    here.commit("two")
    cover(here)
    shallow = clone(here.path, tmp_path / "shallow", "--depth=1")
    shallow.git("fetch", "--quiet", "origin", "refs/windtunnel/*:refs/windtunnel/*")
    assert isinstance(ask(shallow), Covered)
    shallow.write({"agent.py": "three\n"})
    shallow.commit("three")
    assert codes(ask(shallow)) == ["stale-evidence"]


def test_the_ledger_explains_what_the_notes_do_not_know(here, tmp_path):
    """A listing of the runs directory names files of a state that was never committed."""
    runs = tmp_path / "runs"
    runs.mkdir()
    base, tree = tree_of(here), "7" * 40
    write_manifest(runs, tree, Manifest(base, {"agent.py": "8" * 40, "gone.py": "9" * 40}))
    append_line(runs / "ledger.ndjsonl", line(row(tree)).decode(), durable=False)
    here.write({"new.py": "x\n"})
    here.commit("new")
    answer = ask(here, runs_dirs=(runs,))
    assert answer.nearest.differing == ("agent.py", "gone.py", "new.py")
    assert codes(answer) == ["no-notes", "stale-evidence"]


def test_a_tree_that_is_about_to_be_committed(here):
    """It is judged as the commit of it would be."""
    here.write({"agent.py": "staged\n"})
    here.git("add", "agent.py")
    tree = here.git("write-tree")
    notes = notes_of(here)
    checker = CoverageChecker(notes.repository, notes.view())
    parent = here.git("rev-parse", "HEAD")
    settings = config.Settings()
    assert isinstance(checker.tree(tree, settings, parents=[parent]), NotCovered)
    file_notes(here, tree, row(tree), sweep())
    checker = CoverageChecker(notes.repository, notes.view())
    assert isinstance(checker.tree(tree, settings, parents=[parent]), Covered)


def test_a_commit_that_is_not_here(here):
    """It is an error that names it, not a no."""
    with pytest.raises(GitError, match="f" * 40):
        ask(here, "f" * 40)


def test_a_gate_that_may_not_be(here):
    """A commit whose own tables are refused is an error by name."""
    here.write({"pyproject.toml": "[tool.windtunnel.gate]\nrequires = 1\n"})
    here.commit("misspelt")
    with pytest.raises(ConfigurationError, match="did you mean require"):
        ask(here)


def test_a_gate_behind_a_link_is_refused(here):
    """The text of a link is no policy, and its absence would be the weakest."""
    here.write({"policy.toml": REGRESSION})
    (here.path / "pyproject.toml").symlink_to("policy.toml")
    here.commit("linked")
    with pytest.raises(GitError, match=r"pyproject\.toml"):
        ask(here)


def test_nothing_in_the_repository_changes(here):
    """Asking is reading."""
    cover(here)
    here.write({"agent.py": "x\n"})
    here.commit("x")
    before = snapshot(here.path / ".git")
    ask(here)
    assert snapshot(here.path / ".git") == before


def snapshot(folder):
    return {p: p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_notes_of_a_remote_count_as_those_that_were_recorded_here(here, tmp_path):
    """What git fetched stands beside the live ref; both are read."""
    cover(here)
    other = clone(here.path, tmp_path / "other")
    spec = "+refs/windtunnel/notes*:refs/windtunnel/remotes/origin/notes*"
    git(other.path, "fetch", "--quiet", "origin", spec)
    assert isinstance(ask(other), Covered)
