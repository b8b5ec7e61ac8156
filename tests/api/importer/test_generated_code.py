"""The Python that an import writes can be imported, whatever the conversation says."""

from __future__ import annotations

import itertools
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.conversations import (
    HOSTILE,
    call,
    envelope,
    envelopes,
    hostile_texts,
    message,
    response,
    said,
    text,
)
from kit.traces import a_trace, assistant, user

from wt_git.api.evaluators import evaluate_outcome
from wt_git.api.importer import write_imported_scenario
from wt_git.api.importer.plan import plan_import
from wt_git.api.interchange import parse_interchange
from wt_git.api.pack import ScenarioPack
from wt_git.api.scenario import Scenario

_numbers = itertools.count()
PLACEHOLDER = "TODO_REPLACE_WITH_REVIEWED_OUTCOME_FACT"


def imported(raw, **options):
    """Write a document and import the two modules: their names, as they define them."""
    folder = Path(f"imported_{next(_numbers)}")
    result = write_imported_scenario(raw, folder, **options)
    return runpy.run_path(str(result.scenario_path)), runpy.run_path(str(result.scorer_path))


def hostile(at):
    """A conversation with one text in all its places."""
    return envelope(
        said("user", at),
        message("user", text(at), text(at)),
        message("assistant", call(at, at, **{at: at}), call("2", "plain")),
        message("tool", response(at, {at: [at]})),
        said("assistant", at),
        provider=at,
        otel_genai_mapping=at,
        source={"ref": at, at: at},
        tool_definitions=[{"name": at, "description": at, "input_schema": {at: at}}],
    )


@given(envelopes(), st.none() | hostile_texts().filter(str.strip))
def test_any_import_defines_what_it_promises(raw, name):
    """And says in Python what the conversation says."""
    scenario_names, scorer_names = imported(raw, scenario_name=name)
    plan = plan_import(parse_interchange(raw), Path("x"), scenario_name=name)
    scenario = scenario_names["scenario"]
    assert isinstance(scenario, Scenario)
    assert scenario_names["SCENARIOS"] == [scenario]
    assert isinstance(scenario_names["PACK"], ScenarioPack)
    assert scenario_names["PACK"].scenarios is scenario_names["SCENARIOS"]
    assert scenario.prompt == plan.prompt
    assert scenario.user_turns == (list(plan.turns) if len(plan.turns) > 1 else [])
    assert scenario.target_facts == [[PLACEHOLDER]]
    assert scenario.requires_tool_use is plan.requires_tool_use
    assert scenario.tags == ([] if plan.origin is None else [plan.origin])
    assert scenario.must_call == []
    assert scorer_names["SUGGESTED_TARGET_FACTS"] == [[fact] for fact in plan.suggestions]
    if name is not None:
        assert scenario.name == scenario_names["PACK"].name == name


def test_a_text_that_tries_to_break_out_stays_a_text(subtests):
    """In every place where a conversation has texts."""
    for at in HOSTILE:
        with subtests.test(at=at):
            scenario_names, scorer_names = imported(
                hostile(at), scenario_name=at if at.strip() else None
            )
            scenario = scenario_names["scenario"]
            assert scenario.user_turns == [turn for turn in (at, f"{at}\n{at}") if turn.strip()]
            assert scenario.tags == [f"origin:{at}"]
            assert "".join(group[0] for group in scorer_names["SUGGESTED_TARGET_FACTS"]) in "".join(
                line.strip() for line in at.splitlines()
            )


def test_an_unreviewed_import_fails_whatever_the_agent_says():
    """Until a person has said what a right answer is, also where the agent repeats the recording."""
    scenario_names, scorer_names = imported(envelope())
    trace = a_trace(user(), assistant("They have 75 open orders.", {"name": "order_query"}))
    assert not evaluate_outcome(trace, scenario_names["scenario"]).passed
    judged = scorer_names["outcome_fn"](trace)
    assert not judged.passed
    assert "not written yet" in judged.detail


def test_a_module_reads_as_if_somebody_had_written_it():
    """This is what its author edits."""
    source = Path(write_imported_scenario(envelope(source={"ref": "r:1"}), "orders").scenario_path)
    assert source.read_text("utf-8").split("scenario = ")[1].split("\n\n\n")[0] == (
        "Scenario(\n"
        '    name="orders",\n'
        '    prompt="How many open orders does Lowell Spinners have?",\n'
        "    # The facts of a right answer; scorer.py has suggestions.\n"
        f'    target_facts=[["{PLACEHOLDER}"]],\n'
        "    facts_must_be_asserted=True,\n"
        "    requires_tool_use=True,\n"
        '    # must_call=["order_query"],\n'
        '    tags=["origin:r:1"],\n'
        ")\n\n"
        "SCENARIOS = [scenario]"
    )


def test_listing_the_scenario_loads_no_tool_server():
    """Nor its libraries: those are for whoever runs it."""
    write_imported_scenario(envelope(), "orders")
    code = (
        "import runpy, sys; runpy.run_path('orders/scenario.py');"
        "print({'mcp', 'uvicorn', 'starlette', 'httpx'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.skipif(shutil.which("ruff", path=Path(sys.executable).parent) is None, reason="ruff")
def test_modules_are_as_the_usual_checker_and_formatter_want_them():
    """Nobody has to tidy up first."""
    long = "a question that does not fit into a line of source code, because it is far too long"
    for raw in (envelope(), envelope(said("user", f'{long}\n{long} "it\'s"'), said("user", "b"))):
        write_imported_scenario(raw, "orders")
        for command in (["check"], ["format", "--check"]):
            ruff = [sys.executable, "-m", "ruff", *command, "--isolated", "--no-cache", "orders"]
            done = subprocess.run(ruff, check=False, capture_output=True, text=True)
            assert done.returncode == 0, done.stdout + done.stderr
