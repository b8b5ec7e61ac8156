"""A flight of the example agent, with tools of the bench: scored again, and played again."""

from __future__ import annotations

import json
from pathlib import Path

from kit.agent_forks import forked_agents
from kit.commands import traces, wt
from kit.example_agent import PACK, PLUGIN
from kit.openai_server import MODEL, ScriptedModel, calls, says

from wt_git.records.layout import sidecar_path

FLOWN = ("--pack-source", PACK, "--runtime", PLUGIN)
SCENARIO = "hours_on_saturday"


def test_what_tool_servers_saw_is_judged_again_and_seen_again() -> None:
    """From the saved trace as it was live; and a replay mounts the tools of the pack anew."""
    answers = (calls("opening_hours", day="Saturday"), says("On Saturday we close at 16:00."))
    with ScriptedModel() as model, forked_agents():
        environment = {"AGENT_OPENAI_URL": model.url, "AGENT_MODEL": MODEL}
        model.script(*answers)
        ran = wt("run", *FLOWN, "--scenario", SCENARIO, env=environment)
        assert ran.code == 0, ran.err
        (trace,) = traces()
        found = json.loads(wt("rescore", "--runs", "runs", *FLOWN[:2], "--json").out)
        (entry,) = found["traces"]
        assert entry["verdict"] == {"old": "PASS", "new": "PASS"}
        assert [one["detail"] for one in entry["layers"].values()] == [
            one["old_detail"] for one in entry["layers"].values()
        ]
        assert "[evidence: server-witnessed]" in entry["layers"]["trajectory"]["detail"]

        model.script(*answers)
        ran = wt("replay", "--trace", str(trace), *FLOWN, env=environment)
        assert ran.code == 0, ran.err
    (again,) = set(traces()) - {trace}
    assert again == Path(ran.out.splitlines()[-1].removeprefix("replayed trace saved: "))
    assert [call["tool_name"] for call in json.loads(again.read_text())["mcp_calls"]] == [
        "opening_hours"
    ]
    assert json.loads(sidecar_path(again).read_text())["verdict"] == "PASS"
