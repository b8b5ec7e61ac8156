"""A ledger row as it is read back: for the gate, for results, for forecasts of cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from wt_git.records.decoding import amount, flag, is_version, text, whole, within
from wt_git.records.sweep_records import LEDGER_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_PASSING = {"PASS", "PASS_WITH_VARIANCE"}


class ScenarioId(NamedTuple):
    """What tells a scenario apart: the pack that owns it (None: not known), and its name."""

    pack: str | None
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRow:
    """One row against `target`.

    `failed` is the sweep's own judgement, that of the exit code. `passes`: a focused row that may
    be evidence for its fingerprint, from a sweep that was not cut short. `parts` are the parts of
    the fingerprint as recorded, `sources` the files that decided the sweep; empty where a row names
    none.
    """

    target: str
    tier: str | None
    scenario: ScenarioId
    sweep_id: str | None
    verdict: str | None
    failed: bool
    passes: bool
    fingerprint: str | None
    parts: Mapping[str, Any]
    sources: Mapping[str, Any] = field(default_factory=dict)


def gate_row(record: Mapping[str, Any]) -> GateRow | None:
    """Return what `record` means to the gate; None for rows that name no target.

    Those without an experiment are neither history nor evidence. What a newer writer recorded may
    be a failure, but never a pass.
    """
    experiment = record.get("experiment")
    if not isinstance(experiment, dict):
        return None
    parts = experiment.get("fingerprint_parts")
    if not isinstance(parts, dict):
        return None
    target = parts["target"] if "target" in parts else parts.get("runtime")
    if not isinstance(target, str):
        return None
    tier = text(experiment.get("tier"))
    failed = _failed(record, experiment)
    cut_short = experiment.get("budget_exhausted") is True or experiment.get("interrupted") is True
    return GateRow(
        target=target,
        tier=tier,
        scenario=scenario_id(record),
        sweep_id=text(record.get("sweep_id")),
        verdict=text(record.get("verdict")),
        failed=failed,
        passes=tier == "focused" and not cut_short and not failed and _is_known(record),
        fingerprint=text(experiment.get("fingerprint")),
        parts=parts,
        sources=within(experiment.get("sources")),
    )


def scenario_id(record: Mapping[str, Any]) -> ScenarioId:
    """Return which scenario a record is about; a name that is no text is one all the same."""
    name = record.get("scenario_id")
    if isinstance(name, list | dict):  # of any depth, so not written out
        name = type(name).__name__
    return ScenarioId(text(record.get("pack")), str(name))


def _failed(record: Mapping[str, Any], experiment: Mapping[str, Any]) -> bool:
    said = experiment.get("counts_as_failure")
    return said if isinstance(said, bool) else text(record.get("verdict")) not in _PASSING


def _is_known(record: Mapping[str, Any]) -> bool:
    """Whether the row's version is one whose passes can be read; none at all is the oldest."""
    return is_version(record.get("windtunnel_ledger", 0), 0, LEDGER_VERSION)


class ScenarioLabel(NamedTuple):
    """What results are grouped by: the name of a scenario, and a label."""

    scenario: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRow:
    """A ledger row as tables need it: which runs it is about, and what they came to.

    `record` is the row as it stands in the ledger, of any age.
    """

    pair: ScenarioLabel
    pack: str | None
    tier: str | None
    sweep_id: str | None
    verdict: str | None
    run_ids: frozenset[str]
    budget_exhausted: bool | None
    interrupted: bool | None
    counts_as_failure: bool | None
    record: Mapping[str, Any]


class LedgerResults(NamedTuple):
    """The rows that results rest on, and how many lines were passed over on the way.

    Those are the lines that hold no row, and the rows of another version.
    """

    rows: dict[ScenarioLabel, tuple[ResultRow, ...]]
    passed_over: int


def may_be_shown(record: Mapping[str, Any]) -> bool | None:
    """Say whether results may rest on a row.

    False for a row of another version, None for one that names no scenario or label.
    """
    if not is_version(record.get("windtunnel_ledger", 0), 0, LEDGER_VERSION):
        return False
    is_named = isinstance(record.get("scenario_id"), str) and isinstance(record.get("label"), str)
    return True if is_named else None


def result_row(record: Mapping[str, Any]) -> ResultRow:
    """Return what results need of a row that may be shown."""
    experiment = within(record.get("experiment"))
    run_ids = record.get("run_ids")
    return ResultRow(
        pair=ScenarioLabel(record["scenario_id"], record["label"]),
        pack=text(record.get("pack")),
        tier=text(experiment.get("tier")),
        sweep_id=text(record.get("sweep_id")),
        verdict=text(record.get("verdict")),
        run_ids=frozenset(filter(text, run_ids if isinstance(run_ids, list) else [])),
        budget_exhausted=flag(experiment.get("budget_exhausted")),
        interrupted=flag(experiment.get("interrupted")),
        counts_as_failure=flag(experiment.get("counts_as_failure")),
        record=record,
    )


