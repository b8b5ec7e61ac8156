"""Whether a commit is covered: rules on rows and notes written as literals."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.evidence_rows import (
    EARNING,
    OTHER_TREE,
    SWEEP,
    TREE,
    line,
    note,
    notes,
    parts,
    regression,
    row,
    sweep,
)

from wt_git.config import Gate
from wt_git.evidence.coverage.evidence_trees import EvidenceTree
from wt_git.evidence.coverage.result import Covered, NotCovered
from wt_git.evidence.coverage.rules import CommitEvidence, EarlierEvidence, check_coverage
from wt_git.evidence.policy import Policy
from wt_git.git.path_patterns import PathPatterns

if TYPE_CHECKING:
    import random

ANY = Policy()
REGRESSION = Policy(Gate(require="regression"))


def ask(under_tree, policy=ANY, *, keys=None, earlier=EarlierEvidence.CUT, also=None):
    filed = CommitEvidence(
        commit="c" * 40,
        trees=keys or [EvidenceTree(TREE)],
        notes={TREE: under_tree, **(also or {})},
        earlier=lambda _: earlier,
    )
    return check_coverage(filed, policy)


def codes(answer):
    assert isinstance(answer, NotCovered)
    return [reason.code for reason in answer.reasons]


def test_a_focused_pass_on_the_tree_covers():
    """The answer names the sweep, the row and who was asked."""
    answer = ask(notes(row(), sweep()))
    assert isinstance(answer, Covered)
    assert answer.sweeps == (SWEEP,)
    assert [one.name for one in answer.rows] == ["orders/refund"]
    assert [one.model for one in answer.agents] == ["small"]


def test_no_notes_on_the_tree_cover_nothing():
    """Missing data is a reason of its own."""
    assert codes(ask({})) == ["no-evidence"]


def row_with(**experiment):
    return row(experiment=experiment)


def snapshot(**changed):
    base = {"method": "git", "absent": [], "dirty_submodules": [], "hidden_edits": [], "ignored": 0}
    return {**base, **changed}


NOT_COUNTING = {
    "a failure": [row(verdict="FAIL"), sweep()],
    "an invalid experiment": [row(verdict="INVALID"), sweep()],
    "a pass that counts as a failure": [row_with(counts_as_failure=True), sweep()],
    "variance without a single pass": [row(verdict="PASS_WITH_VARIANCE", passed=0), sweep()],
    "a probe": [row(tier="probe"), sweep()],
    "a tier that nobody knows": [row(tier="smoke"), sweep()],
    "a sweep without a record": [row()],
    "a sweep that was aborted": [row(), sweep(status="aborted")],
    "a sweep that was interrupted": [row(), sweep(status="interrupted")],
    "a row that was interrupted": [row_with(interrupted=True), sweep()],
    "a sweep cut by its budget": [row(), sweep(budget_exhausted=True)],
    "a row cut by its budget": [row_with(budget_exhausted=True), sweep()],
    "two records of a sweep, one of them bad": [row(), sweep(), sweep(status="error")],
    "a second record that cannot be read": [row(), sweep(), sweep(status=None)],
    "files that were not on disk": [row_with(snapshot=snapshot(absent=["model.bin"])), sweep()],
    "a dirty submodule": [row_with(snapshot=snapshot(dirty_submodules=["lib"])), sweep()],
    "edits that git was told to pass over": [
        row_with(snapshot=snapshot(hidden_edits=["a.py"])),
        sweep(),
    ],
    "a source outside the tree": [row_with(sources={"soul": "outside"}), sweep()],
    "a source above the tree": [row_with(sources={"soul": "../soul.md"}), sweep()],
    "a source that is absolute": [row_with(sources={"soul": "/etc/soul.md"}), sweep()],
    "the runtime without an agent": [
        row(fingerprint_parts=parts(runtime="in_memory", target="in_memory")),
        sweep(),
    ],
    "the target without an agent": [row(fingerprint_parts=parts(target="in_memory|x")), sweep()],
}


@pytest.mark.parametrize("records", NOT_COUNTING.values(), ids=NOT_COUNTING)
def test_what_does_not_count_covers_nothing(records):
    """One row alone, wrong in one respect."""
    assert isinstance(ask(notes(*records)), NotCovered)


@pytest.mark.parametrize("records", NOT_COUNTING.values(), ids=NOT_COUNTING)
def test_what_does_not_count_satisfies_no_regression_either(records):
    """The same under the stricter rule, though the row claims to be a regression's."""
    made = [one | {"tier": "regression"} if "kind" in one else one for one in records]
    assert isinstance(ask(notes(*made), REGRESSION, earlier=EarlierEvidence.NONE), NotCovered)


