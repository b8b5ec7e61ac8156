"""The document of `wt rescore --json` (docs/files.md, "Rescore")."""

from __future__ import annotations

from typing import Literal

from wt_git.records.documents.document import Document, Text

RESCORE_VERSION = 1

Passed = Literal["PASS", "FAIL", "UNKNOWN"]
Verdict = Literal["PASS", "FAIL", "INVALID", "UNKNOWN"]
Metric = bool | int | float | Text


class Verdicts(Document):
    """What the sidecar said and what today's definition says; `UNKNOWN` where nothing was said."""

    old: Verdict
    new: Verdict


class LayerChange(Document):
    """One layer, before and now. `changed`: it was known, and is another one now."""

    old: Passed
    new: Passed
    changed: bool
    old_detail: Text | None
    detail: Text


class MetricValues(Document):
    """The metrics of all layers, before (null without a score) and now."""

    old: dict[Text, Metric] | None
    new: dict[Text, Metric]


class Rescored(Document):
    """A trace that was scored. `changed`: its verdict or a layer is another one than before."""

    status: Literal["ok"] = "ok"
    trace: Text
    scenario_id: Text
    label: Text
    run_id: Text
    changed: bool
    verdict: Verdicts
    layers: dict[Text, LayerChange]
    metrics: MetricValues
    metrics_changed: bool
    written: bool


class Unresolved(Document):
    """A trace of a scenario that no pack defines."""

    status: Literal["unresolved"] = "unresolved"
    trace: Text
    scenario_id: Text
    label: Text
    run_id: Text
    error: Text


class NotScored(Document):
    """A trace that cannot be read or scored, or whose score cannot be written."""

    status: Literal["error"] = "error"
    trace: Text
    error: Text


Entry = Rescored | Unresolved | NotScored


class RescoreSummary(Document):
    """Counts. `traces` are all that were found, `skipped` those that were filtered out."""

    traces: int = 0
    changed: int = 0
    new_gate_failures: int = 0
    invalid: int = 0
    unresolved: int = 0
    errors: int = 0
    written: int = 0
    skipped: int = 0


class Rescore(Document):
    """Everything that was scored again, in the order of the paths."""

    windtunnel_rescore: int = RESCORE_VERSION
    traces: list[Entry]
    summary: RescoreSummary
