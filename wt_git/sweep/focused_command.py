"""The command that runs one scenario alone, with everything that decides what is under test."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wt_git.sweep.request import DEFAULT_LABEL
from wt_git.text import shell_word

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from wt_git.sweep.request import SweepRequest
    from wt_git.sweep.selection import Selected

DEFAULT_RUNS_DIR = "runs"

_GLOB = re.compile(r"[*?\[]")


def focused_command(request: SweepRequest, selected: Selected) -> str:
    """Return a `wt run` of `selected` and nothing else, on what `request` is about; ready to paste.

    The pack is that of the scenario, whatever `request` chose by; its name reads as itself where it
    has characters of a pattern.
    """
    name = _GLOB.sub(r"[\g<0>]", selected.scenario.name)
    return " ".join(
        [
            "wt run",
            _option("--scenario", name),
            *_context(request, selected.pack.name),
            '--runs 3 --question "…" --expect pass',
        ]
    )


def results_command(runs_dir: Path) -> str:
    """Return the command that shows what earlier runs came to; ready to paste."""
    return f"wt results {_option('--runs', str(runs_dir))}"


def _context(request: SweepRequest, pack: str) -> Iterator[str]:
    yield _option("--runtime", request.runtime)
    if str(request.runs_dir) != DEFAULT_RUNS_DIR:
        yield _option("--runs-dir", str(request.runs_dir))
    for source in request.pack_sources:
        yield _option("--pack-source", source)
    yield _option("--pack", pack)
    if request.all_packs:
        yield "--all-packs"
    if request.soul is not None:
        yield _option("--soul", str(request.soul))
    if request.agents is not None:
        yield _option("--agents", str(request.agents))
    if request.label != DEFAULT_LABEL:
        yield _option("--label", request.label)


def _option(name: str, value: str) -> str:
    """Return an option with its value, in one word where the value looks like an option itself."""
    return f"{name}={shell_word(value)}" if value.startswith("-") else f"{name} {shell_word(value)}"