def rows_that_stand(rows: Iterable[ResultRow]) -> dict[ScenarioLabel, tuple[ResultRow, ...]]:
    """Return the rows that say what is working: per scenario and label the last of `rows`.

    One for each pack that owns a scenario of the name; a row that names no pack is about any of
    them. A probe replays a part of a scenario, so its row stands only where there is no other.
    """
    flights: dict[ScenarioLabel, dict[str | None, ResultRow]] = {}
    probes: dict[ScenarioLabel, dict[str | None, ResultRow]] = {}
    for row in rows:
        kept = probes if row.tier == "probe" else flights
        _replace(kept.setdefault(row.pair, {}), row)
    for pair, of_probes in probes.items():
        known = flights.setdefault(pair, {})
        if None not in known:
            only = [row for pack, row in of_probes.items() if pack not in known]
            known.update({row.pack: row for row in only if not known or row.pack is not None})
    return {pair: tuple(rows.values()) for pair, rows in flights.items()}


def _replace(rows: dict[str | None, ResultRow], row: ResultRow) -> None:
    if row.pack is None:
        rows.clear()
    else:
        rows.pop(None, None)
    rows[row.pack] = row


_DIVISION = Context(prec=28)
_EXPONENT_OFFSET = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PastCost:
    """What one row cost, for estimates.

    `cost_usd` is the total of the row, None where no price is recorded. `tokens_known` is what the
    price says of itself; without a price, whether the row has its tokens.
    """

    tier: str | None
    runs: int
    wall_s: float | None
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    cost_usd: Decimal | None
    tokens_known: bool


class IndexedRow(NamedTuple):
    """A row as the index keeps it.

    `target`, `failed` and `passes` are those of the gate, None for a row that means nothing to it.
    `model` is the label under test; for rows without fingerprint parts, the model of the first run.
    `cost_usd` is a decimal number as text. `cost_per_run` is there only where the price is known
    whole; it is a text that sorts as the amount does. `in_results`: whether results may show it;
    False for a row of another version, None for one that names no scenario or label.
    """

    target: str | None
    tier: str | None
    pack: str | None
    scenario: str
    label: str | None
    sweep_id: str | None
    model: str | None
    fingerprint: str | None
    git_tree: str | None
    failed: bool | None
    passes: bool | None
    runs: int | None
    wall_s: float | None
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    cost_usd: str | None
    tokens_known: bool | None
    cost_per_run: str | None
    in_results: bool | None


def indexed_row(record: Mapping[str, Any]) -> IndexedRow:
    """Return what the index keeps of `record`, any JSON object."""
    gate = gate_row(record)
    scenario = gate.scenario if gate else scenario_id(record)
    experiment = within(record.get("experiment"))
    parts = experiment.get("fingerprint_parts")
    runs = whole(record.get("runs"))
    cost = within(experiment.get("cost"))
    total, tokens_known = _priced(experiment)
    wall_s = amount(cost.get("wall_s"))
    per_run = _per_run(total, runs) if tokens_known else None
    return IndexedRow(
        target=gate.target if gate else None,
        tier=gate.tier if gate else text(experiment.get("tier")),
        pack=scenario.pack,
        scenario=scenario.name,
        label=text(record.get("label")),
        sweep_id=text(record.get("sweep_id")),
        model=text(parts.get("model") if isinstance(parts, dict) else record.get("model")),
        fingerprint=text(experiment.get("fingerprint")),
        git_tree=text(parts.get("git_tree")) if isinstance(parts, dict) else None,
        failed=gate.failed if gate else None,
        passes=gate.passes if gate else None,
        runs=runs,
        wall_s=None if wall_s is None else float(wall_s),
        input_tokens=whole(cost.get("input_tokens")),
        cached_tokens=whole(cost.get("cached_tokens")),
        output_tokens=whole(cost.get("output_tokens")),
        cost_usd=None if total is None else str(total),
        tokens_known=tokens_known,
        cost_per_run=None if per_run is None else sortable(per_run),
        in_results=may_be_shown(record),
    )


def past_cost(row: IndexedRow) -> PastCost:
    """Return what the row cost."""
    known = row.tokens_known
    if known is None:
        known = row.input_tokens is not None and row.output_tokens is not None
    return PastCost(
        tier=row.tier,
        runs=row.runs or 0,
        wall_s=row.wall_s,
        input_tokens=row.input_tokens,
        cached_tokens=row.cached_tokens,
        output_tokens=row.output_tokens,
        cost_usd=None if row.cost_usd is None else Decimal(row.cost_usd),
        tokens_known=known,
    )


def cost_per_run(row: IndexedRow) -> Decimal | None:
    """Return the price of one run, None where the price or a part of it is not known."""
    if row.cost_per_run is None or row.cost_usd is None:
        return None
    return _per_run(Decimal(row.cost_usd), row.runs)


def sortable(amount: Decimal) -> str:
    """Return a text of a number of at least 0; texts sort as the numbers do."""
    if not amount:
        return ""
    digits, _, exponent = f"{amount:e}".partition("e")
    return f"{int(exponent) + _EXPONENT_OFFSET:06d}{digits.replace('.', '').rstrip('0')}"


def _priced(experiment: Mapping[str, Any]) -> tuple[Decimal | None, bool | None]:
    """Return the recorded total and whether it covers the tokens; None where there is no price."""
    price = experiment.get("cost_usd")
    if not isinstance(price, dict):
        return None, None
    total = amount(price.get("total"))
    return total, total is not None and price.get("tokens_known") is True


def _per_run(total: Decimal | None, runs: int | None) -> Decimal | None:
    return _DIVISION.divide(total, Decimal(runs)) if total is not None and runs else None
