"""Taking up a saved trace: what is read, which scenario it selects, where it is split."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.traces import a_trace, assistant, traces, turns, user

from wt_git.api.pack import ScenarioPack
from wt_git.api.perturbations.prior_context import InjectStaleMemory
from wt_git.api.scenario import Policy, Scenario
from wt_git.api.trace import Trace, save_trace
from wt_git.errors import UsageError
from wt_git.sweep.probe import (
    Probe,
    check_selection,
    live_scenario,
    load_probe,
    probe_selectors,
    select_probed,
)
from wt_git.sweep.selection import Selected, Selectors, select
from wt_git.sweep.trace_files import LARGEST_TRACE

THREE = a_trace(
    user("first"), assistant("one"), user("second"), assistant("two"), user("third"), assistant("3")
)


def scenario(name: str = "lookup_order") -> Scenario:
    return Scenario(name=name, prompt="its own prompt", target_facts=[["x"]])


def probe(trace: Trace, from_turn: int | None = None) -> Probe:
    return Probe(source="t.json", from_turn=from_turn, trace=trace)


def saved(trace: Trace, name: str = "t.json") -> Path:
    save_trace(trace, Path(name))
    return Path(name)


def refusal(*args, **kwargs) -> UsageError:
    """The refusal of `args[0]` called with the rest."""
    with pytest.raises(UsageError) as refused:
        args[0](*args[1:], **kwargs)
    return refused.value


# --- reading


def test_a_trace_is_read_and_its_path_kept_as_typed():
    """What goes into the records is what the person wrote, not what it resolves to."""
    saved(THREE)
    loaded = load_probe("./t.json", 2)
    assert loaded == Probe(source="./t.json", from_turn=2, trace=THREE)
    assert load_probe(Path("t.json"), None).from_turn is None


@given(traces())
def test_any_trace_that_a_run_leaves_can_be_taken_up(trace):
    """Nothing that was written is refused later."""
    assert load_probe(saved(trace), None).trace == trace


def a_folder(path: Path) -> None:
    path.mkdir()


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def nothing(path: Path) -> None:
    path.unlink(missing_ok=True)


def a_link_to_nothing(path: Path) -> None:
    path.symlink_to("nowhere")


def a_huge_file(path: Path) -> None:
    with path.open("wb") as stream:
        stream.truncate(LARGEST_TRACE + 1)  # takes no room on the disk


def text(content: str):
    def write(path: Path) -> None:
        path.write_bytes(content.encode("latin-1"))

    return write


def a_document(**changes):
    def write(path: Path) -> None:
        save_trace(THREE, path)
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))

    return write


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (nothing, "No such file or directory"),
        (a_link_to_nothing, "No such file or directory"),
        (a_folder, "it is a folder, not a file"),
        (a_pipe, "it is a pipe, not a file"),
        (a_huge_file, "it is larger than 256 MiB"),
        (text(""), "it is not JSON"),
        (text("{"), "it is not JSON"),
        (text('{"a": "\xff"}'), "it is not JSON: 'utf-8' codec"),
        (text("[" * 200_000), "recursion"),
        (text("[]"), "the document must be an object"),
        (text("{}"), "scenario_id"),
        (a_document(windtunnel_trace=2), "unsupported windtunnel_trace 2"),
        (a_document(turns={}), "turns must be an array"),
        (a_document(started_at="yesterday"), "started_at must be an ISO 8601 time"),
    ],
)
def test_what_is_no_trace_is_refused_by_path_and_reason(make, reason):
    """Nothing that may stand at a path hangs the command, ends it with a stack, or eats its memory."""
    make(Path("x.json"))
    refused = refusal(load_probe, "x.json", None)
    assert refused.message.startswith("cannot load --from-trace 'x.json': ")
    assert reason in refused.message
    assert refused.specific_code == "trace-not-loaded"
    assert refused.facts["path"] == "x.json"


@pytest.mark.parametrize("path", ["/dev/null", "/dev/stdin", "a\0b", "x" * 300, "t.json/below", ""])
def test_odd_paths_are_refused_too(path):
    """Devices, names that no file can have, and a path through a file."""
    saved(THREE)
    assert "cannot load --from-trace" in refusal(load_probe, path, None).message


def test_the_score_beside_a_trace_is_told_from_it():
    """The two stand side by side, and completing a name easily gives the wrong one."""
    Path("run.score.json").write_text('{"windtunnel_score": 2}')
    refused = refusal(load_probe, "run.score.json", None)
    assert refused.hints == ("this is the score of a run; its trace is run.json",)


def test_a_path_cannot_write_to_the_terminal():
    """What an agent may have named is shown, not obeyed."""
    assert "\x1b" not in refusal(load_probe, "\x1b[2J.json", None).message


# --- splitting


@pytest.mark.parametrize(
    ("from_turn", "live", "frozen"),
    [(None, ["third"], 4), (3, ["third"], 4), (2, ["second", "third"], 2), (1, None, 0)],
)
def test_a_trace_is_split_before_the_chosen_user_turn(from_turn, live, frozen):
    """Counted from 1; without a number the last one is played."""
    taken = probe(THREE, from_turn)
    assert taken.live == (live or ["first", "second", "third"])
    assert taken.prefix.turns == tuple(THREE.turns[:frozen])
    assert taken.prefix.source == THREE.run_id


def test_the_frozen_turns_of_a_probe_are_ordinary_turns_of_its_trace():
    """A probe of a probe counts all turns that it finds."""
    again = dataclasses.replace(THREE, worker_warnings=["replay_prefix: source=x turns=4"])
    assert probe(again, 1).live == ["first", "second", "third"]


@pytest.mark.parametrize("from_turn", [0, -1, 4, 10**30])
def test_a_turn_that_is_not_there_is_refused_with_the_count(from_turn):
    """So that the next attempt is right."""
    refused = refusal(lambda: probe(THREE, from_turn).live)
    assert "has 3 user turns" in refused.message
    assert f"--from-turn {from_turn} is out of range" in refused.message
    assert refused.specific_code == "turn-out-of-range"
    assert refused.facts == {"path": "t.json", "from_turn": from_turn, "user_turns": 3}


@pytest.mark.parametrize("from_turn", [None, 1])
def test_a_trace_without_user_turns_cannot_be_played(from_turn):
    """As that of a run that broke before the first turn."""
    refused = refusal(lambda: probe(a_trace(assistant()), from_turn).prefix)
    assert "no user turns" in refused.message
    assert refused.specific_code == "no-user-turns"


def test_an_empty_user_turn_is_refused_only_where_it_would_be_sent():
    """No scenario may say nothing; what was said before is as it was."""
    trace = a_trace(user(" "), assistant(), user("b"), assistant())
    assert probe(trace, 2).live == ["b"]
    assert "says nothing in user turn 1" in refusal(lambda: probe(trace, 1).live).message


@given(st.lists(turns(), max_size=8), st.none() | st.integers(-2, 10))
def test_every_turn_is_either_frozen_or_played(all_turns, from_turn):
    """Whatever the trace: frozen turns and live texts are it again, or there is a refusal."""
    texts = [turn.content for turn in all_turns if turn.role == "user"]
    first = len(texts) if from_turn is None else from_turn
    taken = probe(a_trace(*all_turns), from_turn)
    playable = 1 <= first <= len(texts) and all(t.strip() for t in texts[first - 1 :])
    if not playable:
        assert refusal(lambda: taken.live).specific_code in {
            "no-user-turns",
            "turn-out-of-range",
            "empty-user-turn",
        }
        return
    frozen = taken.prefix.turns
    assert list(frozen) == all_turns[: len(frozen)]
    assert all_turns[len(frozen)].role == "user"
    assert taken.live == [t.content for t in all_turns[len(frozen) :] if t.role == "user"]
    assert len([t for t in frozen if t.role == "user"]) == first - 1
    assert live_scenario(scenario(), taken.live).user_turns == taken.live


# --- selecting


PACKS = [
    ScenarioPack("orders", [scenario("lookup_order"), scenario("refund")]),
    ScenarioPack("other", [scenario("refund")]),
]


def test_without_a_selection_the_traces_scenario_runs():
    """Its live turns stand in place of its own."""
    taken = probe(THREE, 2)
    (only,) = select_probed(PACKS, probe_selectors(Selectors(), THREE), taken)
    assert (only.pack.name, only.scenario.name) == ("orders", "lookup_order")
    assert only.scenario.user_turns == ["second", "third"]
    assert PACKS[0].scenarios[0].user_turns == []


def test_other_selectors_still_restrict():
    """A tag that the scenario does not have leaves nothing, which is said."""
    asked = probe_selectors(Selectors(packs=("other",)), THREE)
    assert asked == Selectors(scenarios=("lookup_order",), packs=("other",))
    assert refusal(select_probed, PACKS, asked, probe(THREE)).specific_code == "nothing-selected"


@given(st.text(st.sampled_from("ab*?[]!-^\\")), st.text(st.sampled_from("ab*?[]!-^\\")))
def test_a_name_is_taken_literally(name, other):
    """A scenario's name may hold what a pattern would read as a wildcard."""
    names = sorted({f"s{name}", f"s{other}"})
    packs = [ScenarioPack("p", [scenario(one) for one in names])]
    trace = a_trace(user(), scenario_id=f"s{name}")
    (only,) = select_probed(packs, probe_selectors(Selectors(), trace), probe(trace))
    assert only.scenario.name == f"s{name}"


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        (Selectors(scenarios=("refund",), packs=("orders",)), "selected: orders/refund"),
        (Selectors(scenarios=("*",)), "selected: orders/lookup_order, orders/refund, other/refund"),
        (Selectors(scenarios=("lookup_order", "refund")), "orders/lookup_order, orders/refund, o"),
    ],
)
def test_anything_but_the_traces_scenario_is_refused(asked, named):
    """One more, another one, and all: each is another experiment."""
    refused = refusal(select_probed, PACKS, asked, probe(THREE))
    assert "A probe runs exactly the trace's scenario, 'lookup_order'" in refused.message
    assert named in refused.message
    assert refused.hints == ("without --scenario the trace's own scenario is selected",)
    assert refused.specific_code == "probe-selection"


