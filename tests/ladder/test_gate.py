"""The evidence gate, sentence by sentence, and the ways around it that were tried."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import hypothesis.strategies as st
import pytest
from hypothesis import given
from kit.gate_histories import (
    EDITED,
    NOW,
    TARGET,
    History,
    artifact,
    missing,
    names,
    scenario,
    what_a_ledger_returns,
)

from wt_git import files
from wt_git.ladder.gate import Earned, Refused, decide
from wt_git.records.ledger.row import Row, read_row

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def history() -> History:
    """A ledger whose last sweep is a regression in which everything passed."""
    made = History()
    made.regression(passed="refund cancel")
    return made


@pytest.fixture
def failing() -> History:
    """A ledger whose last sweep is a regression in which `refund` failed."""
    made = History()
    made.regression(passed="cancel", failed="refund")
    return made


# Earning


def test_the_first_sweep_against_a_target_is_free_whatever_its_size():
    """It is the baseline: what is there already is measured."""
    answer = History().earned("refund cancel report")
    assert answer == Earned(earned_by=None, evidence_for=(), excluded=(), earners=())


def test_once_there_is_history_a_regression_needs_a_focused_pass_after_the_last_one(history):
    """The proof that the thing that was changed works comes before the question what else broke."""
    refused = history.refused()
    assert refused.unearned
    assert refused.missing == ()
    assert refused.last_regression is not None
    earner = history.focused("refund")
    assert history.earned().earned_by == earner


def test_history_is_any_row_of_the_target_also_one_that_was_no_regression():
    """A probe, or a focused run that failed, is history: the next regression is not the first sweep."""
    for tier in ("probe", "focused"):
        history = History()
        history.sweep(tier, {"refund": False})
        assert history.refused().unearned


def test_any_scenarios_pass_earns_also_one_that_is_not_selected(history):
    """What was changed may be tested by a scenario that the regression leaves out."""
    earner = history.focused("report")
    assert history.earned("refund cancel").earned_by == earner


def test_the_regression_records_the_last_focused_sweep_that_earned_it(history):
    """Of several it is the latest, and each scenario's latest is among the earners."""
    history.focused("refund")
    second = history.focused("refund")
    third = history.focused("cancel")
    answer = history.earned()
    assert answer.earned_by == third
    assert [row.sweep_id for row in answer.earners] == [second, third]


def test_an_earner_without_a_sweep_id_earns_and_is_not_named(history):
    """Rows of older writers may have none."""
    history.focused("refund", sweep_id=None)
    assert history.earned().earned_by is None


def test_running_everything_to_see_what_works_is_refused(history):
    """The answer is on disk already."""
    history.focused("refund", passed=False)
    assert history.refused().unearned


def test_a_regression_on_unchanged_code_is_not_earned_again(history):
    """Flakiness is a focused question."""
    history.focused("refund")
    history.regression(passed="refund cancel")
    assert history.refused().unearned


@pytest.mark.parametrize("cut", [{"x_budget_exhausted": True}, {"x_interrupted": True}, {}])
def test_every_regression_must_be_earned_afresh_by_whatever_it_came_to(history, cut):
    """A clean one, a failing one and one that was cut short all use up what was earned."""
    history.focused("refund")
    history.regression(passed="cancel", **cut)
    refused = history.refused()
    assert refused.unearned
    assert refused.stale_earner is None


def test_a_focused_pass_before_the_last_regression_does_not_earn(history):
    """Only what comes after it is about the change since."""
    history.focused("refund")
    history.regression(passed="refund")
    history.focused("cancel", passed=False)
    assert history.refused().unearned


# What counts as a focused pass


def test_a_probe_pass_does_not_count(failing):
    """It is how a fix is found, not how it is certified."""
    failing.probe("refund")
    refused = failing.refused()
    assert refused.unearned
    assert missing(refused) == ["shop/refund"]
    assert refused.missing[0].stale is None


def test_a_pass_within_a_truncated_sweep_does_not_count(failing):
    """A sweep cut short by its budget or a signal answered a smaller question than it asked."""
    failing.focused("refund", x_budget_exhausted=True)
    failing.focused("refund", x_interrupted=True)
    refused = failing.refused()
    assert missing(refused) == ["shop/refund"]
    assert refused.stale_earner is None


def test_any_change_after_the_focused_pass_however_small_invalidates_it(failing):
    """Evidence is only about what it was made on; the stale pass is kept for the explanation."""
    stale = failing.focused("refund")
    refused = failing.refused(on=EDITED)
    assert refused.unearned
    assert refused.missing[0].stale.sweep_id == stale
    assert refused.stale_earner.sweep_id == stale
    assert isinstance(failing.decide(on=NOW), Earned)


