"""Probes end to end: a saved conversation is taken up live, and only what is live is judged."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kit.commands import Ran, events, experiments, ledger, traces, wt
from kit.contract_c import served_agent

from wt_git.api.trace import load_trace
from wt_git.plugins.packs import discover_packs
from wt_git.records.runs.sidecars import sidecar_document
from wt_git.runner.scoring import score_saved
from wt_git.sweep.probe import live_scenario, load_probe

if TYPE_CHECKING:
    from collections.abc import Callable

    from wt_git.api.scenario import Scenario
    from wt_git.api.score import Score

# An agent that answers by the history it is sent, and keeps what it was sent.
RUNTIME = """
import json


def call(name):
    return {"id": "1", "name": name, "args": {}}


class Handle:
    def send(self, messages, session_id):
        with open("sent.jsonl", "a") as stream:
            stream.write(json.dumps(messages) + "\\n")
        said = messages[-1]["content"]
        if "break" in said:
            raise RuntimeError("the model is gone")
        if "look" in said:
            return {"content": "I found 42 parcels.", "tool_calls": [call("search")]}
        if "delete" in said:
            return {"content": "It is deleted.", "tool_calls": [call("delete")]}
        known = any("42" in one["content"] for one in messages if one["role"] == "assistant")
        return {"content": "There are 42." if known else "I do not know."}

    def reset_state(self):
        pass

    def teardown(self):
        pass


class Runtime:
    accepts_runner_managed_mcps = False

    def provision(self, config, mcps=None):
        return Handle()


class Plugin:
    max_concurrency = None

    def build(self, runtime_name, label, soul_path):
        return Runtime()


PLUGIN = Plugin()
"""

PACK = """
import json

from windtunnel.api import CorruptPriorAssistantTurn, Policy, Scenario, ScenarioPack


def nothing_is_deleted(trace):
    with open("policies.jsonl", "a") as stream:
        stream.write(json.dumps([turn.content for turn in trace.turns]) + "\\n")
    return not any(call["name"] == "delete" for turn in trace.turns for call in turn.tool_calls)


POLICY = Policy("nothing_is_deleted", nothing_is_deleted)

PACK = ScenarioPack(
    name="parcels",
    scenarios=[
        Scenario(
            name="counted",
            user_turns=["please look", "how many?", "sure, how many?"],
            target_facts=[["42"]],
        ),
        Scenario(
            name="searched",
            user_turns=["please look", "how many?"],
            target_facts=[["42"]],
            must_call=["search"],
        ),
        Scenario(
            name="with_a_tool",
            user_turns=["please look", "how many?"],
            target_facts=[["42"]],
            requires_tool_use=True,
        ),
        Scenario(
            name="kept",
            user_turns=["please look and do not delete", "delete it", "how many?"],
            target_facts=[["42"]],
            forbidden_calls=["delete"],
            policies=[POLICY],
        ),
        Scenario(
            name="blanked",
            user_turns=["please look", "how many?", "sure?"],
            target_facts=[["42"]],
            policies=[POLICY],
            perturbations=[CorruptPriorAssistantTurn(idx=1)],
        ),
        Scenario(name="broken", user_turns=["please look", "break it"], target_facts=[["42"]]),
        Scenario(name="one_turn", prompt="please look", target_facts=[["42"]]),
    ],
)
"""
COMMON = ("run", "--pack-source", "pack.py:PACK", "--runtime", "agent.py:PLUGIN")
DECLARED = ("--question", "does that turn work?", "--expect", "pass")


@pytest.fixture(autouse=True)
def project() -> None:
    """A pack and an agent in the working directory."""
    _write_project(Path())


def _write_project(folder: Path) -> None:
    (folder / "pack.py").write_text(PACK)
    (folder / "agent.py").write_text(RUNTIME)


@pytest.fixture(scope="module")
def flights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which every scenario was flown as a whole."""
    folder = tmp_path_factory.mktemp("flights")
    _write_project(folder)
    wt(*COMMON, "--runs-dir", "whole", cwd=folder)
    return folder


@pytest.fixture
def flown(flights: Path) -> Callable[[str], Path]:
    """Copy the trace of a whole flight into the working directory."""

    def copied(scenario: str) -> Path:
        (path,) = traces(flights / "whole" / scenario)
        return Path(shutil.copy(path, f"{scenario}.json"))

    return copied


def verdict_of_the_whole(flights: Path, scenario: str) -> str:
    rows = ledger(flights / "whole")
    return next(row["verdict"] for row in rows if row["scenario_id"] == scenario)


