"""A ledger row as it is read back: by the gate, by results, by forecasts and as evidence.

Rows are read leniently: a member that an older or newer writer wrote in another way is unknown.
"""

from __future__ import annotations

from decimal import Context, Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from wt_git.decoding import Amount, Count, DecodingError, decode, is_version, json_object
from wt_git.records.fingerprint import TREE_ID, parts_from_record
from wt_git.records.layout import LEDGER_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable

_DIVISION = Context(prec=28)
_PASSING = {"PASS", "PASS_WITH_VARIANCE"}


class ScenarioId(NamedTuple):
    """The pack that owns a scenario (None: not known), and the scenario's name."""

    pack: str | None
    name: str


class ScenarioLabel(NamedTuple):
    """The name of a scenario, and a label: results are grouped by both."""

    scenario: str
    label: str


class RecordedCost(msgspec.Struct, frozen=True):
    """Seconds of wall clock, and tokens; None where unknown."""

    wall_s: Amount | None = None
    input_tokens: Count | None = None
    cached_tokens: Count | None = None
    output_tokens: Count | None = None
    cache_write_tokens: Count | None = None


class RecordedPrice(msgspec.Struct, frozen=True):
    """Dollars for tokens of each kind and for time; None where unknown."""

    uncached_input: Amount | None = None
    cache_read: Amount | None = None
    output: Amount | None = None
    time: Amount | None = None
    total: Amount | None = None
    tokens_known: bool = False


class RecordedData(msgspec.Struct, frozen=True):
    """How many of the runs are data, of how many; None where that was not recorded."""

    runs: Count | None = None
    of: Count | None = None
    by_class: dict[str, Any] = {}

    @property
    def is_none(self) -> bool:
        """Whether no run is data."""
        return self.runs == 0 and bool(self.of)

    @property
    def is_partial(self) -> bool:
        """Whether some run is no data."""
        return self.runs is not None and self.of is not None and self.runs < self.of