def deep(levels):
    text = line(row()).decode()
    return text.replace('"runs": 3', '"runs": 3, "x": ' + "[" * levels + "]" * levels).encode()


UNREADABLE = {
    "not JSON": b"{",
    "not an object": b"[1]",
    "not UTF-8": line(row()).replace(b"refund", b"\xff"),
    "a key twice": line(row()).replace(b'"runs": 3', b'"runs": 3, "verdict": "PASS"'),
    "a key twice, deep inside": line(row()).replace(
        b'"tier": "focused"', b'"tier": "focused", "tier": "focused"'
    ),
    "longer than any row": line(row(label="x" * 70_000)),
    "nested too deep": deep(30_000),
    "a number without end": line(row()).replace(b'"runs": 3', b'"runs": ' + b"9" * 5000),
    "not a number": line(row()).replace(b'"runs": 3', b'"runs": NaN'),
    "a flag that is a word": line(row_with(counts_as_failure="false")),
    "a count that is a flag": line(row(passed=True)),
    "no snapshot": line(row_with(snapshot=None)),
    "half a surrogate pair": line(row(scenario="\ud800")),
    "a newer ledger": line(row(windtunnel_ledger=2)),
    "an older ledger": line(row(windtunnel_ledger=0)),
    "another sweep's": line(row(sweep=EARNING)),
    "filed under a foreign tree": line(row(OTHER_TREE)),
    "parts that hash to something else": line(row_with(fingerprint="sha256:" + "0" * 64)),
    "parts that are not eight": line(row_with(fingerprint_parts={"git_tree": TREE})),
    "a snapshot that failed": line(row_with(fingerprint="snapshot-failed")),
    "code that changed meanwhile": line(row_with(fingerprint="changed-during-sweep")),
    "a tree claimed beside the hash": line(row(OTHER_TREE, experiment={"tree_under_test": TREE})),
}


@pytest.mark.parametrize("raw", UNREADABLE.values(), ids=UNREADABLE)
def test_a_line_that_cannot_be_read_covers_nothing(raw):
    """Whoever filed it; and with a good line beside it, the good one still counts."""
    answer = ask({SWEEP: note(raw, sweep())})
    assert codes(answer) == ["no-evidence"]
    assert isinstance(ask({SWEEP: note(raw, sweep(), row())}), Covered)


@pytest.mark.parametrize(
    "name", [name for name in UNREADABLE if name != "a tree claimed beside the hash"]
)
def test_skipped_lines_are_counted_aloud(name):
    """By what was wrong with them."""
    answer = ask({SWEEP: note(UNREADABLE[name], sweep(), row())})
    assert sum(answer.skipped.values()) == 1


def test_one_scenario_failing_beside_anothers_pass():
    """The pass does not cover what failed, whichever came first."""
    failing = row(scenario="order_status", verdict="FAIL", sweep=EARNING)
    answer = ask(notes(row(), sweep(), failing, sweep(EARNING, outcome="fail", exit_code=1)))
    assert codes(answer) == ["failing-scenarios"]
    assert "orders/order_status" in answer.reasons[0].message


def test_the_same_name_in_another_pack_answers_for_nothing():
    """A scenario is its pack and its name."""
    failing = row(pack="billing", verdict="FAIL", sweep=EARNING)
    assert codes(ask(notes(row(), sweep(), failing, sweep(EARNING)))) == ["failing-scenarios"]


@pytest.mark.parametrize("failed_first", [True, False])
def test_pass_and_fail_of_one_scenario_are_variance(failed_first):
    """Covered in whatever order they came, and the answer names the failing row."""
    times = ("2026-01-01T00:00:00Z", "2026-01-03T00:00:00Z")
    failed, passed = times if failed_first else times[::-1]
    failing = row(verdict="FAIL", sweep=EARNING, ts=failed)
    answer = ask(notes(failing, sweep(EARNING), row(ts=passed), sweep()))
    assert isinstance(answer, Covered)
    assert [one.sweep_id for one in answer.failing_rows] == [EARNING]


