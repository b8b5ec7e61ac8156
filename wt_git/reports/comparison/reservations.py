"""What a reader has to know of the runs that a comparison rests on. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.naming import named
from wt_git.reports.comparison.words import names_of
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wt_git.records.comparison import Comparison

_PROBE = "probe"


def reservations(found: Comparison) -> Iterator[str]:
    """Yield a sentence for each label with verdicts that are less, or newer, than they look.

    A probe replays one step, so its pass is no pass of the scenario; a score that was made again
    is not what the sweep saw.
    """
    name = names_of(found)
    for label in found.labels:
        probed = [one for one in found.scenarios if one.tiers[label] == _PROBE]
        if probed:
            names = named([name(one.scenario_id, one.pack) for one in probed])
            yield (
                f"{len(probed)} scenario(s) of '{one_line(label)}' rest on a probe, which replays "
                f"one step and certifies nothing: {names}"
            )
        rescored = [one for one in found.scenarios if label in one.rescored]
        if rescored:
            names = named([name(one.scenario_id, one.pack) for one in rescored])
            yield (
                f"{len(rescored)} scenario(s) of '{one_line(label)}' were scored again since their "
                f"sweep: {names}"
            )
