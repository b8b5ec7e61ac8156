"""Finds saved runs below a runs directory, by label and scenario, and which run each of them is."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from wt_git import files
from wt_git.api.trace import folder_name
from wt_git.errors import os_reason
from wt_git.records import layout
from wt_git.text import sorted_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

BEGIN_BYTES = 1 << 14
"""The part of a file that a look at it reads."""

HALF_A_PAIR = re.compile(rb"\\u[dD][89a-fA-F]")
"""Where a JSON file may hold half a surrogate pair."""

_LABEL_PLACE = 2
_STAMPED = re.compile(r"\d{8}T\d{12}Z_[\w-]+\.json")
_TEXT = rb'("(?:[^"\\\x00-\x1f]|\\.)*")'
# The first keys of a trace in the order in which this program writes them.
_HEAD = re.compile(
    rb'\{\s*"windtunnel_trace": 1,\s*"run_id": %b,\s*"scenario_id": %b,\s*"agent_id": %b,'
    rb'\s*"variant_id": %b,' % (_TEXT, _TEXT, _TEXT, _TEXT)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFilter:
    """The runs to read: exact labels (None: all), and patterns for scenarios (none: all)."""

    labels: AbstractSet[str] | None = None
    scenarios: Sequence[str] = ()

    def label(self, label: str) -> bool:
        """Say whether runs under `label` were asked for."""
        return self.labels is None or label in self.labels

    def scenario(self, name: str) -> bool:
        """Say whether a scenario of this name was asked for."""
        return not self.scenarios or any(fnmatchcase(name, glob) for glob in self.scenarios)

    def run(self, scenario: str, label: str) -> bool:
        """Say whether runs of `scenario` under `label` were asked for."""
        return self.label(label) and self.scenario(scenario)

    def unmatched(self, names: Iterable[str]) -> list[str]:
        """Return the patterns, each once, that none of the scenarios `names` matches."""
        there = list(names)
        return [
            glob
            for glob in dict.fromkeys(self.scenarios)
            if not any(fnmatchcase(name, glob) for name in there)
        ]


def missing_labels(missing: Iterable[str], present: Iterable[str], *, of: str = "runs") -> str:
    """Return the sentence for labels without records, with those that have some."""
    return (
        f"no {of} with label(s): {sorted_names(missing)}; labels present: {sorted_names(present)}"
    )


def missing_scenarios(patterns: Iterable[str], present: Iterable[str]) -> str:
    """Return the sentence for patterns that match no scenario, with the existing ones."""
    return f"no scenario matched {sorted_names(patterns)}; there is: {sorted_names(present)}"


class UnreadableRunError(ValueError):
    """A trace or its score cannot be read."""


class RunFile(NamedTuple):
    """A file that has the name of a trace; `is_scored`: it has a score beside it."""

    path: str
    is_scored: bool

    @property
    def is_stamped(self) -> bool:
        """Whether its name is one that `wt` gives to runs."""
        return _STAMPED.fullmatch(os.path.basename(self.path)) is not None  # noqa: PTH119 - hot


class RunIdentity(NamedTuple):
    """Which run a trace is of."""

    run_id: str
    scenario: str
    label: str


def run_files(
    runs_dir: Path,
    label_folders: AbstractSet[str] | None = None,
    *,
    on_closed: Callable[[str, OSError], None] = lambda _path, _error: None,
    on_orphan: Callable[[str], None] = lambda _path: None,
) -> Iterator[RunFile]:
    """Yield the traces below `runs_dir` by their paths, in the order of folders and names.

    With `label_folders`, traces in the folders of other labels are left out; those in other places, such
    as a folder of copies, are not. `on_closed` gets folders that cannot be listed, `on_orphan` scores
    without a trace. Raises `OSError` when `runs_dir` itself cannot be listed.
    """
    left: list[RunFile | _Folder] = [_Folder(str(runs_dir), ())]
    while left:  # not by recursion: folders may be nested deeper than Python calls
        one = left.pop()
        if isinstance(one, RunFile):
            yield one
            continue
        try:
            left += reversed(list(_listed(one, label_folders, on_orphan)))
        except OSError as error:
            if not one.place:
                raise
            on_closed(one.path, error)


class _Folder(NamedTuple):
    """A folder to search, and the names that lead to it from the runs directory."""

    path: str
    place: tuple[str, ...]

    @property
    def is_hidden(self) -> bool:
        """Whether one of the names begins with a dot."""
        return any(name.startswith(".") for name in self.place)


def _listed(
    folder: _Folder, label_folders: AbstractSet[str] | None, on_orphan: Callable[[str], None]
) -> Iterator[RunFile | _Folder]:
    place, is_hidden = folder.place, folder.is_hidden
    if is_hidden and len(place) > layout.RUN_FOLDERS:
        return
    with os.scandir(folder.path) as listing:
        by_name = {entry.name: entry for entry in listing}
    elsewhere = (
        label_folders is not None
        and len(place) == layout.RUN_FOLDERS
        and place[_LABEL_PLACE] not in label_folders
    )
    for name in sorted(by_name):
        entry = by_name[name]
        if entry.is_dir(follow_symlinks=False):
            # Of the place only its depth and the label matter, so its beginning is enough.
            yield _Folder(entry.path, (*place, name)[: layout.RUN_FOLDERS + 1])
        elif _has_the_name_of_a_trace(name) and _is_file(entry):
            found = RunFile(entry.path, layout.sidecar_name(name) in by_name)
            if elsewhere and found.is_stamped:
                continue
            if not is_hidden or _is_stored_there(found, place):
                yield found
        elif name.endswith(layout.SIDECAR_SUFFIX) and not (elsewhere or is_hidden):
            trace = name.removesuffix(layout.SIDECAR_SUFFIX) + ".json"
            if not _is_file(by_name.get(trace)) and _STAMPED.fullmatch(trace):
                on_orphan(entry.path)


def _is_file(entry: os.DirEntry[str] | None) -> bool:
    """Say whether this is a file, or a link to one."""
    try:
        return entry is not None and entry.is_file()
    except OSError:
        return False


def _has_the_name_of_a_trace(name: str) -> bool:
    return name.endswith(".json") and name.count(".") == 1 and name != ".json"


def _is_stored_there(file: RunFile, place: tuple[str, ...]) -> bool:
    """Say whether the trace names the scenario and the label that its folders are named after."""
    if len(place) != layout.RUN_FOLDERS or not file.is_stamped:
        return False
    said = peek(file.path)
    return said is not None and (
        (folder_name(said.scenario), folder_name(said.label)) == (place[0], place[_LABEL_PLACE])
    )


def peek(path: str) -> RunIdentity | None:
    """Return which run the trace at `path` is of, from its first bytes.

    None for traces in another form than the present one; those have to be read.
    """
    return identity_of(begin_of(path))


def begin_of(path: str) -> bytes:
    """Return up to `BEGIN_BYTES` of a file, nothing when it cannot be read.

    With fewer bytes than that, which is usual, it is all of the file; see `is_all`.
    """
    return files.read_beginning(path, BEGIN_BYTES)


def is_all(begin: bytes) -> bool:
    """Say whether `begin`, from `begin_of`, is all of a file that could be read."""
    return 0 < len(begin) < BEGIN_BYTES


def whole_file(path: str, what: str) -> bytes:
    """Return the data of the `what` at `path`. Raises `UnreadableRunError`."""
    begin = begin_of(path)
    try:
        return begin if is_all(begin) else files.read_regular(path)
    except OSError as error:
        raise UnreadableRunError(f"{what}: {os_reason(error)}") from error


def identity_of(data: bytes) -> RunIdentity | None:
    """Return which run a trace is of that begins with `data`, as `peek` does."""
    head = _HEAD.match(data)
    if head is None:
        return None
    try:
        run_id, scenario, _, label = map(_text, head.groups())
    except ValueError:
        return None
    return RunIdentity(run_id, scenario, label)


def _text(literal: bytes) -> str:
    if b"\\" in literal:
        return str(json.loads(literal))
    return literal[1:-1].decode()
