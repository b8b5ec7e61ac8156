"""Probes: one scenario, played live from a user turn of a saved trace on (docs/ladder.md, "Probes")."""

from __future__ import annotations

import copy
import glob
import os
from typing import TYPE_CHECKING

import msgspec

from wt_git.api.replay import HistoryPrefix, split_at_user_turn
from wt_git.errors import UsageError
from wt_git.sweep.selection import Selected, Unmatched, select
from wt_git.sweep.trace_files import (
    TRACE_FAILURES,
    failure_reason,
    read_trace,
    trace_of_score,
)
from wt_git.text import (
    did_you_mean,
    near_matches,
    one_line,
    scenario_name,
    shortened_list,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from wt_git.api.pack import ScenarioPack
    from wt_git.api.scenario import Scenario
    from wt_git.api.trace import Trace
    from wt_git.sweep.selection import Selectors

_NAMED = 10


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """A saved trace and where to take it up. `source` and `from_turn` are as typed.

    `from_turn` counts user turns from 1; None is the last one.
    """

    source: str
    from_turn: int | None
    trace: Trace

    @property
    def prefix(self) -> HistoryPrefix:
        """The turns that are replayed, not played. Raises `UsageError` as `live` does."""
        return self._split()[0]

    @property
    def live(self) -> list[str]:
        """The live messages of the user: the chosen turn and all later ones.

        Raises `UsageError` when the trace has no such turn, or when one of them says nothing.
        """
        return self._split()[1]

    def _split(self) -> tuple[HistoryPrefix, list[str]]:
        texts = [turn.content for turn in self.trace.turns if turn.role == "user"]
        if not texts:
            raise self._refused(
                "has no user turns, so there is nothing to play from", 0, code="no-user-turns"
            )
        first = len(texts) if self.from_turn is None else self.from_turn
        if not 1 <= first <= len(texts):
            raise self._refused(
                f"has {_plural(len(texts), 'user turn')}, so --from-turn {first} is out of range; "
                f"choose one from 1 to {len(texts)}",
                len(texts),
                code="turn-out-of-range",
            )
        for number, text in enumerate(texts[first - 1 :], first):
            if not text.strip():
                raise self._refused(
                    f"says nothing in user turn {number}, and an empty turn cannot be sent",
                    len(texts),
                    code="empty-user-turn",
                )
        return split_at_user_turn(self.trace, self.from_turn)

    def _refused(self, problem: str, user_turns: int, *, code: str) -> UsageError:
        return UsageError(
            f"the trace '{one_line(self.source)}' {problem}",
            code=code,
            facts={"path": self.source, "from_turn": self.from_turn, "user_turns": user_turns},
        )


def load_probe(path: Path | str, from_turn: int | None, *, option: str = "--from-trace") -> Probe:
    """Read the trace at `path`, which is kept as typed.

    Raises `UsageError`, which names the `option`, for anything but a trace that this version reads.
    """
    source = os.fspath(path)
    try:
        trace = read_trace(source)
    except TRACE_FAILURES as problem:
        raise _unloadable(source, problem, option) from problem
    return Probe(source=source, from_turn=from_turn, trace=trace)


def _unloadable(source: str, problem: Exception, option: str) -> UsageError:
    reason = failure_reason(problem)
    trace = trace_of_score(source)
    hint = () if trace is None else (f"this is the score of a run; its trace is {one_line(trace)}",)
    return UsageError(
        f"cannot load {option} '{one_line(source)}': {one_line(reason, 300)}",
        code="trace-not-loaded",
        hints=hint,
        facts={"path": source, "reason": reason},
    )


def probe_selectors(selectors: Selectors, trace: Trace) -> Selectors:
    """Return `selectors` with the trace's scenario, taken literally, where none was asked for."""
    if selectors.scenarios:
        return selectors
    return msgspec.structs.replace(selectors, scenarios=(glob.escape(trace.scenario_id),))


def select_probed(
    packs: Sequence[ScenarioPack], selectors: Selectors, probe: Probe
) -> list[Selected]:
    """Return the one scenario that `probe` replays, with the live turns in place of its own.

    `selectors` are those of `probe_selectors`, perhaps limited to some packs. Raises `UsageError`
    when they choose anything but the trace's scenario, or when the trace has no such turn.
    """
    name = probe.trace.scenario_id
    if selectors.scenarios == (glob.escape(name),):
        _check_known(packs, name)
    selected = select(packs, selectors)
    check_selection(selected, probe.trace)
    return [Selected(item.pack, live_scenario(item.scenario, probe.live)) for item in selected]


def _check_known(packs: Sequence[ScenarioPack], name: str) -> None:
    """Say that the pack is missing; `select` would name a selector that was not typed."""
    names = sorted({scenario.name for pack in packs for scenario in pack.scenarios})
    if name not in names:
        raise UsageError(
            f"unknown scenario(s): {one_line(name)}, which the trace is of"
            f"{did_you_mean(name, names)}",
            code="selector-unmatched",
            hints=(
                "name the pack that owns it: --pack-source path/to/file.py:attr",
                "or, if it was renamed since, run it whole under its new name",
            ),
            facts={
                "scenario": name,
                "unmatched": [Unmatched("scenario", name, near_matches(name, names)).as_fact()],
            },
        )


def check_selection(selected: Sequence[Selected], trace: Trace) -> None:
    """Raise `UsageError` unless exactly the trace's scenario is selected, of one pack."""
    name = trace.scenario_id
    if [item.scenario.name for item in selected] == [name]:
        return
    chosen = [scenario_name(item.pack.name, item.scenario.name) for item in selected]
    owners = [item.pack.name for item in selected if item.scenario.name == name]
    raise UsageError(
        f"A probe runs exactly the trace's scenario, '{one_line(name)}'; selected: {_shown_names(chosen)}",
        code="probe-selection",
        hints=(_remedy(owners),),
        facts={
            "scenario": name,
            "selected": [
                {"pack": item.pack.name, "scenario": item.scenario.name} for item in selected
            ],
        },
    )


def _remedy(owners: Sequence[str]) -> str:
    if len(owners) > 1:
        packs = " or ".join(f"--pack {one_line(owner)}" for owner in owners)
        return f"more than one pack owns a scenario of this name: add {packs}"
    return "without --scenario the trace's own scenario is selected"


def _shown_names(names: Sequence[str]) -> str:
    return shortened_list([one_line(name) for name in names], most=_NAMED) or "nothing"


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def live_scenario(scenario: Scenario, live: Sequence[str]) -> Scenario:
    """Return a copy of `scenario` in which the user says `live`; everything else stays.

    A copy, since a subclass may have another constructor and more attributes.
    """
    changed = copy.copy(scenario)
    changed.user_turns = list(live)
    changed.prompt = live[-1]
    return changed