def test_an_edit_of_the_ladders_own_configuration_invalidates_it(failing):
    """The file is part of the tree like every other, so it changes the tree and nothing else."""
    failing.focused("refund")
    raised_cap = artifact(git_tree="3" * 40)
    assert missing(failing.refused(on=raised_cap)) == ["shop/refund"]


@pytest.mark.parametrize(
    "part", ["model", "soul", "agents", "plugin", "wt_version", "runtime", "git_tree"]
)
def test_a_pass_on_another_part_of_the_artifact_earns_and_answers_nothing(failing, part):
    """A small model, another prompt, a respelt runtime: each is something else under test."""
    failing.focused("refund", on=artifact(**{part: "another"}))
    refused = failing.refused()
    assert refused.unearned
    assert missing(refused) == ["shop/refund"]


def test_a_pass_on_a_tree_that_changed_while_it_ran_is_evidence_for_nothing(failing):
    """Its row has a word in place of a fingerprint, which equals nothing, itself included."""
    failing.focused("refund", x_fingerprint="changed-during-sweep")
    assert missing(failing.refused()) == ["shop/refund"]
    assert missing(failing.refused(fingerprint="changed-during-sweep")) == ["shop/refund"]


def test_two_failed_snapshots_do_not_equal_one_another(failing):
    """Nothing ties such a pass to a state of the files."""
    failing.focused("refund", x_fingerprint="snapshot-failed")
    refused = failing.refused(fingerprint="snapshot-failed")
    assert refused.unearned
    assert refused.missing[0].stale is not None


def test_a_transport_only_failure_is_a_pass_by_the_exit_codes_rule(failing):
    """Passing is what makes the sweep exit 0, whatever the verdict says about the model."""
    earner = failing.focused("refund", verdict="FAIL")
    answer = failing.earned()
    assert answer.earned_by == earner
    assert answer.earners[0].verdict == "FAIL"


def test_a_pass_that_counts_as_failure_is_none(failing):
    """A missed prompt cache can fail a row whose scenario passed."""
    failing.focused("refund", verdict="PASS", x_counts_as_failure=True)
    assert missing(failing.refused()) == ["shop/refund"]


def test_a_row_that_does_not_say_whether_it_failed_is_read_by_its_verdict(failing):
    """Older rows have the verdict alone; what is neither pass is a failure."""
    for verdict in ("FAIL", "INVALID", "anything", None):
        failing.focused("refund", verdict=verdict, x_counts_as_failure=None)
    assert missing(failing.refused()) == ["shop/refund"]
    failing.focused("refund", verdict="PASS_WITH_VARIANCE", x_counts_as_failure=None)
    assert isinstance(failing.decide(), Earned)


@pytest.mark.parametrize("version", [2, "1", 1.5, True, None])
def test_a_row_of_a_newer_ledger_may_set_history_and_fail_but_never_pass(version):
    """What its pass means is not known here."""
    history = History()
    history.focused("refund", windtunnel_ledger=version)
    assert history.refused().unearned
    history.regression(failed="refund", windtunnel_ledger=version)
    assert missing(history.refused()) == ["shop/refund"]


# Failures


def test_each_selected_scenario_that_failed_needs_a_pass_of_its_own_after_that_row(failing):
    """Another scenario's pass earns the run and says nothing about this one."""
    failing.focused("cancel")
    refused = failing.refused()
    assert not refused.unearned
    assert missing(refused) == ["shop/refund"]
    failing.focused("refund")
    assert isinstance(failing.decide(), Earned)


def test_a_pass_before_the_failing_row_answers_nothing():
    """It was true then."""
    history = History()
    history.focused("refund")
    history.regression(failed="refund")
    history.focused("cancel")
    refused = history.refused()
    assert missing(refused) == ["shop/refund"]
    assert refused.missing[0].stale is None


def test_a_later_failing_focused_run_does_not_take_a_pass_back(failing):
    """The rule asks for a pass after the failure, not for the latest word."""
    failing.focused("refund")
    failing.focused("refund", passed=False)
    assert isinstance(failing.decide(), Earned)


def test_a_regression_that_passes_later_clears_the_failure():
    """Only the most recent regression row of a scenario is asked."""
    history = History()
    history.regression(failed="refund")
    history.regression(passed="refund")
    history.focused("cancel")
    assert history.earned().evidence_for == ()


def test_scenarios_of_one_name_in_two_packs_are_two(history):
    """A scenario is identified by pack and name."""
    history.regression(failed="shop/refund", passed="desk/refund")
    history.focused("desk/refund")
    assert missing(history.refused("shop/refund desk/refund")) == ["shop/refund"]


def test_missing_scenarios_come_by_name_and_then_by_pack():
    """The order is that of the refusal's lines."""
    history = History()
    history.regression(failed="b/two a/two b/one a/three")
    refused = history.refused("b/two a/two b/one a/three")
    assert missing(refused) == ["b/one", "a/three", "a/two", "b/two"]