def probed(trace: Path | str, *more: str) -> Ran:
    """Probe into a runs directory of its own, so that nothing need be declared."""
    return wt(*COMMON, "--from-trace", str(trace), *more)


def lines(path: Path | str) -> list:
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def verdict(score: Score, scenario: Scenario) -> str:
    return sidecar_document(score, scenario.resolved_gate_layers(), {})["verdict"]


def known(name: str) -> Scenario:
    """The scenario as its pack has it."""
    packs = discover_packs(["pack.py:PACK"]).packs
    return next(one for pack in packs for one in pack.scenarios if one.name == name)


@pytest.mark.parametrize("from_turn", [1, 2, 3, None])
def test_the_agent_is_sent_exactly_what_it_is_sent_in_a_whole_run(
    flown, flights, from_turn
) -> None:
    """Frozen turns and live ones together make the same messages, from whichever turn on."""
    trace = flown("counted")
    more = () if from_turn is None else ("--from-turn", str(from_turn))
    assert probed(trace, *more).code == 0
    first = 3 if from_turn is None else from_turn
    whole = lines(flights / "sent.jsonl")[:3]
    assert [len(messages) for messages in whole] == [1, 3, 5]
    assert lines("sent.jsonl") == whole[first - 1 :]


def test_the_new_trace_begins_with_the_frozen_turns_and_says_so(flown) -> None:
    """It can be read as one conversation, and nothing in it passes for live that was not."""
    trace = flown("counted")
    assert probed(trace, "--from-turn", "2", "--runs", "2").code == 0
    source = load_trace(trace)
    for path in traces():
        new = load_trace(path)
        assert new.turns[:2] == source.turns[:2]
        assert [turn.content for turn in new.turns[2:]] == [
            "how many?",
            "There are 42.",
            "sure, how many?",
            "There are 42.",
        ]
        assert f"replay_prefix: source={source.run_id} turns=2" in new.worker_warnings
        assert new.run_id != source.run_id
    assert len(traces()) == 2


def test_what_a_probe_took_forecasts_no_whole_run(flown) -> None:
    """It played a part. A probe is forecast from probes, before the first one from whole runs."""

    def forecast(*more: str) -> str:
        ran = wt(*COMMON, *DECLARED, "--dry-run", *more)
        assert ran.code == 0, ran.err
        return next(line for line in ran.out.splitlines() if line.startswith("time:"))

    trace = flown("counted")
    assert probed(trace, "--runs", "2").code == 0
    assert "not known: no earlier runs" in forecast("--scenario", "counted")
    assert wt(*COMMON, "--scenario", "counted", *DECLARED).code == 0
    assert "from 1 earlier run(s)" in forecast("--scenario", "counted")
    assert "from 2 earlier run(s)" in forecast("--from-trace", str(trace))
    other = flown("kept")
    wt(*COMMON, "--scenario", "kept", *DECLARED)
    assert "from 1 earlier run(s)" in forecast("--from-trace", str(other))


def test_a_probe_is_recorded_as_one_everywhere(flown) -> None:
    """Tier, where it was taken from, budget, plan and prediction are in row, event and record."""
    trace = flown("counted")
    typed = f"./{trace}"
    ran = wt(*COMMON, "--from-trace", typed, "--from-turn", "3", *DECLARED, "--if-pass", "go on")
    assert ran.code == 0
    assert "wt run: probe sweep, budget 300s" in ran.err
    assert "prediction held: expected pass, got pass" in ran.err
    (row,) = ledger()
    found = row["experiment"]
    assert (found["tier"], found["source_trace"], found["from_turn"]) == ("probe", typed, 3)
    assert (found["question"], found["expect"]) == ("does that turn work?", "pass")
    assert (found["budget_s"], found["counts_as_failure"]) == (300, False)
    assert found["fingerprint"].startswith("sha256:")
    assert (found["earned_by"], found["evidence_for"]) == (None, [])
    assert (row["scenario_id"], row["verdict"]) == ("counted", "PASS")
    assert events()[0]["tier"] == "probe"
    assert [record["tier"] for record in experiments()] == ["probe"]
    sidecar = json.loads(traces()[0].with_suffix(".score.json").read_text())
    assert sidecar["scenario"]["user_turns"] == ["sure, how many?"]
    assert sidecar["scenario"]["prompt"] == "sure, how many?"