NO_ANSWER = {
    "a probe that passed": [row(tier="probe", sweep=EARNING), sweep(EARNING, tier="probe")],
    "a pass of a sweep that was aborted": [row(sweep=EARNING), sweep(EARNING, status="aborted")],
    "a pass without the record of its sweep": [row(sweep=EARNING)],
    "a fail that does not count as one": [
        row(verdict="FAIL", sweep=EARNING, experiment={"counts_as_failure": False}),
        sweep(EARNING, outcome="fail", exit_code=1),
    ],
}


@pytest.mark.parametrize("records", NO_ANSWER.values(), ids=NO_ANSWER)
def test_a_failure_is_answered_only_by_a_row_that_counts(records):
    """A row of the same scenario that merely does not fail leaves the failure open."""
    failing = [row(verdict="FAIL", sweep="d" * 12), sweep("d" * 12, outcome="fail", exit_code=1)]
    other = [row(scenario="order_status"), sweep()]
    answer = ask(notes(*failing, *records, *other))
    assert codes(answer) == ["failing-scenarios"]
    assert "orders/refund" in answer.reasons[0].message


def test_what_failed_is_said_once():
    """A first regression with a failure: what lacks is a pass of that scenario, and nothing else."""
    failing = row(verdict="FAIL", tier="regression", scenario="order_status")
    ended = sweep(tier="regression", scenarios=2, outcome="fail", exit_code=1)
    answer = ask(notes(row(tier="regression"), failing, ended))
    assert codes(answer) == ["failing-scenarios"]
    assert [hint.count("--scenario=order_status") for hint in answer.reasons[0].hints] == [1]


def test_each_row_that_does_not_count_is_named_with_its_flaw():
    """The first few of them."""
    names = [f"s{number}" for number in range(7)]
    rows = [row(scenario=name, tier="probe") for name in names]
    answer = ask(notes(*rows, sweep(tier="probe", scenarios=7)))
    assert codes(answer) == ["nothing-counts"]
    assert "'orders/s0': its tier is 'probe'; 'orders/s1': " in answer.reasons[0].message
    assert answer.reasons[0].message.endswith("; and 2 more")


def test_a_failed_probe_speaks_against_the_tree_too():
    """A probe proves nothing by passing, but what failed in it failed."""
    probe = row(verdict="FAIL", tier="probe", scenario="order_status", sweep=EARNING)
    assert codes(ask(notes(row(), sweep(), probe, sweep(EARNING)))) == ["failing-scenarios"]


def test_a_transport_only_fail_neither_covers_nor_stands_in_the_way():
    """Such packs say nothing of the model; their rows do not count as failures."""
    transport = row(
        verdict="FAIL", scenario="ping", sweep=EARNING, experiment={"counts_as_failure": False}
    )
    alone = notes(transport, sweep(EARNING))
    assert codes(ask(alone)) == ["nothing-counts"]
    assert isinstance(ask(notes(row(), sweep(), transport, sweep(EARNING))), Covered)


def test_rows_against_other_runtimes_count_in_neither_direction():
    """A policy that names a runtime asks about that one."""
    policy = Policy(Gate(runtime="my_runtime"))
    other = row(
        verdict="FAIL", sweep=EARNING, fingerprint_parts=parts(runtime="staging", target="staging")
    )
    assert isinstance(ask(notes(row(), sweep(), other, sweep(EARNING)), policy), Covered)
    answer = ask(notes(other, sweep(EARNING)), policy)
    assert codes(answer) == ["other-runtime"]
    assert f"--runtime={policy.gate.runtime or 'RUNTIME'} " in answer.reasons[0].hints[0]


@pytest.mark.parametrize("name", ["my_runtime", parts()["target"]])
def test_the_policy_names_runtime_or_target(name):
    """Literally; nothing is resolved."""
    assert isinstance(ask(notes(row(), sweep()), Policy(Gate(runtime=name))), Covered)
    assert codes(ask(notes(row(), sweep()), Policy(Gate(runtime=f"{name} ")))) == ["other-runtime"]


