"""Completion behind a command: its options, and names from a runs directory, where nothing is written.

Only the newest records are read, so that a TAB takes the same time after years of history. Names with
characters that a terminal would obey are not offered.
"""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from click.shell_completion import CompletionItem, ShellComplete

from wt_git.files import read_lines_backwards
from wt_git.records import layout
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias

    import click

    Items: TypeAlias = list[CompletionItem[str]]

_NEWEST = 1000
_MOST_FOLDERS = 1000


def of_command(command: click.Command, name: str, words: Sequence[str], current: str) -> Items:
    """Return click's candidates for the word `current` behind `wt <name> <words>`."""
    before_cursor = getattr(command, "before_cursor", list)
    complete = ShellComplete(command, {}, f"wt {name}", "")
    return complete.get_completions(before_cursor(words), current)


def labels(ctx: click.Context, incomplete: str) -> Items:
    """Return the labels of recorded sweeps, the newest first."""
    return _items(((name, "") for name in _labels(_runs_dir(ctx))), incomplete)


def sweeps(ctx: click.Context, incomplete: str) -> Items:
    """Return the ids of recorded sweeps, the newest first, with when each was and under which label."""
    return _items(_sweeps(_runs_dir(ctx)), incomplete)


def scenarios(ctx: click.Context, incomplete: str) -> Items:
    """Return the scenarios that have runs, as their folders are named."""
    names = _folders(_runs_dir(ctx))
    return _items(((name, "") for name in names if name != "selftest"), incomplete)


def files(_ctx: click.Context, incomplete: str) -> Items:
    """Let the shell complete a path."""
    return [CompletionItem(incomplete, type="file")]


def _runs_dir(ctx: click.Context) -> Path:
    """Return the directory that the command line names so far, else the usual one."""
    return ctx.params.get("runs_dir") or Path("runs")


def _items(found: Iterable[tuple[str, str]], incomplete: str) -> Items:
    offered: dict[str, str] = {}
    for name, about in found:
        if name.startswith(incomplete) and name and name == one_line(name):
            offered.setdefault(name, about)
    return [CompletionItem(name, help=about or None) for name, about in offered.items()]


def _labels(runs_dir: Path) -> Iterator[str]:
    yield from (str(record.get("label", "")) for record in _records(runs_dir))
    # Runs that were copied without their records have the label in their path.
    agents = islice(
        (agent for scenario in _folders(runs_dir) for agent in _below(runs_dir / scenario)),
        _MOST_FOLDERS,
    )
    for agent in agents:
        yield from (path.name for path in _below(agent))


def _sweeps(runs_dir: Path) -> Iterator[tuple[str, str]]:
    for record in _records(runs_dir):
        said = (record.get("ts"), record.get("tier"), record.get("label"))
        yield str(record.get("sweep_id", "")), ", ".join(str(one) for one in said if one)


def _records(runs_dir: Path) -> Iterator[dict[str, Any]]:
    """Yield the records of the newest sweeps: of those that began, then of those that ended."""
    for name in (layout.EVENTS, layout.EXPERIMENTS):
        for line in islice(read_lines_backwards(runs_dir / name), _NEWEST):
            if line.record.get("event") == "sweep_started" or line.record.get("kind") == "sweep":
                yield line.record


def _folders(runs_dir: Path) -> list[str]:
    return [path.name for path in _below(runs_dir)]


def _below(folder: Path) -> list[Path]:
    """Return the folders in `folder` by name; none where it cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            found = [entry.name for entry in islice(entries, _MOST_FOLDERS) if entry.is_dir()]
    except OSError:
        return []
    return [folder / name for name in sorted(found) if not name.startswith(".")]