def test_evidence_names_the_regressions_whose_failures_were_answered():
    """In the order of the scenarios, each sweep once."""
    history = History()
    first = history.regression(failed="refund report", passed="cancel")
    second = history.regression(failed="cancel")
    for name in ("refund", "report", "cancel"):
        history.focused(name)
    assert history.earned("refund report cancel").evidence_for == (second, first)


def test_evidence_never_names_a_failure_that_was_left_out():
    """A sweep whose failure nobody answered is no evidence's subject."""
    history = History()
    history.regression(failed="refund")
    history.regression(failed="cancel")
    answered = history.regression(failed="report")
    history.focused("report")
    answer = history.earned("report other")
    assert answer.evidence_for == (answered,)
    assert names(answer.excluded) == ["shop/cancel", "shop/refund"]


def test_a_failure_can_be_left_out_and_is_recorded(failing):
    """An explicit decision not to test it."""
    failing.focused("cancel")
    answer = failing.earned("cancel other")
    assert names(answer.excluded) == ["shop/refund"]


def test_a_failure_of_a_pack_that_the_sweep_does_not_select_from_is_not_recorded(history):
    """Nobody would expect a sweep of one pack to list what another one fails at."""
    history.regression(failed="desk/triage")
    history.focused("refund")
    assert history.earned("refund cancel").excluded == ()
    assert names(history.earned("refund desk/other").excluded) == ["desk/triage"]


def test_leaving_a_failure_out_does_not_launder_it(failing):
    """It stays gated for every later regression that lets it back in."""
    failing.focused("cancel")
    failing.regression(passed="cancel other")
    failing.focused("cancel")
    assert isinstance(failing.decide("cancel other"), Earned)
    assert missing(failing.refused("cancel refund")) == ["shop/refund"]


def test_a_failure_that_a_truncated_regression_never_reached_stays_gated(failing):
    """There is no newer row of it."""
    failing.focused("refund")
    failing.regression(passed="cancel", x_budget_exhausted=True)
    failing.focused("cancel")
    answer = failing.earned("refund cancel")
    assert answer.evidence_for == (failing.records[0]["sweep_id"],)
    assert missing(failing.refused("refund cancel", on=EDITED)) == ["shop/refund"]


def test_what_errored_before_there_was_a_result_gates_nothing():
    """Such a scenario has no row: the bench failed, and the agent was not judged."""
    history = History()
    history.regression(passed="refund")  # and `cancel`, selected too, could not be run
    history.focused("refund")
    assert isinstance(history.decide("refund cancel"), Earned)


def test_when_both_rules_fail_both_are_known(failing):
    """What is printed about is the missing evidence; it earns the run as well."""
    refused = failing.refused()
    assert refused.unearned
    assert missing(refused) == ["shop/refund"]
    failing.focused("refund")
    assert isinstance(failing.decide(), Earned)


def test_a_pass_that_was_used_up_still_answers_its_failure():
    """Earning is about the last regression, a failure about the last row of its own scenario."""
    history = History()
    history.regression(failed="refund", passed="cancel")
    history.focused("refund")
    history.regression(passed="cancel report")
    refused = history.refused("refund cancel")
    assert refused.missing == ()
    assert refused.unearned


# Whose rows, and in which order


def test_rows_against_another_target_are_neither_history_nor_evidence_nor_failures():
    """A smoke run on a mock never gates a driver."""
    elsewhere = artifact(target="in_memory")
    history = History()
    history.regression(failed="refund", on=elsewhere)
    assert isinstance(history.decide(), Earned)
    history.regression(passed="refund")
    history.focused("refund", on=elsewhere, x_fingerprint=NOW.value())
    assert history.refused().unearned


def test_a_regression_of_another_target_uses_nothing_up(history):
    """Each target has a ladder of its own."""
    earner = history.focused("refund")
    history.regression(failed="refund", on=artifact(target="in_memory"))
    assert history.earned().earned_by == earner


def test_rows_without_an_experiment_or_a_target_are_nothing_at_all():
    """They are of a writer that knew no ladder."""
    history = History()
    history.regression(failed="refund", experiment=None)
    history.regression(failed="refund", x_fingerprint_parts=None)
    history.regression(failed="refund", x_fingerprint_parts={"target": None, "runtime": TARGET})
    assert isinstance(history.decide(), Earned)


def test_a_row_that_recorded_no_target_is_told_by_its_runtime():
    """The oldest rows have the runtime alone."""
    history = History()
    history.regression(failed="refund", x_fingerprint_parts={"runtime": TARGET})
    assert missing(history.refused()) == ["shop/refund"]