def test_the_runtime_without_an_agent_counts_where_it_is_named():
    """For repositories that test the bench itself."""
    made = notes(row(fingerprint_parts=parts(runtime="in_memory", target="in_memory")), sweep())
    assert isinstance(ask(made, Policy(Gate(runtime="in_memory"))), Covered)


def test_a_model_that_the_policy_forbids():
    """Its label is compared with the list of the row's tier, and unknown is not on any list."""
    policy = Policy(models={"focused": ("large",)})
    assert codes(ask(notes(row(), sweep()), policy)) == ["nothing-counts"]
    unknown = row(fingerprint_parts=parts(model=None))
    assert codes(ask(notes(unknown, sweep()), policy)) == ["nothing-counts"]
    large = row(fingerprint_parts=parts(model="large"))
    assert isinstance(ask(notes(large, sweep()), policy), Covered)


def test_packs_of_the_policy():
    """Evidence must come from one of them; their own sources may then stand anywhere."""
    outside = row_with(sources={"pack_source:x": "outside"})
    assert codes(ask(notes(outside, sweep()), ANY)) == ["nothing-counts"]
    assert isinstance(ask(notes(outside, sweep()), Policy(Gate(packs=("orders",)))), Covered)
    assert codes(ask(notes(row(), sweep()), Policy(Gate(packs=("billing",))))) == ["other-pack"]


def test_another_pack_is_named_though_some_rows_do_not_count():
    """The counting ones show that the experiment was good, and was not the wanted one."""
    wanted = Policy(Gate(packs=("billing",)))
    answer = ask(notes(row(), row(tier="probe", scenario="order_status"), sweep()), wanted)
    assert codes(answer) == ["other-pack"]
    assert answer.reasons[0].facts == ("orders",)


def test_what_a_row_does_not_name_is_unknown():
    """Its runtime, pack, model and target."""
    outside = Policy(Gate(runtime="production"))
    nameless = row(fingerprint_parts=parts(runtime=None))
    assert ask(notes(nameless, sweep()), outside).reasons[0].facts == ("unknown",)
    of_no_pack = row(pack=None, experiment={"sources": {}})
    answer = ask(notes(of_no_pack, sweep()), Policy(Gate(packs=("billing",))))
    assert answer.reasons[0].facts == ("unknown",)
    of_no_model = row(fingerprint_parts=parts(model=None))
    answer = ask(notes(of_no_model, sweep()), Policy(models={"focused": ("large", "huge")}))
    flaw = "'unknown' is no model for focused: 'large', 'huge'"
    assert answer.reasons[0].facts == (f"orders/refund: {flaw}",)
    answer = ask(notes(row(), sweep()), Policy(models={"focused": ("large",)}))
    assert answer.reasons[0].facts == ("orders/refund: 'small' is no model for focused: 'large'",)
    about = parts(target=None)
    experiment = {"earned_by": None}
    rows = [
        row(scenario=name, tier="regression", fingerprint_parts=about, experiment=experiment)
        for name in ("refund", "order_status")
    ]
    first = notes(*rows, sweep(tier="regression", scenarios=2))
    for earlier in (EarlierEvidence.SOME, EarlierEvidence.CUT):
        answer = ask(first, REGRESSION, earlier=earlier)
        assert answer.reasons[0].message.endswith(" 'unknown'")


def test_a_regression_earned_on_the_same_tree():
    """All rows count, one fingerprint, and the sweep that earned it has a focused pass here."""
    earning = [row(sweep=EARNING), sweep(EARNING)]
    answer = ask(notes(*regression(), *earning), REGRESSION)
    assert isinstance(answer, Covered)
    assert answer.sweeps == (SWEEP,)


def test_a_focused_pass_is_no_regression():
    """Where one is asked for."""
    assert codes(ask(notes(row(), sweep()), REGRESSION)) == ["no-regression"]


def test_a_regression_alone_covers_where_a_focused_experiment_would():
    """The stricter evidence satisfies the weaker rule, whole and earned."""
    earning = [row(sweep=EARNING), sweep(EARNING)]
    assert isinstance(ask(notes(*regression(), *earning)), Covered)
    assert codes(ask(notes(*regression(earned_by=EARNING)))) == ["regression-not-met"]


