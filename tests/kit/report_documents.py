"""Report documents and details of runs from literals, as `wt report` makes them (docs/files.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LAYERS = ("outcome", "trajectory", "constraint", "integrity")
COST = {
    "severity": "low",
    "customer_visible": False,
    "reversible": True,
    "side_effect_performed": False,
    "risk_weight": 1,
}


class ReportDocument:
    """A report that grows by cells; `document` and `details` are what the page is made of."""

    def __init__(self, **head: Any) -> None:
        self._cells: dict[str, dict[str, Any]] = {}
        self._head = head
        self.details: list[dict[str, Any]] = []

    def cell(
        self,
        scenario: str,
        label: str,
        verdicts: Sequence[str] = ("PASS",),
        *,
        severity: str = "low",
        detail: str = "every fact was found",
        run: Mapping[str, Any] | None = None,
        **changed: Any,
    ) -> None:
        """Add the runs of `scenario` under `label`, one for each of `verdicts`.

        `run` holds keys that the details of all of them are to have.
        """
        numbers = range(len(self.details), len(self.details) + len(verdicts))
        runs = [
            self._run(number, scenario, label, verdict, detail, run or {})
            for number, verdict in zip(numbers, verdicts, strict=True)
        ]
        passed = verdicts.count("PASS")
        rate = passed / len(verdicts)
        verdict = verdicts[0] if len(set(verdicts)) == 1 else "PASS_WITH_VARIANCE"
        cost = COST | {"severity": severity, "risk_weight": 4}
        self._cells.setdefault(scenario, {})[label] = {
            "verdict": verdict,
            "gate_layers": ["outcome", "trajectory", "constraint"],
            "gate_pass_rate": rate,
            "tool_call_count": 1,
            "layers": {
                layer: {"passed": rate == 1.0, "pass_rate": rate, "detail": detail}
                for layer in LAYERS
            },
            "robustness": {"applicable": False, "passed": False, "pass_rate": None},
            "failure_cost": cost,
            "failure_risk": 4 * (1 - rate),
            "trace": {"run_id": runs[-1]["run_id"], "turns": []},
            "aggregate": None,
            "selection": "latest_aggregate",
            "runs": len(verdicts),
            "passed": passed,
            "invalid": verdicts.count("INVALID"),
            "interval": {"low": rate * 0.4, "high": 1 - (1 - rate) * 0.4},
            "pass_hat_k": {"k": len(verdicts), "value": rate ** len(verdicts)},
            "tier": "regression",
            "pack": "shop",
            "sweep_id": "9c1d0e77ab42",
            "rescored": False,
            "diagnostic_failures": [],
            "run_list": runs,
            **changed,
        }

    def _run(
        self,
        number: int,
        scenario: str,
        label: str,
        verdict: str,
        detail: str,
        changed: Mapping[str, Any],
    ) -> dict[str, Any]:
        run = {
            "run_id": f"{number:08x}-0000-4000-8000-000000000000",
            "path": f"runs/{scenario[:40]}/{number:08x}.json",
            "started_at": f"2026-01-02T12:{number // 60 % 60:02}:{number % 60:02}+00:00",
            "verdict": verdict,
            "metrics": {"outcome.steps": number % 7, "outcome.asked": number % 2 == 0},
            "data": f"run-{number}",
        }
        failed = verdict != "PASS"
        self.details.append(
            {
                **run,
                "scenario_id": scenario,
                "label": label,
                "finished_at": run["started_at"],
                "model": "some-model",
                "quant": "q4",
                "layers": {
                    layer: {
                        "passed": not failed or layer != "outcome",
                        "detail": detail,
                        "gate": layer != "integrity",
                        "evidence": "server-witnessed" if layer == "trajectory" else None,
                    }
                    for layer in LAYERS
                },
                "warnings": ["mcp_evidence: available"],
                "turns": CONVERSATION,
                "mcp_calls": [
                    {
                        "tool_name": "client_lookup",
                        "args": {"client": "Lowell Spinners"},
                        "result": {"orders": 75},
                        "timestamp_ms": 1,
                    }
                ],
                "failed_turn": 3 if failed else None,
                "failed_because": "outcome: 75 is missing from the answer" if failed else None,
                "evidence": "server-witnessed",
                "frozen_turns": 0,
                **changed,
            }
        )
        return run

    @property
    def document(self) -> dict[str, Any]:
        """The whole document; failures and flaky scenarios follow from the cells."""
        labels = list(dict.fromkeys(label for cells in self._cells.values() for label in cells))
        rows = [
            {"scenario_id": name, "name": name, "pack": "shop", "cells": cells}
            for name, cells in sorted(self._cells.items())
        ]
        every = [(row["name"], label, cell) for row in rows for label, cell in row["cells"].items()]
        verdicts = [cell["verdict"] for _, _, cell in every]
        return {
            "windtunnel_report": 1,
            "runs_dir": "runs",
            "generated_at": "2026-01-03T08:00:00+00:00",
            "latest_run_ts": "2026-01-02T12:00:00+00:00" if every else "",
            "scenario_count": len(rows),
            "variants": labels,
            "summary": {
                **{f"{layer}_pass_rate": 0.8125 if every else 0.0 for layer in LAYERS},
                "robustness_pass_rate": None,
                "total_failure_risk": sum(cell["failure_risk"] for _, _, cell in every),
            },
            "verdict_totals": {one: verdicts.count(one) for one in dict.fromkeys(verdicts)},
            "failures": _failures(every),
            "flaky": _flaky(every),
            "predictions": None,
            "cost_history": [],
            "remarks": [],
            "scenarios": rows,
            **self._head,
        }


def _failures(every: list[tuple[str, str, dict[str, Any]]]) -> list[dict[str, Any]]:
    failed = [one for one in every if one[2]["verdict"] != "PASS"]
    return [
        {
            "scenario_id": name,
            "name": name,
            "label": label,
            "verdict": cell["verdict"],
            "failure_risk": cell["failure_risk"],
            "severity": cell["failure_cost"]["severity"],
            "runs": cell["runs"],
            "passed": cell["passed"],
            "interval": cell["interval"],
            "run_id": next(
                (run["run_id"] for run in cell["run_list"] if run["verdict"] != "PASS"), None
            ),
            "decided_by": ["outcome"],
            "detail": next(iter(cell["layers"].values()))["detail"],
        }
        for name, label, cell in sorted(failed, key=lambda one: -one[2]["failure_risk"])
    ]


def _flaky(every: list[tuple[str, str, dict[str, Any]]]) -> list[dict[str, Any]]:
    return [
        {
            "scenario_id": name,
            "name": name,
            "label": label,
            "runs": cell["runs"],
            "passed": cell["passed"],
            "pass_rate": cell["gate_pass_rate"],
            "interval": cell["interval"],
        }
        for name, label, cell in every
        if 0 < cell["passed"] < cell["runs"]
    ]


def turn(role: str, content: str = "", **more: Any) -> dict[str, Any]:
    """A turn as a trace has it."""
    return {
        "role": role,
        "content": content,
        "tool_calls": [],
        "tool_results": [],
        "latency_ms": 0.0,
        "rendered_prompt": None,
        "rendered_prompt_hash": None,
        **more,
    }


CONVERSATION = [
    turn("user", "How many orders does Lowell Spinners have?"),
    turn(
        "assistant",
        tool_calls=[
            {
                "id": "call_1",
                "type": "function",
                "function": {
                    "name": "client_lookup",
                    "arguments": '{"client": "Lowell Spinners", "fields": ["orders"]}',
                },
            }
        ],
        latency_ms=840.0,
    ),
    turn("tool", tool_results=[{"tool_call_id": "call_1", "content": '{"orders": 75}'}]),
    turn("assistant", "Lowell Spinners have 57 orders on file.", latency_ms=1312.5),
]


def sweep_cost(day: int, tier: str, cost: float | None, **changed: Any) -> dict[str, Any]:
    """A finished sweep of January."""
    return {
        "sweep_id": f"{day:012x}",
        "ended_at": f"2026-01-{day:02}T09:30:00+00:00",
        "tier": tier,
        "label": "main",
        "wall_s": 40.0 + day,
        "input_tokens": 12_000 + day,
        "output_tokens": 900,
        "cost_usd": cost,
        "outcome": "passed",
        "prediction_held": day % 3 != 0,
        **changed,
    }


def tier_totals(**changed: Any) -> dict[str, Any]:
    """The ladder's totals of one tier, as far as the page shows them."""
    return {
        "sweeps": 9,
        "wall_s": 512.4,
        "predictions": 8,
        "predictions_held": 6,
        "reviewed": 4,
        "changed_decision": 3,
        "cost_usd": 0.4321,
        **changed,
    }