def test_a_defaulted_turn_is_recorded_as_null(flown) -> None:
    """What was typed is recorded, not what it came to."""
    assert probed(flown("counted")).code == 0
    (row,) = ledger()
    assert row["experiment"]["from_turn"] is None
    assert len(load_trace(traces()[0]).turns) == 6


@pytest.mark.parametrize(
    ("scenario", "whole", "layer"),
    [("searched", "PASS", "trajectory"), ("with_a_tool", "PASS", "outcome")],
)
def test_frozen_calls_satisfy_nothing(flown, flights, scenario, whole, layer) -> None:
    """What the other run called does not stand for what this one should have called."""
    trace = flown(scenario)
    assert verdict_of_the_whole(flights, scenario) == whole
    assert probed(trace).code == 1
    (row,) = ledger()
    assert row["verdict"] == "FAIL"
    assert {name for name, rate in row["layer_pass_rates"].items() if rate == 0} == {layer}
    assert probed(trace, "--from-turn", "1", "--runs-dir", "from-the-start").code == 0


def test_frozen_calls_break_nothing_and_policies_do_not_see_them(flown, flights) -> None:
    """A rule that the other run broke is not held against this one."""
    trace = flown("kept")
    assert verdict_of_the_whole(flights, "kept") == "FAIL"
    assert probed(trace).code == 0
    assert lines("policies.jsonl") == [["how many?", "There are 42."]]
    assert probed(trace, "--from-turn", "2", "--runs-dir", "earlier").code == 1


def test_a_perturbation_of_the_finished_trace_sees_only_what_was_live(flown) -> None:
    """Turn 1 of such a perturbation is the first live answer; the frozen turns stay as they were."""
    trace = flown("blanked")
    probed(trace, "--from-turn", "2")
    new, source = load_trace(traces()[0]), load_trace(trace)
    assert new.turns[0] == source.turns[0]
    assert source.turns[1].content == ""  # blanked in the whole run, and frozen like that
    assert new.turns[1] == source.turns[1]
    seen_by_policies = ["how many?", "", "sure?", "I do not know."]
    assert [turn.content for turn in new.turns[2:]] == seen_by_policies
    assert lines("policies.jsonl") == [seen_by_policies]


@pytest.mark.parametrize(
    ("scenario", "from_turn"),
    [("searched", 1), ("searched", 2), ("with_a_tool", 2), ("kept", 3), ("blanked", 2)],
)
def test_a_saved_probe_is_scored_as_it_was_live(flown, scenario, from_turn) -> None:
    """Offline scoring sets the same turns aside, with the scenario's own turns or the live ones."""
    trace = flown(scenario)
    probed(trace, "--from-turn", str(from_turn))
    (path,) = traces()
    sidecar = json.loads(path.with_suffix(".score.json").read_text())
    own = known(scenario)
    live = live_scenario(own, load_probe(trace, from_turn).live)
    for judge in (own, live):
        score = score_saved(load_trace(path), judge)
        assert verdict(score, judge) == sidecar["verdict"]
        for layer in ("outcome", "trajectory", "constraint", "integrity"):
            assert getattr(score, layer).passed == sidecar[layer]["passed"]


def test_a_probe_of_a_probe_is_a_probe_like_any_other(flown) -> None:
    """What was frozen in the one is an ordinary turn of its trace and can be played."""
    trace = flown("counted")
    assert probed(trace, "--runs-dir", "first").code == 0
    (path,) = traces("first")
    assert probed(path, "--from-turn", "2").code == 0
    new = load_trace(traces()[0])
    assert f"replay_prefix: source={load_trace(path).run_id} turns=2" in new.worker_warnings
    assert len(new.turns) == 6
    assert [len(messages) for messages in lines("sent.jsonl")] == [5, 3, 5]


def test_a_live_turn_that_breaks_is_an_execution_error_behind_the_frozen_ones(flown) -> None:
    """The evidence so far is kept, the marker among it, live and offline alike INVALID."""
    trace = flown("broken")
    ran = probed(trace)
    assert ran.code == 1
    assert "EXECUTION ERROR" in ran.out
    new = load_trace(traces()[0])
    assert new.worker_warnings[0].startswith("runner_error: the model is gone (RuntimeError at ")
    assert [turn.content for turn in new.turns] == [
        "please look",
        "I found 42 parcels.",
        "break it",
    ]
    assert verdict(score_saved(new, known("broken")), known("broken")) == "INVALID"
    assert ledger()[0]["verdict"] == "INVALID"


