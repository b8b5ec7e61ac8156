"""The example agent on a real language model: whatever it does, the record of it is whole and true.

Needs the `local-model` extra; `pytest -m local_model`. The verdicts are the model's business.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from kit.commands import ledger, start_wt, traces
from kit.documents import PROJECT
from kit.example_agent import PACK, PLUGIN, module, scenario
from kit.openai_server import Exchange, PassThrough

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.local_model, pytest.mark.timeout(1800)]

SCENARIOS = ("hours_on_tuesday", "shelf_then_copies", "ask_before_renewing")
MODEL = "smollm2-135m-instruct"


@pytest.fixture(scope="module")
def upstream() -> Iterator[str]:
    """llama.cpp's own OpenAI-compatible server, with SmolLM2."""
    server = subprocess.Popen(
        [sys.executable, str(PROJECT / "tests/kit/local_model.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert server.stderr is not None
    assert server.stdin is not None
    said = ""
    for line in server.stderr:
        said += line
        if "Uvicorn running on " in line:
            break
    else:
        pytest.fail(f"the model's server did not start; is `local-model` installed?\n{said}")
    # Whatever it says from now on may not fill the pipe and stop it.
    drain = subprocess.Popen(["cat"], stdin=server.stderr, stdout=subprocess.DEVNULL)
    yield said.split("Uvicorn running on ")[1].split()[0] + "/v1"
    server.stdin.close()
    server.wait()
    drain.wait()
    server.stderr.close()


@pytest.fixture
def model(upstream: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[PassThrough]:
    """What passes between the agent and the model."""
    with PassThrough(upstream) as between:
        monkeypatch.setenv("AGENT_OPENAI_URL", between.url)
        monkeypatch.setenv("AGENT_MODEL", MODEL)
        monkeypatch.setenv("AGENT_TIMEOUT_S", "400")
        yield between


def sweep(*arguments: str, env: dict[str, str] | None = None) -> None:
    """Run `wt run` on the tutorial pack; a small model takes its time."""
    command = ("run", "--pack-source", PACK, *arguments)
    with start_wt(*command, env=os.environ | (env or {})) as process:
        out, err = process.communicate(timeout=1700)
    print(out, err)
    assert process.returncode in {0, 1}


def first_user_text(exchange: Exchange) -> str:
    """The text with which the conversation began."""
    return next(m["content"] for m in exchange.request["messages"] if m["role"] == "user")


def check(trace: dict[str, Any], exchanges: list[Exchange]) -> None:
    """The trace holds every turn, call and count that passed between agent and model, no other."""
    print(json.dumps(trace, indent=1))
    turns = scenario(trace["scenario_id"]).user_turns or [scenario(trace["scenario_id"]).prompt]
    assert [t["content"] for t in trace["turns"] if t["role"] == "user"] == turns
    assert [t["role"] for t in trace["turns"]] == ["user", "assistant"] * len(turns)
    assert not [w for w in trace["worker_warnings"] if w.startswith("runner_error")]
    reported = [exchange.response["usage"] for exchange in answered(exchanges)]
    assert all(usage["prompt_tokens"] > 0 for usage in reported)
    assert [(c["prompt_tokens"], c["completion_tokens"]) for c in trace["model_calls"]] == [
        (usage["prompt_tokens"], usage["completion_tokens"]) for usage in reported
    ]
    assert trace["usage"] == {
        "input_tokens": sum(usage["prompt_tokens"] for usage in reported),
        "output_tokens": sum(usage["completion_tokens"] for usage in reported),
    }
    messages = [exchange.response["choices"][0]["message"] for exchange in answered(exchanges)]
    answers = [message["content"] for message in messages if not message.get("tool_calls")]
    given = [t["content"] for t in trace["turns"] if t["role"] == "assistant"]
    assert [text for text in given if text] == [text for text in answers if text.strip()]
    assert trace["model"] == MODEL


def asked_for(exchanges: list[Exchange]) -> list[tuple[str, Any]]:
    """The tool calls that the model asked for, but those of an answer that holds broken ones."""
    asked = []
    for exchange in answered(exchanges):
        calls = exchange.response["choices"][0]["message"].get("tool_calls") or ()
        with contextlib.suppress(ValueError):
            functions = [call["function"] for call in calls]
            asked += [(f["name"], json.loads(f["arguments"])) for f in functions]
    return asked


def answered(exchanges: list[Exchange]) -> list[Exchange]:
    """Those that the model answered; when its context is full, its server refuses."""
    return [exchange for exchange in exchanges if "choices" in exchange.response]


def claimed(trace: dict[str, Any]) -> list[tuple[str, Any]]:
    """The tool calls of the transcript."""
    functions = [call["function"] for turn in trace["turns"] for call in turn["tool_calls"]]
    return [(function["name"], json.loads(function["arguments"])) for function in functions]


def test_three_flights_on_a_real_model_are_recorded_whole(model):
    """Mounted tools: what the model asked for, what the agent says and what the server saw agree."""
    sweep("--runtime", PLUGIN, *(part for name in SCENARIOS for part in ("--scenario", name)))
    assert [row["scenario_id"] for row in ledger()] == list(SCENARIOS)
    saved = {path.parts[1]: json.loads(path.read_text("utf-8")) for path in traces()}
    assert sorted(saved) == sorted(SCENARIOS)
    for row in ledger():
        name = row["scenario_id"]
        flown = scenario(name)
        begin = (flown.user_turns or [flown.prompt])[0]
        exchanges = [e for e in model.exchanges if first_user_text(e) == begin]
        trace = saved[name]
        assert exchanges
        check(trace, exchanges)
        assert "mcp_evidence: available" in trace["worker_warnings"]
        assert claimed(trace) == asked_for(exchanges)
        seen = [(call["tool_name"], call["args"]) for call in trace["mcp_calls"]]
        assert seen == asked_for(exchanges)
        cost = row["experiment"]["cost"]
        assert (cost["input_tokens"], cost["output_tokens"]) == tuple(trace["usage"].values())
    assert sum(len(saved[name]["model_calls"]) for name in saved) == len(answered(model.exchanges))


def test_an_endpoint_on_a_real_model_reports_its_cost_as_well(model):
    """Contract C carries the counts of every model call, in a session that the agent keeps."""
    child = module("child").Child()
    try:
        sweep(
            *("--runtime", "http_inject", "--scenario", "ask_before_renewing"),
            env={"WT_INJECT_URL": child.url, "WT_INJECT_TIMEOUT_S": "400"},
        )
    finally:
        child.stop()
    (path,) = traces()
    trace = json.loads(Path(path).read_text("utf-8"))
    assert trace["model"] == os.environ["AGENT_MODEL"]
    check(trace, model.exchanges)
    assert claimed(trace) == asked_for(model.exchanges)