def test_two_packs_that_own_the_name_need_a_choice():
    """Which of the two the trace is of, only a person knows."""
    trace = a_trace(user(), scenario_id="refund")
    refused = refusal(select_probed, PACKS, probe_selectors(Selectors(), trace), probe(trace))
    assert "selected: orders/refund, other/refund" in refused.message
    assert refused.hints == (
        "more than one pack owns a scenario of this name: add --pack orders or --pack other",
    )
    assert refused.facts == {
        "scenario": "refund",
        "selected": [
            {"pack": "orders", "scenario": "refund"},
            {"pack": "other", "scenario": "refund"},
        ],
    }
    asked = probe_selectors(Selectors(packs=("other",)), trace)
    assert select_probed(PACKS, asked, probe(trace))[0].pack.name == "other"


def test_a_large_selection_is_not_listed_whole():
    """A page of names would hide the sentence."""
    pack = ScenarioPack("p", [scenario(f"s{n}") for n in range(30)])
    message = refusal(check_selection, [Selected(pack, s) for s in pack.scenarios], THREE).message
    assert message.count("p/s") == 10
    assert message.endswith("and 20 more")


def test_a_scenario_of_no_pack_is_said_to_be_the_traces():
    """Nobody typed that name, so the message says where it comes from and what is missing."""
    trace = a_trace(user(), scenario_id="lookup_oder")
    refused = refusal(select_probed, PACKS, probe_selectors(Selectors(), trace), probe(trace))
    assert refused.message == (
        "unknown scenario(s): lookup_oder, which the trace is of; did you mean lookup_order?"
    )
    assert "--pack-source" in refused.hints[0]
    assert refused.specific_code == "selector-unmatched"