def changed(records, at, **of_experiment):
    one = json.loads(json.dumps(records[at]))
    one["experiment"] |= of_experiment
    return [*records[:at], one, *records[at + 1 :]]


BROKEN_REGRESSIONS = {
    "earned by nothing that is here": regression(earned_by="f" * 12),
    "earned by itself": regression(earned_by=SWEEP),
    "earned by words": regression(earned_by="the boss"),
    "failing scenarios excluded": regression(excluded_failing=["refund"]),
    "a row is missing": regression()[1:],
    "one scenario twice and another missing": [
        regression()[0],
        {**regression()[0], "ts": "2026-01-02T03:04:06Z"},
        regression()[-1],
    ],
    "a scenario could not be run": [*regression()[:-1], sweep(scenarios=2, errors=1)],
    "a scenario never started": [*regression()[:-1], sweep(scenarios=2, not_started=["x"])],
    "it failed": [*regression()[:-1], sweep(scenarios=2, outcome="fail", exit_code=1)],
    "it passed and did not exit with 0": [*regression()[:-1], sweep(scenarios=2, exit_code=1)],
    "it failed and exited with 0": [*regression()[:-1], sweep(scenarios=2, outcome="fail")],
    "cut by its budget": [*regression()[:-1], sweep(scenarios=2, budget_exhausted=True)],
    "rows about different fingerprints": [
        *regression()[:1],
        row(
            scenario="order_status",
            tier="regression",
            fingerprint_parts=parts(model="large"),
            experiment={"earned_by": EARNING},
        ),
        sweep(scenarios=2),
    ],
    "rows that disagree on what earned it": changed(regression(), 0, earned_by=None),
}


@pytest.mark.parametrize("records", BROKEN_REGRESSIONS.values(), ids=BROKEN_REGRESSIONS)
def test_a_regression_that_is_not_whole_or_not_earned(records):
    """Even with a focused pass on the tree, and where nothing earlier has evidence."""
    earning = [row(sweep=EARNING), sweep(EARNING)]
    answer = ask(notes(*records, *earning), REGRESSION, earlier=EarlierEvidence.NONE)
    assert codes(answer) == ["regression-not-met"]


def test_what_earned_a_regression_must_count_itself():
    """A probe, or a focused experiment cut short, earns nothing."""
    for tier, status in (("probe", "completed"), ("focused", "aborted")):
        earning = [row(sweep=EARNING, tier=tier), sweep(EARNING, status=status)]
        assert codes(ask(notes(*regression(), *earning), REGRESSION)) == ["regression-not-met"]


def test_a_regression_covers_the_packs_of_the_policy():
    """All of them."""
    policy = Policy(Gate(require="regression", packs=("orders", "billing")))
    earning = [row(sweep=EARNING), sweep(EARNING)]
    assert codes(ask(notes(*regression(), *earning), policy)) == ["regression-not-met"]


@pytest.mark.parametrize(
    ("earlier", "code"),
    [
        (EarlierEvidence.NONE, None),
        (EarlierEvidence.SOME, "regression-not-earned"),
        (EarlierEvidence.CUT, "history-cut"),
    ],
)
@pytest.mark.parametrize("claimed", [True, False])
def test_the_first_regression_of_a_target(earlier, code, claimed):
    """The verifier decides by history; what the record claims about it changes nothing."""
    records = regression(earned_by=None, baseline=claimed)
    answer = ask(notes(*records), REGRESSION, earlier=earlier)
    assert (codes(answer) if code else isinstance(answer, Covered)) == ([code] if code else True)


THIN = EvidenceTree(OTHER_TREE, PathPatterns(("docs/**",)))


def test_a_row_about_the_tree_without_what_is_not_under_test():
    """It counts under that tree only, and the answer says how it was found."""
    thinned = row("3" * 40, experiment={"tree_under_test": OTHER_TREE})
    made = notes(thinned, sweep())
    answer = ask({}, keys=[EvidenceTree(TREE), THIN], also={OTHER_TREE: made})
    assert isinstance(answer, Covered)
    assert answer.thinned
    assert codes(
        ask({}, keys=[EvidenceTree(TREE), EvidenceTree(OTHER_TREE)], also={OTHER_TREE: made})
    ) == ["no-evidence"]


