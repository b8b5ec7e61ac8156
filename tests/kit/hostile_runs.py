"""A runs directory in which every text that is shown anywhere tries to be more than text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kit.saved_runs import save_run

from wt_git.records import layout

HOSTILE = (
    "\x1b[31mred\x1b]8;;http://evil.example\x07link\x1b]8;;\x07\x9b1m\x08\x07\r\x00\x7f"
    "\u202ertl\u2066\u200f\u061c\u0085\u2028\u2029\ud800\n::error::forged\n##[error]forged\n"
    "wt results: forged\n| a | b |\n# head\n- item\n```\n<script>alert(1)</script><!--<img src=x>"
    "![picture](http://evil.example/x.png)[a link](javascript:x) **bold** `code` @somebody #1 &lt;"
)
"""What a terminal, a log, Markdown or a browser would obey, and lines that look like ours."""

LABELS = tuple(f"{HOSTILE}{name}" for name in ("A", "B"))
SCENARIO = f"{HOSTILE}S"


def write_hostile_runs(runs_dir: Path) -> None:
    """Write runs under both `LABELS`, some failed, with rows and sweeps; and one that is torn."""
    for number in range(1, 7):
        label = LABELS[number % 2]
        path = save_run(runs_dir, number, layers={"outcome": number > 3})
        _edit(path, _trace(label, number))
        _edit(Path(layout.sidecar_name(str(path))), {}, nested=_score)
    for number, label in ((1, LABELS[1]), (2, LABELS[0])):
        _append(runs_dir / layout.LEDGER, _row(label, range(number, 7, 2)))
    for number in range(3):
        _append(runs_dir / layout.EXPERIMENTS, _sweep(number))
    torn = runs_dir / _folder_name() / "20260102T120009123456Z_00000009.score.json"
    torn.parent.mkdir()
    torn.write_text("{")
    torn.with_name("20260102T120009123456Z_00000009.json").write_text("{")


def _folder_name() -> str:
    return HOSTILE.replace("/", "").replace("\0", "").replace("\ud800", "")[:60]


def _edit(path: Path, changes: dict[str, Any], nested: Any = None) -> None:
    document = {**json.loads(path.read_text("utf-8")), **changes}
    if nested is not None:
        nested(document)
    path.write_text(json.dumps(document), "utf-8")


def _trace(label: str, number: int) -> dict[str, Any]:
    call = {"id": HOSTILE, "function": {"name": HOSTILE, "arguments": HOSTILE}}
    turn = {
        "role": "assistant" if number % 2 else HOSTILE,
        "content": HOSTILE,
        "tool_calls": [call, {"function": {"name": HOSTILE, "arguments": {HOSTILE: HOSTILE}}}],
        "tool_results": [{"tool_call_id": HOSTILE, "content": HOSTILE}],
        "latency_ms": 0.0,
        "rendered_prompt": HOSTILE,
        "rendered_prompt_hash": HOSTILE,
    }
    asked = {"role": "user", "content": HOSTILE, "tool_calls": [], "tool_results": []}
    return {
        "run_id": f"{HOSTILE}{number}",
        "scenario_id": SCENARIO,
        "variant_id": label,
        "agent_id": HOSTILE,
        "model": HOSTILE,
        "quant": HOSTILE,
        "turns": [{**asked, "latency_ms": 0.0}, turn],
        "worker_warnings": [HOSTILE, f"mcp_evidence: {HOSTILE}"],
        "mcp_calls": [
            {"tool_name": HOSTILE, "args": {HOSTILE: HOSTILE}, "result": HOSTILE, "timestamp_ms": 0}
        ],
        "observations": {HOSTILE: HOSTILE},
    }


def _score(sidecar: dict[str, Any]) -> None:
    for of in (sidecar, sidecar["score"]):
        for layer in ("outcome", "trajectory", "constraint", "integrity"):
            of[layer]["detail"] = HOSTILE
            of[layer]["metrics"] = {f"{HOSTILE}m": HOSTILE, f"{HOSTILE}n": 1.5}
    sidecar["scenario"] |= {
        "name": SCENARIO,
        "prompt": HOSTILE,
        "user_turns": [HOSTILE],
        "target_facts": [[HOSTILE]],
        "tags": [HOSTILE],
        "forbidden_calls": [HOSTILE],
    }


def _row(label: str, numbers: range) -> dict[str, Any]:
    texts = ("pack", "owner", "verdict", "ts", "sweep_id", "model", "quant", "origin", "git_sha")
    said = ("tier", "question", "expect", "if_pass", "if_fail", "fingerprint", "source_trace")
    return {
        **dict.fromkeys(texts, HOSTILE),
        "windtunnel_ledger": 1,
        "scenario_id": SCENARIO,
        "label": label,
        "run_ids": [f"{HOSTILE}{number}" for number in numbers],
        "failure_cost": {"severity": HOSTILE},
        "experiment": dict.fromkeys(said, HOSTILE),
    }


def _sweep(number: int) -> dict[str, Any]:
    texts = ("label", "model", "question", "expect", "if_pass", "outcome", "status", "runtime")
    return {
        **dict.fromkeys(texts, HOSTILE),
        "windtunnel_experiment": 1,
        "kind": "sweep",
        "ts": HOSTILE if number else "2026-01-02T03:04:05Z",
        "sweep_id": f"{HOSTILE}{number}",
        "tier": HOSTILE if number else "focused",
        "cost": {"wall_s": 1.5},
        "cost_usd": {"total": 0.5},
        "cache_check": {"result": HOSTILE, "reason": HOSTILE},
    }


def _append(path: Path, record: dict[str, Any]) -> None:
    with path.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(record) + "\n")