class RecordedExperiment(msgspec.Struct, frozen=True, kw_only=True):
    """The experiment of a row: the purpose of its sweep, and the code under test."""

    tier: str | None = None
    counts_as_failure: bool | None = None
    interrupted: bool | None = None
    budget_exhausted: bool | None = None
    fingerprint: str | None = None
    fingerprint_parts: dict[str, Any] | None = None
    tree_under_test: str | None = None
    sources: dict[str, Any] = {}
    cost: RecordedCost = RecordedCost()
    cost_usd: RecordedPrice | None = None


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One row. None: not recorded, or not in a way that can be read. `raw` is its line as written.

    `scenario_id` may have any type; `scenario` is a name all the same.
    """

    windtunnel_ledger: Any = 0
    scenario_id: Any = None
    pack: str | None = None
    label: str | None = None
    model: str | None = None
    verdict: str | None = None
    sweep_id: str | None = None
    runs: Count | None = None
    failure_risk: Amount | None = None
    run_ids: frozenset[str] = frozenset()
    data: RecordedData = RecordedData()
    experiment: RecordedExperiment = RecordedExperiment()
    raw: Any = b""

    @property
    def record(self) -> dict[str, Any]:
        """The whole row as JSON holds it."""
        return json_object(self.raw)

    @property
    def scenario(self) -> ScenarioId:
        """The scenario that the row is about."""
        name = self.scenario_id
        if isinstance(name, list | dict):  # of any depth, so not written out
            name = type(name).__name__
        return ScenarioId(self.pack, str(name))

    @property
    def tier(self) -> str | None:
        """The tier of the row's sweep."""
        return self.experiment.tier

    @property
    def fingerprint(self) -> str | None:
        """The hash of the code under test, or a word that says why there is none."""
        return self.experiment.fingerprint

    @property
    def cost(self) -> RecordedCost:
        """The seconds and tokens that its runs took."""
        return self.experiment.cost

    @property
    def recorded_parts(self) -> dict[str, Any]:
        """The parts of the fingerprint, as recorded."""
        return self.experiment.fingerprint_parts or {}

    @property
    def target(self) -> str | None:
        """The target; None for a row that is neither history nor evidence to the gate."""
        parts = self.recorded_parts
        found = parts["target"] if "target" in parts else parts.get("runtime")
        return found if isinstance(found, str) else None

    @property
    def git_tree(self) -> str | None:
        """The tree of the working directory, as recorded."""
        found = self.recorded_parts.get("git_tree")
        return found if isinstance(found, str) else None

    @property
    def model_under_test(self) -> str | None:
        """The model's label; for rows without fingerprint parts the model of the first run."""
        parts = self.experiment.fingerprint_parts
        if parts is None:
            return self.model
        found = parts.get("model")
        return found if isinstance(found, str) else None

    @property
    def failed(self) -> bool:
        """Whether its sweep counted it as a failure."""
        said = self.experiment.counts_as_failure
        return self.verdict not in _PASSING if said is None else said

    @property
    def is_focused_pass(self) -> bool:
        """Whether it may be evidence for its fingerprint: a pass of a sweep that was not cut short.

        A row of a newer version may be a failure, but never a pass.
        """
        of = self.experiment
        cut_short = of.budget_exhausted or of.interrupted or self.data.is_partial
        return (
            self.tier == "focused"
            and not cut_short
            and not self.failed
            and is_version(self.windtunnel_ledger, 0, LEDGER_VERSION)
        )

    @property
    def trees(self) -> tuple[str, ...]:
        """The trees that it is about: the snapshot, and the snapshot without the paths not under test.

        Empty unless its fingerprint is that of the parts beside it.
        """
        known = parts_from_record(self.recorded_parts)
        try:
            if known is None or known.value() != self.fingerprint:
                return ()
        except UnicodeEncodeError:  # half a surrogate pair
            return ()
        found = (known.git_tree, self.experiment.tree_under_test)
        return tuple(dict.fromkeys(one for one in found if one and TREE_ID.fullmatch(one)))

    def against(self, target: str) -> Row:
        """Return the row as one against another target."""
        return self._with(fingerprint_parts={**self.recorded_parts, "target": target})

    def with_fingerprint(self, fingerprint: str) -> Row:
        """Return the row as one with another fingerprint."""
        return self._with(fingerprint=fingerprint)

    def _with(self, **changed: object) -> Row:
        experiment = msgspec.structs.replace(self.experiment, **changed)
        return msgspec.structs.replace(self, experiment=experiment)

    @property
    def may_be_shown(self) -> bool | None:
        """Whether results may rest on it.

        False for a row of another version, None for one that names no scenario or label.
        """
        if not is_version(self.windtunnel_ledger, 0, LEDGER_VERSION):
            return False
        return True if isinstance(self.scenario_id, str) and self.label is not None else None

    @property
    def cost_usd(self) -> Decimal | None:
        """The total, as the ledger shows it."""
        price = self.experiment.cost_usd
        return None if price is None or price.total is None else Decimal(str(price.total))

    @property
    def cost_per_run(self) -> Decimal | None:
        """The price of one run; None where the price, or a part of it, is not known."""
        price, total = self.experiment.cost_usd, self.cost_usd
        if price is None or total is None or not price.tokens_known or not self.runs:
            return None
        return _DIVISION.divide(total, Decimal(self.runs))

    @property
    def tokens_known(self) -> bool:
        """Whether the price covers the tokens; without a price, whether the tokens are known."""
        price, cost = self.experiment.cost_usd, self.experiment.cost
        if price is not None:
            return price.total is not None and price.tokens_known
        return cost.input_tokens is not None and cost.output_tokens is not None


def read_row(line: bytes) -> Row | None:
    """Return the row in a line of a ledger; None when it holds no JSON object."""
    line = line.removesuffix(b"\n").removesuffix(b"\r")
    try:
        return msgspec.structs.replace(decode(line, Row, lenient=True), raw=line)
    except DecodingError:
        return None


class LedgerResults(NamedTuple):
    """The rows that results rest on, and how many lines were passed over on the way.

    Those are the lines that hold no row, and the rows of another version.
    """

    rows: dict[ScenarioLabel, tuple[Row, ...]]
    passed_over: int


def rows_that_stand(rows: Iterable[Row]) -> dict[ScenarioLabel, tuple[Row, ...]]:
    """Return the rows that results rest on: per scenario and label the last of `rows`.

    One for each pack that owns a scenario of the name; a row that names no pack is about any of
    them. A probe replays a part of a scenario, so its row counts only where there is no other.
    """
    whole: dict[ScenarioLabel, dict[str | None, Row]] = {}
    probes: dict[ScenarioLabel, dict[str | None, Row]] = {}
    for row in rows:
        kept = probes if row.tier == "probe" else whole
        by_pack = kept.setdefault(ScenarioLabel(row.scenario_id, row.label or ""), {})
        if row.pack is None:
            by_pack.clear()
        else:
            by_pack.pop(None, None)
        by_pack[row.pack] = row
    for key, of_probes in probes.items():
        known = whole.setdefault(key, {})
        if None not in known:
            only = [row for pack, row in of_probes.items() if pack not in known]
            known.update({row.pack: row for row in only if not known or row.pack is not None})
    return {key: tuple(rows.values()) for key, rows in whole.items()}
