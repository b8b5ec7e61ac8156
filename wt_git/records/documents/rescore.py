"""The document of `wt rescore --json` (docs/files.md, "Rescore")."""

from __future__ import annotations

from typing import Literal

from wt_git.records.documents.document import Document

RESCORE_VERSION = 1

Passed = Literal["PASS", "FAIL", "UNKNOWN"]
Verdict = Literal["PASS", "FAIL", "INVALID", "UNKNOWN"]
Metric = bool | int | float | str


class Verdicts(Document, frozen=True, kw_only=True):
    """The verdicts of the sidecar and of the present definition; `UNKNOWN` where there is none."""

    old: Verdict
    new: Verdict


class LayerChange(Document, frozen=True, kw_only=True):
    """One layer, before and now. `changed`: it was known, and is another one now."""

    old: Passed
    new: Passed
    changed: bool
    old_detail: str | None
    detail: str


class MetricValues(Document, frozen=True, kw_only=True):
    """The metrics of all layers, before (null without a score) and now."""

    old: dict[str, Metric] | None
    new: dict[str, Metric]


class Rescored(Document, frozen=True, kw_only=True, tag_field="status", tag="ok"):
    """A trace that was scored. `changed`: its verdict or a layer is another one than before."""

    trace: str
    scenario_id: str
    label: str
    run_id: str
    changed: bool
    verdict: Verdicts
    layers: dict[str, LayerChange]
    metrics: MetricValues
    metrics_changed: bool
    written: bool


class Unresolved(Document, frozen=True, kw_only=True, tag_field="status", tag="unresolved"):
    """A trace of a scenario that no pack defines."""

    trace: str
    scenario_id: str
    label: str
    run_id: str
    error: str


class NotScored(Document, frozen=True, kw_only=True, tag_field="status", tag="error"):
    """A trace that cannot be read or scored, or with a score that cannot be written."""

    trace: str
    error: str


Entry = Rescored | Unresolved | NotScored


class RescoreSummary(Document, frozen=True, kw_only=True):
    """Counts. `traces` are all that were found, `skipped` those that were filtered out."""

    traces: int = 0
    changed: int = 0
    new_gate_failures: int = 0
    invalid: int = 0
    unresolved: int = 0
    errors: int = 0
    written: int = 0
    skipped: int = 0


class Rescore(Document, frozen=True, kw_only=True):
    """Everything that was scored again, in the order of the paths."""

    windtunnel_rescore: int = RESCORE_VERSION
    traces: list[Entry]
    summary: RescoreSummary