@pytest.mark.parametrize("scale", [-1, 0, 1])
def test_time_stamps_that_stand_still_or_run_backwards_change_nothing(scale):
    """The ledger's order counts."""
    history = History()
    history.regression(failed="refund")
    earner = history.focused("refund")
    for index, record in enumerate(history.records):
        record["ts"] = f"2026-01-02T03:04:{30 + scale * index:02d}Z"
    assert history.earned().earned_by == earner
    history.regression(passed="cancel", ts="1999-01-01T00:00:00Z")
    assert history.refused("cancel report").unearned


def test_rows_of_two_sweeps_at_once_count_in_the_order_they_were_written(history):
    """A regression and a focused sweep interleave; the pass that came in between is used up."""
    history.regression(passed="refund", sweep_id="aaaaaaaaaaaa")
    history.focused("report")
    history.regression(passed="cancel", sweep_id="aaaaaaaaaaaa")
    assert history.refused().unearned
    assert history.refused().last_regression.sweep_id == "aaaaaaaaaaaa"


def test_two_regressions_cannot_both_use_one_pass(history):
    """The second is decided on a ledger that has the rows of the first."""
    history.focused("refund")
    assert isinstance(history.decide(), Earned)
    history.regression(passed="refund")
    assert history.refused().unearned


@pytest.mark.parametrize("odd", ["\u2028", "\u2029", "\u0085", "\x0b\x0c", "\r", "\n", "\x1e"])
def test_a_line_break_of_another_kind_in_a_question_hides_no_failure(odd, tmp_path: Path):
    """Ledgers are split at line feeds and nothing else."""
    history = History()
    history.regression(failed="refund", x_question=f"does it{odd}work?")
    history.focused("cancel")
    ledger = tmp_path / "ledger.ndjsonl"
    for record in history.records:
        files.append_line(ledger, files.json_line(record), durable=False)
    raw = ledger.read_text("utf-8")
    ledger.write_text(raw.replace("\\u2028", "\u2028").replace("\\u0085", "\u0085"), "utf-8")
    read = [read_row(line.text.encode()) for line in files.read_lines(ledger)]
    answer = decide(
        [row for row in read if row is not None],
        target=TARGET,
        fingerprint=NOW.value(),
        selection=[scenario("refund"), scenario("cancel")],
    )
    assert isinstance(answer, Refused)
    assert missing(answer) == ["shop/refund"]


def test_a_ledger_may_hold_anything_at_all():
    """Values of another type are read as what they are not, and never as a pass."""
    history = History()
    history.regression(failed="refund", pack=["shop"], sweep_id={"x": 1})
    history.focused("refund", x_tier=["focused"])
    history.focused("refund", x_fingerprint=7)
    refused = history.refused()
    assert refused.unearned
    assert refused.missing == ()


# The rows that decide

_TARGETS = [TARGET, "in_memory"]
_ARTIFACTS = [NOW, EDITED]


@st.composite
def _ledgers(draw: st.DrawFn) -> list[Row]:
    history = History()
    for _ in range(draw(st.integers(0, 14))):
        about: Any = draw(st.sampled_from(_ARTIFACTS))
        tier = draw(st.sampled_from(["focused", "focused", "regression", "probe"]))
        parts = {**about.as_record(), "target": draw(st.sampled_from(_TARGETS))}
        word = draw(st.sampled_from([about.value(), about.value(), "changed-during-sweep"]))
        history.sweep(
            tier,
            {draw(st.sampled_from(["a", "b", "desk/a"])): draw(st.booleans())},
            x_fingerprint_parts=parts,
            x_fingerprint=word,
            x_budget_exhausted=draw(st.sampled_from([False, False, True])),
        )
    return history.rows()


@given(_ledgers(), st.sampled_from([*(one.value() for one in _ARTIFACTS), "snapshot-failed"]))
def test_the_latest_rows_of_each_scenario_decide_as_all_rows_do(rows, fingerprint):
    """So a big ledger answers from an index, and says the same to the last field."""
    few, has_history = what_a_ledger_returns(rows, TARGET, fingerprint)
    for selection in (["a", "b"], ["a", "desk/a"], ["b", "c"]):
        asked: dict[str, Any] = {
            "target": TARGET,
            "fingerprint": fingerprint,
            "selection": [scenario(name) for name in selection],
        }
        assert decide(few, **asked, has_history=has_history) == decide(rows, **asked)


@given(_ledgers())
def test_rows_of_other_targets_may_stand_anywhere(rows):
    """They are passed over, wherever they are."""
    own = [row for row in rows if row.target == TARGET]
    asked: dict[str, Any] = {
        "target": TARGET,
        "fingerprint": NOW.value(),
        "selection": [scenario("a"), scenario("b")],
    }
    assert decide(own, **asked) == decide(rows, **asked)