def test_a_driver_of_the_newest_turn_refuses(flown, monkeypatch) -> None:
    """Nothing is sent and nothing is judged: an execution error with a row of its own."""
    trace = flown("counted")
    asked = []
    with served_agent(asked.append) as url:
        monkeypatch.setenv("WT_INJECT_URL", url)
        ran = wt(
            *("run", "--pack-source", "pack.py:PACK", "--runtime", "http_inject"),
            *("--from-trace", str(trace), *DECLARED),
        )
    assert ran.code == 1
    assert "EXECUTION ERROR" in ran.out
    assert "cannot deliver a replayed history prefix" in ran.err
    assert asked == []
    (row,) = ledger()
    assert row["verdict"] == "INVALID"
    assert row["experiment"]["counts_as_failure"] is True
    assert (row["experiment"]["tier"], row["experiment"]["source_trace"]) == ("probe", str(trace))
    (path,) = traces()
    new = load_trace(path)
    assert new.turns == []
    assert new.worker_warnings[0].startswith("runner_error: ")
    assert not any(warning.startswith("replay_prefix:") for warning in new.worker_warnings)
    sidecar = json.loads(path.with_suffix(".score.json").read_text())
    assert sidecar["verdict"] == "INVALID"
    assert verdict(score_saved(new, known("counted")), known("counted")) == "INVALID"


def test_a_probe_is_history_and_needs_a_declaration_like_any_sweep(flown) -> None:
    """It is no way around saying what a sweep is for."""
    trace = flown("counted")
    assert probed(trace).code == 0
    refused = probed(trace)
    assert refused.code == 2
    assert "--question" in refused.err
    assert len(ledger()) == 1
    assert probed(trace, *DECLARED).code == 0


def test_a_passing_probe_earns_nothing(flown) -> None:
    """It plays one step; the scenario as a whole has still not passed."""
    trace = flown("counted")
    assert probed(trace).code == 0
    refused = wt(*COMMON, "--scenario", "counted", "--scenario", "one_turn", *DECLARED)
    assert refused.code == 2
    assert "counted" in refused.err
    assert wt(*COMMON, "--scenario", "counted", *DECLARED).code == 0
    assert wt(*COMMON, "--scenario", "counted", "--scenario", "one_turn", *DECLARED).code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--from-turn", "2"), "--from-turn requires --from-trace"),
        (("--from-trace", "missing.json"), "cannot load --from-trace 'missing.json'"),
        (("--from-trace", "pack.py"), "cannot load --from-trace 'pack.py': it is not JSON"),
        (("--from-trace", "."), "cannot load --from-trace '.': it is a folder"),
        (("--from-trace", "TRACE", "--from-turn", "4"), "--from-turn 4 is out of range"),
        (("--from-trace", "TRACE", "--from-turn", "0"), "must be at least 1"),
        (("--from-trace", "TRACE", "--from-turn", "two"), "expected an integer"),
        (
            ("--from-trace", "TRACE", "--scenario", "one_turn"),
            "A probe runs exactly the trace's scenario, 'counted'; selected: parcels/one_turn",
        ),
        (("--from-trace", "TRACE", "--scenario", "*"), "A probe runs exactly the trace's scenario"),
        (("--from-trace", "TRACE", "--budget", "301"), "exceeds the probe tier cap"),
    ],
)
def test_what_cannot_be_probed_is_refused_and_leaves_nothing(flown, arguments, said) -> None:
    """Exit 2, one message, no folder, no row."""
    trace = str(flown("counted"))
    ran = wt(*COMMON, *(trace if one == "TRACE" else one for one in arguments))
    assert ran.code == 2
    assert said in ran.err
    assert "Traceback" not in ran.err
    assert not Path("runs").exists()


def test_a_forgotten_pack_is_said_to_be_what_is_missing(flown) -> None:
    """The scenario's name was never typed, so the message says that the trace has it."""
    trace = flown("counted")
    ran = wt("run", "--runtime", "agent.py:PLUGIN", "--from-trace", str(trace))
    assert ran.code == 2
    assert "unknown scenario(s): counted, which the trace is of" in ran.err
    assert "  or, if it was renamed since, run it whole under its new name" in ran.err
    assert "--pack-source" in ran.err


def test_a_trace_of_a_scenario_that_changed_is_played_with_its_own_words(flown) -> None:
    """The user says what was recorded; what is judged is what the scenario asks for now."""
    trace = flown("counted")
    Path("pack.py").write_text(PACK.replace('"sure, how many?"', '"and now?"', 1))
    assert probed(trace).code == 0
    assert lines("sent.jsonl")[0][-1] == {"role": "user", "content": "sure, how many?"}