def test_the_selection_is_refused_before_the_turn():
    """Of two mistakes, the one about the scenario is said first."""
    refused = refusal(select_probed, PACKS, Selectors(), probe(THREE, 99))
    assert refused.specific_code == "probe-selection"


@given(st.lists(st.sampled_from(["lookup_order", "refund", "a", "b"]), max_size=4))
def test_a_selection_is_accepted_only_when_it_is_that_one_scenario(chosen):
    """For every selection."""
    selected = [Selected(ScenarioPack(f"p{n}"), scenario(s)) for n, s in enumerate(chosen)]
    if chosen == ["lookup_order"]:
        check_selection(selected, THREE)
    else:
        assert refusal(check_selection, selected, THREE).specific_code == "probe-selection"


# --- the scenario that is played


def test_everything_but_the_users_words_stays():
    """Facts, rules, perturbations and what else the author declared judge the live turns."""
    whole = Scenario(
        name="lookup_order",
        user_turns=["a", "b"],
        target_facts=[["75"]],
        must_call=["search"],
        forbidden_calls=["drop"],
        order_matters=True,
        policies=[Policy("p", bool)],
        perturbations=[InjectStaleMemory("k", "old")],
        gate_layers=["trajectory"],
        tags=["x"],
    )
    live = live_scenario(whole, ["c"])
    assert (live.user_turns, live.prompt, live.scored_prompt) == (["c"], "c", "c")
    for field in dataclasses.fields(Scenario):
        if field.name not in {"user_turns", "prompt"}:
            assert getattr(live, field.name) is getattr(whole, field.name)
    assert whole.user_turns == ["a", "b"]


def test_a_scenario_of_a_class_of_its_own_stays_one():
    """An author's class may be made in a way of its own."""

    class Order(Scenario):
        def __init__(self, number: int) -> None:
            super().__init__(name="order", prompt=f"order {number}?")
            self.number = number

    live = live_scenario(Order(7), ["and now?"])
    assert isinstance(live, Order)
    assert (live.number, live.scored_prompt) == (7, "and now?")


def test_the_live_turns_are_a_list_of_their_own():
    """Whoever changes them does not change the probe."""
    live = ["a"]
    assert live_scenario(scenario(), live).user_turns is not live


def test_selecting_leaves_what_select_would_have_chosen():
    """A probe adds no way of selecting: it is the same rule with a name filled in."""
    asked = probe_selectors(Selectors(), THREE)
    assert [item.scenario.name for item in select(PACKS, asked)] == ["lookup_order"]
    assert probe_selectors(Selectors(scenarios=("*",)), THREE) == Selectors(scenarios=("*",))
