"""The index of a ledger: for each question, the offsets of the rows that answer it, and its file.

docs/ladder.md, "The ledger's index", says when it is trusted.
"""

from __future__ import annotations

import bisect
import contextlib
import hashlib
import os
import struct
import time
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from wt_git import files
from wt_git.records import layout
from wt_git.records.ledger.row import read_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet
    from decimal import Decimal
    from pathlib import Path

    from wt_git.records.ledger.row import Row, ScenarioId

MOST_PAST_ROWS = 60
"""As many rows of a scenario, against a target and on a model, are kept for forecasts."""

_HASH_BYTES = 12
ENTRY = struct.Struct(f"<{_HASH_BYTES}s{_HASH_BYTES}sq")
_FIRST, _LAST = bytes(_HASH_BYTES), b"\xff" * _HASH_BYTES
_BLOCK = 1 << 13


class Content(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """The content of an index file: the entries, and the offset up to which they cover the ledger."""

    version: int
    end: int
    rows: int
    skipped: int
    entries: bytes


VERSION = 4


@lru_cache(maxsize=1 << 14)
def key(*names: str | bytes | None) -> bytes:
    """Return a hash of `names` that no other names have."""
    return hashlib.blake2b(repr(names).encode(), digest_size=_HASH_BYTES).digest()


class Index:
    """The index of an open ledger; `about` is the state of the ledger that it was made in."""

    def __init__(self, about: str, content: Content | None = None) -> None:
        self.about = about
        self._content = content or Content(VERSION, 0, 0, 0, b"")
        self._groups: dict[bytes, dict[bytes, int]] = {}
        self._dearest: dict[bytes, Decimal] = {}
        self._written_end = self._content.end

    # ---- making it

    @property
    def end(self) -> int:
        """The offset up to which it covers the ledger."""
        return self._content.end

    @property
    def behind(self) -> int:
        """How many bytes of the ledger it covers that it did not when it was written."""
        return self._content.end - self._written_end

    def extend(self, ledger: int, size: int) -> None:
        """Cover the open ledger, which has `size` bytes. Raises `OSError`."""
        content = self._content
        with os.fdopen(os.dup(ledger), "rb", buffering=1 << 18) as stream:
            stream.seek(content.end)
            for line in stream:
                if content.end >= size:
                    break
                row = read_row(line)
                if row is not None:
                    content.rows += 1
                    self._add(ledger, content.end, row)
                else:
                    content.skipped += bool(line.strip())
                content.end += len(line)

    def packed(self) -> bytes:
        """Return it as `Content`, encoded."""
        known = ENTRY.iter_unpack(self._content.entries)
        entries = [entry for entry in known if entry[0] not in self._groups]
        for group, members in self._groups.items():
            entries += [(group, member, start) for member, start in members.items()]
        packed = b"".join(ENTRY.pack(*entry) for entry in sorted(entries))
        return msgspec.msgpack.encode(msgspec.structs.replace(self._content, entries=packed))

    def _add(self, ledger: int, start: int, row: Row) -> None:
        latest = self._entries
        scenario, label = key(*row.scenario), key("label", row.label)
        if row.sweep_id is not None:
            sweep = latest(key("sweep", row.sweep_id))
            sweep.setdefault(_FIRST, start)
            sweep[_LAST] = start
        if row.may_be_shown:
            latest(key("labels"))[label] = start
            latest(key("shown", label))[key(scenario, row.tier)] = start
        elif row.may_be_shown is False:
            counts = latest(key("of other versions"))
            counts[label] = counts.get(label, 0) + 1
        if row.target is not None and not row.data.is_none:
            self._add_to_target(start, row, scenario)
        if (cost := row.cost_per_run) is not None:
            self._add_price(ledger, start, key("price", scenario, row.model_under_test), cost)

    def _add_to_target(self, start: int, row: Row, scenario: bytes) -> None:
        latest = self._entries
        target = key("target", row.target)
        latest(key("targets"))[target] = start
        if row.tier == "regression":
            latest(key("regressions", target))[scenario] = start
        recent = latest(key("recent trees", target))
        if row.is_focused_pass:
            latest(key("passes", target))[scenario] = start
            latest(key("evidence", target, row.fingerprint))[scenario] = start
            recent.clear()
        recent[key("tree", row.git_tree)] = start
        past = latest(key("past", target, scenario, row.model_under_test))
        past[start.to_bytes(_HASH_BYTES, "big")] = start
        if len(past) > MOST_PAST_ROWS:
            del past[next(iter(past))]

    def _add_price(self, ledger: int, start: int, group: bytes, cost: Decimal) -> None:
        entries = self._entries(group)
        if _FIRST in entries and group not in self._dearest:
            known = read_at(ledger, entries[_FIRST]).cost_per_run
            if known is None:
                raise DamagedIndexError
            self._dearest[group] = known
        if _FIRST not in entries or cost > self._dearest[group]:
            entries[_FIRST] = start
            self._dearest[group] = cost

    def _entries(self, group: bytes) -> dict[bytes, int]:
        """Return the entries of a group, to be asked or changed."""
        found = self._groups.get(group)
        if found is None:
            found = self._groups[group] = dict(self._unpacked(group))
        return found

    def _unpacked(self, group: bytes) -> Iterator[tuple[bytes, int]]:
        entries, size = self._content.entries, ENTRY.size
        place = size * bisect.bisect_left(
            range(len(entries) // size),
            group,
            key=lambda number: entries[number * size : number * size + _HASH_BYTES],
        )
        while entries.startswith(group, place):
            _, member, start = ENTRY.unpack_from(entries, place)
            yield member, start
            place += size

    # ---- asking it: offsets of rows

    @property
    def rows(self) -> int:
        """How many lines hold a row."""
        return self._content.rows

    @property
    def skipped(self) -> int:
        """How many lines hold none."""
        return self._content.skipped

    def of_target(self, target: str) -> list[int]:
        """Return a row of a target, if there is one."""
        start = self._entries(key("targets")).get(key("target", target))
        return [] if start is None else [start]

    def for_gate(self, target: str, fingerprint: str) -> set[int]:
        """Return the rows of a target that the gate needs.

        Of each scenario the latest regression row, the latest focused pass, and the latest focused
        pass with `fingerprint`.
        """
        of = key("target", target)
        groups = key("regressions", of), key("passes", of), key("evidence", of, fingerprint)
        return {start for group in groups for start in self._entries(group).values()}

    def past(self, scenario: ScenarioId, target: str, model: str | None) -> list[int]:
        """Return the latest rows of a scenario against a target on a model, newest first."""
        group = key("past", key("target", target), key(*scenario), model)
        return sorted(self._entries(group).values(), reverse=True)

    def dearest(self, scenario: ScenarioId, model: str | None) -> Iterable[int]:
        """Return a row of a scenario on a model with the highest cost of a run, if any is known."""
        return self._entries(key("price", key(*scenario), model)).values()

    def shown(self, labels: AbstractSet[str] | None) -> list[int]:
        """Return of each label, scenario and tier the latest row, in the ledger's order."""
        groups = [key("shown", label) for label in self._labels("labels", labels)]
        return sorted(start for group in groups for start in self._entries(group).values())

    def of_other_versions(self, labels: AbstractSet[str] | None) -> int:
        """Return how many rows under `labels` (None: all) are those of another version."""
        counts = self._entries(key("of other versions"))
        return sum(counts.get(label, 0) for label in self._labels("of other versions", labels))

    def of_sweep(self, sweep_id: str) -> tuple[int, int] | None:
        """Return the first and the last row of a sweep; those of other sweeps may be between."""
        bounds = self._entries(key("sweep", sweep_id))
        return (bounds[_FIRST], bounds[_LAST]) if bounds else None

    def with_trees(self) -> Iterator[int]:
        """Yield the rows of each target from its latest focused pass on, and the latest passes.

        Of rows with the same tree one is enough.
        """
        for target in self._entries(key("targets")):
            for kind in ("recent trees", "passes"):
                yield from self._entries(key(kind, target)).values()

    def _labels(self, group: str, labels: AbstractSet[str] | None) -> list[bytes]:
        if labels is None:
            return list(self._entries(key(group)))
        return [key("label", label) for label in labels]


class DamagedIndexError(ValueError):
    """The index disagrees with the ledger."""


def read_at(ledger: int, start: int) -> Row:
    """Return the row that begins at an offset of the open ledger. Raises `DamagedIndexError`."""
    before = max(start - 1, 0)
    data = os.pread(ledger, _BLOCK, before)
    while b"\n" not in data[start - before :] and (
        more := os.pread(ledger, _BLOCK, before + len(data))
    ):
        data += more
    row = read_row(data[start - before :].partition(b"\n")[0])
    if row is None or (start and data[:1] != b"\n"):
        raise DamagedIndexError
    return row


_MAGIC = b"wt ledger index "
STATE_BYTES = 256
_TICKS = 8
_TICK_S = 0.005
_LOCK_TRIES = 300
_LOCK_PAUSE_S = 0.01


def identity(status: os.stat_result) -> str:
    """Return a text that differs once a file was written, replaced or touched."""
    return f"{status.st_dev}:{status.st_ino}:{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}"


def append_row(runs_dir: Path, line: str) -> None:
    """Append a row to the ledger, wait until it is on disk, and keep the index valid.

    Raises `OSError` when the ledger cannot be written. If the index cannot be kept valid, it is made
    again later.
    """
    path = runs_dir / layout.LEDGER_INDEX
    with files.locked_for_append(runs_dir / layout.LEDGER) as ledger:
        is_valid = _valid_data(path, ledger, STATE_BYTES) is not None
        files.append_to(ledger, line)
        stamped = _stamp(ledger) if is_valid else None
        os.fsync(ledger)
        if stamped is not None:
            with contextlib.suppress(OSError):
                files.write_over(path, _state(stamped))
                _mark(path, stamped)


def read_index(runs_dir: Path, ledger: int) -> Index | None:
    """Return the index if it is about the open ledger as it is now."""
    found = _valid_data(runs_dir / layout.LEDGER_INDEX, ledger)
    if found is None:
        return None
    data, status = found
    try:
        content = msgspec.msgpack.decode(memoryview(data)[STATE_BYTES:], type=Content)
        is_whole = content.version == VERSION and len(content.entries) % ENTRY.size == 0
        if not is_whole or not 0 <= content.end <= status.st_size:
            return None
        index = Index(identity(status), content)
        index.extend(ledger, status.st_size)
    except (OSError, ValueError):  # msgspec's errors are values'
        return None
    return index


def make_index(runs_dir: Path, ledger: int, *, anew: bool) -> Index | None:
    """Return an index of the open ledger that is kept for others; None where it cannot be kept.

    That is in a folder that is read-only, or on a file system without locks. The ledger stays locked
    until its descriptor is closed. Another process may have made the index meanwhile, which is enough
    unless it has to be made `anew`.
    """
    try:
        if not _locked(ledger):
            return None
        if not anew and (made := read_index(runs_dir, ledger)) is not None:
            return made
        path = runs_dir / layout.LEDGER_INDEX
        status = _settled(path, ledger)
        if status is None:
            return None
        index = Index(identity(status))
        index.extend(ledger, status.st_size)
        return index if _write(path, index, ledger, status) else None
    except (OSError, ValueError):
        return None


def write_again(runs_dir: Path, ledger: int, index: Index) -> None:
    """Write an index that was read, and covers more than when it was written."""
    with contextlib.suppress(OSError, ValueError):
        path = runs_dir / layout.LEDGER_INDEX
        if files.try_lock(ledger) and _valid_data(path, ledger, STATE_BYTES) is not None:
            _write(path, index, ledger, os.fstat(ledger))


def _write(path: Path, index: Index, ledger: int, status: os.stat_result) -> bool:
    """Write the file; say whether the ledger is still as it was."""
    if index.end != status.st_size or identity(os.fstat(ledger)) != identity(status):
        return False
    files.write_whole(path, _state(status) + index.packed())
    _mark(path, status)
    return True


def _state(ledger: os.stat_result) -> bytes:
    """Return the beginning of an index of a ledger in this state, written since the machine started.

    It is never synced to the disk, so after another start nothing is known of it.
    """
    boot = b""
    with contextlib.suppress(OSError), open("/proc/sys/kernel/random/boot_id", "rb") as stream:  # noqa: PTH123
        boot = stream.read().strip()
    said = b"%s%d\n%s\n%s\n" % (_MAGIC, VERSION, identity(ledger).encode(), boot)
    return said.ljust(STATE_BYTES)


def _mark(index: Path, ledger: os.stat_result) -> None:
    """Make the index valid: a later write into it changes its time."""
    os.utime(index, ns=(ledger.st_mtime_ns, ledger.st_mtime_ns))


def _valid_data(
    path: Path, ledger: int, most: int | None = None
) -> tuple[bytes, os.stat_result] | None:
    """Return the data of the index, of it `most` bytes, and the state of the ledger that it is about.

    None unless that is the state of the open ledger now.
    """
    try:
        index = files.open_regular(path)
        if index is None:
            return None
        with os.fdopen(index, "rb") as stream:
            data = stream.read(most)
            written = os.fstat(index).st_mtime_ns
        status = os.fstat(ledger)
    except OSError:
        return None
    is_valid = written == status.st_mtime_ns and data[:STATE_BYTES] == _state(status)
    return (data, status) if is_valid else None


def _locked(descriptor: int) -> bool:
    for _ in range(_LOCK_TRIES):
        if files.try_lock(descriptor):
            return True
        time.sleep(_LOCK_PAUSE_S)
    return False


def _settled(path: Path, ledger: int) -> os.stat_result | None:
    """Return the state of the ledger once every later change will show in its times.

    The clock of a file system advances in ticks, and two changes within one look alike. A file
    that is written now shows the present time of the file system.
    """
    for _ in range(_TICKS):
        files.write_whole(path, b"")
        status = os.fstat(ledger)
        if path.stat().st_ctime_ns > status.st_ctime_ns:
            return status
        time.sleep(_TICK_S)
    return None


def _stamp(ledger: int) -> os.stat_result | None:
    """Give the ledger a time that no later change can have: a moment ago. None if that fails.

    Without it, a change by others within the same tick of the clock could not be told from ours.
    """
    with contextlib.suppress(OSError):  # only the owner of a file may
        written = os.fstat(ledger)
        os.utime(ledger, ns=(written.st_atime_ns, written.st_mtime_ns - 1))
        stamped = os.fstat(ledger)
        if stamped.st_mtime_ns < written.st_mtime_ns and stamped.st_size == written.st_size:
            return stamped
    return None