def test_a_tree_with_evidence_of_both_kinds_was_not_only_found_thinned():
    """The remark is for evidence that is about no other tree."""
    thinned = row("3" * 40, experiment={"tree_under_test": OTHER_TREE}, sweep=EARNING)
    also = {OTHER_TREE: notes(thinned, sweep(EARNING))}
    answer = ask(notes(row(), sweep()), keys=[EvidenceTree(TREE), THIN], also=also)
    assert isinstance(answer, Covered)
    assert len(answer.rows) == 2
    assert not answer.thinned


def test_a_source_among_the_paths_that_are_left_out():
    """The pack itself must be under test, or its edits would never make evidence stale."""
    thinned = row(
        "3" * 40,
        experiment={"tree_under_test": OTHER_TREE, "sources": {"pack_source:x": "docs/pack.py"}},
    )
    answer = ask({}, keys=[EvidenceTree(TREE), THIN], also={OTHER_TREE: notes(thinned, sweep())})
    assert codes(answer) == ["nothing-counts"]


def test_a_push_that_weakens_its_own_gate():
    """Under the policy from before, what only the weaker one accepts covers nothing."""
    strict = Policy(Gate(require="regression", runtime="production"))
    made = notes(row(), sweep())
    assert isinstance(ask(made, Policy()), Covered)
    assert codes(ask(made, strict)) == ["other-runtime"]


RECORDS = [
    row(),
    row(verdict="FAIL"),
    row(verdict="PASS_WITH_VARIANCE", passed=1),
    row(scenario="order_status", verdict="FAIL"),
    row(scenario="order_status", sweep=EARNING),
    row(tier="probe", sweep=EARNING),
    row(OTHER_TREE),
    row(sweep=EARNING, fingerprint_parts=parts(model="large")),
    sweep(),
    sweep(EARNING),
    sweep(EARNING, status="aborted"),
    *regression(sweep_id="c" * 12),
]
POLICIES = [
    ANY,
    REGRESSION,
    Policy(Gate(packs=("orders",))),
    Policy(models={"focused": ("large",)}),
]
some_records = st.lists(st.sampled_from(RECORDS), max_size=8, unique_by=line)
some_policy = st.sampled_from(POLICIES)


@given(some_records, some_policy, st.randoms())
def test_the_order_of_lines_changes_nothing(records, policy, shuffler: random.Random):
    """A note is a set of lines."""
    shuffled = [*records]
    shuffler.shuffle(shuffled)
    assert ask(notes(*records), policy) == ask(notes(*shuffled), policy)


@given(some_records, some_policy)
def test_what_covers_says_a_passing_row_that_is_here(records, policy):
    """Covered is never an answer without rows, each passing, on the tree, of an ended sweep."""
    answer = ask(notes(*records), policy)
    if isinstance(answer, Covered):
        assert answer.rows
        assert all(one.passes and one.parts.git_tree == TREE for one in answer.rows)
        ended = {one["sweep_id"] for one in records if one.get("status") == "completed"}
        assert set(answer.sweeps) <= ended
    else:
        assert answer.reasons


@given(some_records, some_policy, st.sampled_from(["one", "two", "three"]))
def test_another_failure_never_makes_a_tree_covered(records, policy, name):
    """More bad news is no good news."""
    before = ask(notes(*records), policy)
    failing = row(scenario=name, verdict="FAIL", sweep="d" * 12)
    after = ask(notes(*records, failing), policy)
    assert isinstance(after, NotCovered)
    assert isinstance(before, Covered) or len(after.reasons) >= 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
PATHS = [(key,) for key in row() if key not in {"windtunnel_ledger", "sweep_id"}] + [
    ("experiment", key) for key in row()["experiment"]
]


@given(st.sampled_from(PATHS), JSON)
def test_any_value_anywhere_in_a_row_is_survived(path, value):
    """The answer is an answer, whatever stands where a row has something else."""
    made = json.loads(json.dumps(row()))
    inner = made
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    raw = json.dumps(made).encode("utf-8", "surrogatepass")
    assert isinstance(ask({SWEEP: note(raw, sweep())}), Covered | NotCovered)


@given(st.binary(max_size=200))
def test_any_bytes_are_survived(raw):
    """They are no evidence."""
    assert isinstance(ask({SWEEP: (raw, line(sweep()))}), NotCovered)
