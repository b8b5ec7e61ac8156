"""Ledgers for tests of the gate: what sweeps left, in a few words, read back as a ledger is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wt_git.files import json_line
from wt_git.ladder.gate import Earned, Refused, decide
from wt_git.records.fingerprint import FingerprintParts
from wt_git.records.ledger.row import Row, ScenarioId, read_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

TARGET = "agent.plugin:Plugin|http://127.0.0.1:8647"
PACK = "shop"


def artifact(**parts: str | None) -> FingerprintParts:
    """The parts of a state of the code; each keyword makes it another one."""
    known: dict[str, Any] = {
        "git_tree": "1" * 40,
        "runtime": "my_runtime",
        "target": TARGET,
        "model": "target-model",
        "soul": None,
        "agents": None,
        "plugin": None,
        "wt_version": "0.1.0",
    }
    return FingerprintParts(**{**known, **parts})


NOW = artifact()
EDITED = artifact(git_tree="2" * 40)


def scenario(name: str) -> ScenarioId:
    """`pack/name`, or a name in the pack that tests use when it does not matter."""
    pack, slash, own = name.rpartition("/")
    return ScenarioId(pack if slash else PACK, own)


class History:
    """A ledger that sweeps write to, one after the other."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []

    def sweep(self, tier: str, results: Mapping[str, bool], **changes: Any) -> str:
        """Add the rows of a sweep, True for a scenario that passed; return the sweep's id.

        `on` is what was under test; other changes go into each row, or its experiment where they
        begin with `x_`.
        """
        sweep_id = changes.pop("sweep_id", f"{len(self.records):012x}")
        about: FingerprintParts = changes.pop("on", NOW)
        inner = {name[2:]: value for name, value in changes.items() if name.startswith("x_")}
        outer = {name: value for name, value in changes.items() if not name.startswith("x_")}
        for name, passed in results.items():
            pack, own = scenario(name)
            experiment = {
                "tier": tier,
                "counts_as_failure": not passed,
                "interrupted": False,
                "budget_exhausted": False,
                "question": "does it work?",
                "fingerprint": about.value(),
                "fingerprint_parts": about.as_record(),
                **inner,
            }
            self.records.append(
                {
                    "windtunnel_ledger": 1,
                    "ts": "2026-01-02T03:04:05Z",
                    "scenario_id": own,
                    "pack": pack,
                    "verdict": "PASS" if passed else "FAIL",
                    "sweep_id": sweep_id,
                    "experiment": experiment,
                    **outer,
                }
            )
        return sweep_id

    def regression(self, *, passed: str = "", failed: str = "", **changes: Any) -> str:
        """Add a regression of the scenarios that are named, in this order."""
        results = dict.fromkeys(passed.split(), True) | dict.fromkeys(failed.split(), False)
        return self.sweep("regression", results, **changes)

    def focused(self, name: str, *, passed: bool = True, **changes: Any) -> str:
        """Add a focused sweep."""
        return self.sweep("focused", {name: passed}, **changes)

    def probe(self, name: str, *, passed: bool = True, **changes: Any) -> str:
        """Add a probe."""
        return self.sweep("probe", {name: passed}, **changes)

    def rows(self) -> list[Row]:
        """The ledger as the gate reads it: written as lines and read back."""
        lines = [json_line(record) for record in self.records]
        read = (read_row(line.encode()) for line in lines)
        return [row for row in read if row is not None]

    def decide(
        self, selection: str = "refund cancel", *, on: FingerprintParts = NOW, **changes: Any
    ) -> Earned | Refused:
        """Ask the gate about a regression of the scenarios that are named."""
        asked = {
            "target": TARGET,
            "fingerprint": on.value(),
            "selection": [scenario(name) for name in selection.split()],
            **changes,
        }
        return decide(self.rows(), **asked)

    def earned(self, selection: str = "refund cancel", **changes: Any) -> Earned:
        """Ask the gate, which must let the regression through."""
        answer = self.decide(selection, **changes)
        assert isinstance(answer, Earned), answer
        return answer

    def refused(self, selection: str = "refund cancel", **changes: Any) -> Refused:
        """Ask the gate, which must refuse."""
        answer = self.decide(selection, **changes)
        assert isinstance(answer, Refused), answer
        return answer


def missing(refused: Refused) -> list[str]:
    """The scenarios without evidence, as `pack/name`."""
    return names(one.scenario for one in refused.missing)


def names(scenarios: Iterable[ScenarioId]) -> list[str]:
    """Scenarios as `pack/name`."""
    return [f"{pack}/{name}" for pack, name in scenarios]


def what_a_ledger_returns(
    rows: Sequence[Row], target: str, fingerprint: str
) -> tuple[list[Row], bool]:
    """The few rows that an index finds of a big ledger, and whether it knows the target at all.

    Of each scenario: its latest regression row, its latest focused pass, and its latest focused pass
    with `fingerprint`.
    """
    kept: dict[tuple[str, ScenarioId], int] = {}
    for index, row in enumerate(rows):
        if row.target != target:
            continue
        if row.tier == "regression":
            kept["regression", row.scenario] = index
        if row.is_focused_pass:
            kept["pass", row.scenario] = index
            if row.fingerprint == fingerprint:
                kept["current", row.scenario] = index
    return [rows[index] for index in sorted(set(kept.values()))], any(
        row.target == target for row in rows
    )