def a_report() -> ReportDocument:
    """A report with every kind of verdict, severity and section."""
    report = ReportDocument(
        remarks=["2 run(s) have no score and are not counted: they did not end"],
        cost_history=[
            *(sweep_cost(day, "probe", 0.002 * (day % 4 + 1)) for day in range(1, 20)),
            *(sweep_cost(day, "focused", 0.02 * (day % 5 + 1)) for day in range(2, 28, 3)),
            *(sweep_cost(day, "regression", 0.9 - day / 50) for day in range(7, 30, 7)),
            sweep_cost(30, "focused", None, outcome="interrupted", prediction_held=None),
        ],
        predictions={
            "probe": tier_totals(sweeps=19, predictions=19, predictions_held=11),
            "focused": tier_totals(),
            "regression": tier_totals(sweeps=4, predictions=0, reviewed=0, cost_usd=None),
        },
    )
    report.cell("address_change", "main", ["PASS"] * 5)
    report.cell("address_change", "retry-limit", ["PASS"] * 5)
    report.cell("greets_politely", "main", ["PASS"] * 3)
    report.cell("greets_politely", "new-model", ["PASS"] * 3, tier="probe")
    report.cell("lookup_order", "main", ["PASS", "FAIL", "PASS"], severity="medium")
    report.cell("lookup_order", "retry-limit", ["PASS"] * 3, severity="medium", rescored=True)
    report.cell("lookup_order", "new-model", ["INVALID"] * 2, severity="medium")
    report.cell("never_sends_money_twice", "main", ["PASS"] * 4, severity="critical")
    report.cell(
        "never_sends_money_twice",
        "retry-limit",
        ["FAIL"] * 4,
        severity="critical",
        failure_risk=78.0,
        detail="forbidden call: send_money was called twice with the same invoice",
    )
    report.cell("refund_partial", "main", ["PASS"] * 3, severity="high")
    report.cell(
        "refund_partial",
        "retry-limit",
        ["FAIL", "PASS", "FAIL"],
        severity="high",
        run={"frozen_turns": 2},
        detail="none of the wordings of fact 1 is in the answer: '75 orders', '75'",
    )
    report.cell("refund_partial", "new-model", ["FAIL"] * 3, severity="high")
    return report
