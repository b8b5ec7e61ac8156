"""Questions to the ledger: the answers are those of reading every line of it now."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit import noted_sweeps

from wt_git import files
from wt_git.decoding import convert
from wt_git.errors import UsageError
from wt_git.records import layout
from wt_git.records.ledger import index
from wt_git.records.ledger.index import ENTRY, STATE_BYTES, VERSION, Content, append_row
from wt_git.records.ledger.ledger import Ledger
from wt_git.records.ledger.row import (
    LedgerResults,
    RecordedCost,
    Row,
    ScenarioId,
    read_row,
    rows_that_stand,
)

if TYPE_CHECKING:
    from collections.abc import Callable

LEDGER = Path(layout.LEDGER)
INDEX = Path(layout.LEDGER_INDEX)
TARGETS = ["one", "two", "ein \u2028 Ziel", "\ud800"]
FINGERPRINTS = ["sha256:a", "sha256:b", "changed-during-sweep"]
PACKS = [None, "p", "q", "\udfff"]
NAMES = ["s", "t", "", "0"]
MODELS = [None, "small", "large"]
LABELS = ["a", "b", "\u2028", "\ud800"]
SWEEPS = [noted_sweeps.row(number)["sweep_id"] for number in (1, 2)]
EVERY_SCENARIO = [ScenarioId(pack, name) for pack in PACKS for name in NAMES]


class Plain:
    """The same questions, answered by reading every line."""

    def __init__(self) -> None:
        report = files.LineReport()
        lines = list(files.read_lines(LEDGER, report))
        self.records = [line.record for line in lines]
        self.skipped = report.skipped
        self.every_row = [row for line in lines if (row := read_row(line.text.encode()))]
        self.rows = [row for row in self.every_row if row.target is not None]
        assert [row.raw for row in self.every_row] == [line.text.encode() for line in lines]

    def has_target(self, target: str) -> bool:
        return any(row.target == target for row in self.rows)

    def gate_rows(self, target: str, fingerprint: str) -> list[Row]:
        latest: dict[Any, int] = {}
        for at, row in enumerate(self.rows):
            if row.target != target:
                continue
            if row.tier == "regression":
                latest["regression", row.scenario] = at
            if row.is_focused_pass:
                latest["pass", row.scenario] = at
                if row.fingerprint == fingerprint:
                    latest["evidence", row.scenario] = at
        return [self.rows[at] for at in sorted(set(latest.values()))]

    def priced(self) -> list[tuple[Any, ...]]:
        """Scenario, target, model, runs, total, tokens known, tier and seconds of each row."""
        found = []
        for record, row in zip(self.records, self.every_row, strict=True):
            experiment = record.get("experiment")
            experiment = experiment if isinstance(experiment, dict) else {}
            parts = experiment.get("fingerprint_parts")
            model = parts.get("model") if isinstance(parts, dict) else record.get("model")
            price = experiment.get("cost_usd")
            total = price.get("total") if isinstance(price, dict) else None
            if (
                isinstance(total, bool)
                or not isinstance(total, int | float)
                or not 0 <= total < 1e15
            ):
                total = None
            known = total is not None and price.get("tokens_known") is True
            runs = record.get("runs")
            if isinstance(runs, bool) or not isinstance(runs, int) or not 0 <= runs < 10**15:
                runs = 0
            found.append(
                (
                    row.scenario,
                    row.target,
                    model if isinstance(model, str) else None,
                    runs,
                    None if total is None else Decimal(str(total)),
                    known,
                )
            )
        return found

    def spent(
        self, scenario: ScenarioId, target: str, model: str | None, limit: int
    ) -> list[tuple[int, Decimal | None]]:
        fitting = [
            (runs, total)
            for who, against, on, runs, total, _ in self.priced()
            if (who, against, on) == (scenario, target, model)
        ]
        return fitting[::-1][:limit]

    def highest_cost_per_run(self, scenario: ScenarioId, model: str | None) -> Decimal | None:
        costs = [
            total / runs
            for who, _, on, runs, total, known in self.priced()
            if (who, on) == (scenario, model) and known and runs
        ]
        return max(costs, default=None)

    def trees(self) -> set[str]:
        kept: set[str] = set()
        for target in {row.target for row in self.rows}:
            rows = [row for row in self.rows if row.target == target]
            passes = {row.scenario: at for at, row in enumerate(rows) if row.is_focused_pass}
            matter = {*passes.values(), *range(max(passes.values(), default=0), len(rows))}
            trees = [rows[at].recorded_parts.get("git_tree") for at in matter]
            kept |= {tree for tree in trees if isinstance(tree, str)}
        return kept

    def results(self, labels: set[str] | None) -> LedgerResults:
        asked = [
            row
            for one, row in zip(self.records, self.every_row, strict=True)
            if labels is None or one.get("label") in map(str, labels)
        ]
        shown = [row for row in asked if row.may_be_shown]
        others = sum(row.may_be_shown is False for row in asked)
        return LedgerResults(rows_that_stand(shown), self.skipped + others)

    def trees_of_sweep(self, sweep: str) -> tuple[str, ...]:
        rows = [one for one in reversed(self.every_row) if one.sweep_id == sweep]
        return next((row.trees for row in rows if row.trees), ())


def check(ledger: Ledger) -> None:
    """Ask everything of both."""
    plain = Plain()
    assert ledger.has_rows() == bool(plain.records)
    assert ledger.skipped == plain.skipped
    assert ledger.trees_that_matter() == plain.trees()
    for target in TARGETS:
        assert ledger.has_target(target) == plain.has_target(target)
        for fingerprint in FINGERPRINTS:
            assert ledger.gate_rows(target, fingerprint) == plain.gate_rows(target, fingerprint)
    for labels in (None, {"a"}, {*LABELS, "nobody's"}):
        assert by_pack(ledger.results(labels)) == by_pack(plain.results(labels))
    for sweep in (*SWEEPS, "1", "\ud800"):
        assert ledger.trees_of_sweep(sweep) == plain.trees_of_sweep(sweep)
    for scenario in EVERY_SCENARIO:
        for model in MODELS:
            found = ledger.highest_cost_per_run(scenario, model)
            assert found == plain.highest_cost_per_run(scenario, model)
            spent = ledger.spent(scenario, "one", model, limit=3)
            told = [(past.runs or 0, past.cost_usd) for past in spent]
            assert told == plain.spent(scenario, "one", model, limit=3)


def by_pack(found: LedgerResults) -> tuple[Any, ...]:
    rows = {pair: sorted(of, key=lambda one: str(one.pack)) for pair, of in found.rows.items()}
    return rows, found.passed_over


odd = st.sampled_from([None, True, 1, -1, 10**30, 0.5, "x", [], {}, {"target": "one"}])
amounts = (
    st.floats(0, 100) | st.integers(0, 9) | st.sampled_from([0.1, 0.3, float("nan"), -1.0, 1e300])
)


def either(*usual: Any) -> st.SearchStrategy[Any]:
    return st.one_of(*[st.sampled_from(usual)] * 6, odd)


def having(**values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """An object in which any key may be missing."""
    return st.fixed_dictionaries({}, optional=values)


parts = having(target=either(*TARGETS), runtime=either(*TARGETS), model=either(*MODELS),
               git_tree=either("t1", "t2", "t3", None))  # fmt: skip
experiments = having(
    tier=either("probe", "focused", "regression"),
    counts_as_failure=either(True, False),
    interrupted=either(False, True),
    budget_exhausted=either(False, True),
    fingerprint=either(*FINGERPRINTS),
    fingerprint_parts=st.one_of(parts, parts, parts, odd),
    cost_usd=st.one_of(having(total=amounts | odd, tokens_known=either(True, False)), odd),
    cost=st.one_of(having(wall_s=amounts | odd, input_tokens=st.integers(0, 9) | odd), odd),
)
counted = st.builds(
    noted_sweeps.row,
    st.sampled_from([1, 2]),
    label=st.sampled_from(LABELS),
    run_ids=st.just(["x"]),
    experiment_tree_under_test=st.sampled_from(["b" * 40, None]),
)
rows = counted | having(
    windtunnel_ledger=either(1, 0, 2),
    ts=either("2026-01-02T03:04:05Z", "1999-01-01T00:00:00Z"),
    scenario_id=either(*NAMES),
    pack=either(*PACKS),
    label=either(*LABELS),
    model=either(*MODELS),
    verdict=either("PASS", "FAIL", "PASS_WITH_VARIANCE"),
    runs=st.integers(0, 5) | odd,
    sweep_id=either("1", "\ud800", *SWEEPS),
    experiment=st.one_of(experiments, experiments, experiments, odd),
)


def as_line(row: dict[str, Any], form: int) -> bytes:
    """A row as one writer or another would write it."""
    if form == 0:
        return json.dumps(row).encode()
    if form == 1:
        return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return b" \t" + json.dumps(row, sort_keys=True).encode() + b"\r"


lines = st.builds(as_line, rows, st.integers(0, 2)) | st.sampled_from(
    [b"", b"  ", b"{", b"[1]", b"null", b'{"a": "\xff"}', b"\xef\xbb\xbf{}", b"{}", b'{"a"\x0b:1}',
     b"[" * 3000, b'{"a":' * 400 + b"1" + b"}" * 400, b'{"runs": ' + b"9" * 5000 + b"}",
     '{"scenario_id": "\u2028\u0085"}'.encode()]
)  # fmt: skip


def write_directly(data: bytes) -> None:
    with LEDGER.open("ab") as stream:
        stream.write(data)


def edit(position: float, data: bytes) -> None:
    """Write over some bytes in place: the size stays, and so does the clock's tick."""
    size = LEDGER.stat().st_size if LEDGER.exists() else 0
    if size > len(data):
        with LEDGER.open("r+b") as stream:
            stream.seek(int(position * (size - len(data))))
            stream.write(data)


def swap(position: float) -> None:
    """Turn a row into one of another tier or target, without changing the size."""
    if LEDGER.exists():
        data = LEDGER.read_bytes()
        for old, new in ((b'"focused"', b'"FOCUSED"'), (b'"one"', b'"two"')):
            at = data.find(old, int(position * len(data)))
            if at >= 0:
                with LEDGER.open("r+b") as stream:
                    stream.seek(at)
                    stream.write(new)


def truncate(position: float) -> None:
    if LEDGER.exists():
        os.truncate(LEDGER, int(position * LEDGER.stat().st_size))


def replace(position: float) -> None:
    """As `sed -i` does: another file under the same name."""
    if LEDGER.exists():
        files.write_whole(LEDGER, LEDGER.read_bytes()[int(position * LEDGER.stat().st_size) :])


def damage_index(position: float) -> None:
    if INDEX.exists():
        data = bytearray(INDEX.read_bytes())
        at = int(position * (len(data) - 1))
        data[at : at + 2000] = bytes(len(data[at : at + 2000]))
        INDEX.write_bytes(data)


def rewrite_index(change: Callable[[Content], None], *, mark: bool = False) -> None:
    """Change what the index says; `mark` gives it back the time by which it counts."""
    data, status = INDEX.read_bytes(), INDEX.stat()
    content = msgspec.msgpack.decode(data[STATE_BYTES:], type=Content)
    change(content)
    with INDEX.open("r+b") as stream:
        stream.write(data[:STATE_BYTES] + msgspec.msgpack.encode(content))
        stream.truncate()
    if mark:
        os.utime(INDEX, ns=(status.st_mtime_ns, status.st_mtime_ns))


def tamper_with_index(_position: float) -> None:
    """As somebody would who wants a failure to be forgotten."""
    if INDEX.exists():
        with contextlib.suppress(ValueError):
            rewrite_index(lambda content: setattr(content, "entries", b""))


def remove(_position: float) -> None:
    LEDGER.unlink(missing_ok=True)


steps = st.one_of(
    st.tuples(st.just(append_row), rows),
    st.tuples(st.just(append_row), rows),
    st.tuples(st.just(write_directly), lines.map(lambda line: line + b"\n")),
    st.tuples(st.just(write_directly), lines),
    st.tuples(
        st.sampled_from(
            [truncate, replace, swap, damage_index, tamper_with_index, remove,
             lambda at: edit(at, b"}"), lambda at: edit(at, b"\n")]
        ),
        st.floats(0, 1),
    ),
    st.tuples(st.just("ask"), st.none()),
    st.tuples(st.just("ask"), st.none()),
)  # fmt: skip


@given(st.lists(lines, max_size=12), st.lists(steps, max_size=8), st.booleans(), st.booleans())
def test_an_answer_is_that_of_reading_every_line(
    history: list[bytes], doing: list[tuple[Any, Any]], is_kept: bool, is_small: bool
) -> None:
    """Whoever wrote what in between, and whatever became of the index."""
    for path in (LEDGER, INDEX):
        path.unlink(missing_ok=True)
    write_directly(b"\n".join(history))
    ledger = Ledger(Path(), keep_index=is_kept, small=1 << 20 if is_small else 0)
    for do, what in doing:
        if do == "ask":
            check(ledger)
        elif do is append_row:
            append_row(Path(), files.json_line(_plain(what)))
        else:
            do(what)
    check(ledger)
    check(Ledger(Path(), small=0))
    check(Ledger(Path(), small=0))
    ledger.close()


def _plain(row: dict[str, Any]) -> Any:
    """The row without what JSON cannot hold, which our own rows never have."""
    return json.loads(json.dumps(row), parse_constant=lambda _: None)


@given(
    lines | st.binary(max_size=30) | st.floats().map(lambda number: f'{{"a": {number!r}}}'.encode())
)
def test_the_fast_decoder_says_what_every_reader_says(line: bytes) -> None:
    """Or leaves the line to the other one."""
    line = line.replace(b"\n", b" ")
    files.write_whole(LEDGER, line)
    read = [convert(one.record, Row, lenient=True) for one in files.read_lines(LEDGER)]
    fast = read_row(line)
    assert repr(read) == repr([] if fast is None else [msgspec.structs.replace(fast, raw=b"")])


def row(target: str = "one", name: str = "s", **changed: Any) -> str:
    """The line of a focused pass, or of what is passed."""
    experiment = {
        "tier": "focused",
        "counts_as_failure": False,
        "fingerprint": "sha256:a",
        "fingerprint_parts": {"target": target, "model": "small", "git_tree": "t1"},
        "cost_usd": {"total": 0.3, "tokens_known": True},
        "cost": {"wall_s": 1.5, "input_tokens": 5, "cached_tokens": None, "output_tokens": 2},
        **changed,
    }
    record = {"scenario_id": name, "pack": "p", "runs": 3, "experiment": experiment}
    return files.json_line({"windtunnel_ledger": 1, "verdict": "PASS", **record})


def listing() -> list[str]:
    return sorted(path.name for path in Path().iterdir())


def fill(count: int = 5) -> None:
    for number in range(count):
        append_row(Path(), row(name=NAMES[number % len(NAMES)]))


def index_number() -> int:
    """Which file the index is: one that is made again is another."""
    return INDEX.stat().st_ino


def test_a_directory_without_a_ledger_has_no_history() -> None:
    """And asking makes nothing."""
    check(Ledger(Path(), small=0))
    assert not Ledger(Path("absent"), small=0).has_rows()
    assert listing() == []


def test_our_own_rows_bring_the_index_forward() -> None:
    """It is made once; what is appended afterwards, also after a torn line, is added to it."""
    fill()
    write_directly(b'{"torn": ')
    check(Ledger(Path(), small=0))
    number = index_number()
    with INDEX.open("rb"):  # so that its number is not given to another file
        for _ in range(3):
            append_row(Path(), row(tier="regression", counts_as_failure=True))
            append_row(Path(), row("two", fingerprint="sha256:b"))
            check(Ledger(Path(), small=0))
        assert index_number() == number
        write_directly(row("two").encode() + b"\n")
        check(Ledger(Path(), small=0))
        assert index_number() != number


def test_what_a_row_cost_is_told_from_the_row() -> None:
    """Newest first; the amount is the decimal number that stands in the ledger."""
    append_row(Path(), row())
    append_row(Path(), row(tier="regression", cost_usd=None, cost={}))
    append_row(Path(), row(cost_usd={"total": 0.1, "tokens_known": False}))
    ledger = Ledger(Path(), small=0)
    scenario = ScenarioId("p", "s")
    newest, unpriced, oldest = ledger.spent(scenario, "one", "small")
    assert (newest.cost_usd, newest.tokens_known) == (Decimal("0.1"), False)
    assert (unpriced.cost_usd, unpriced.tokens_known, unpriced.cost.wall_s) == (None, False, None)
    assert unpriced.tier == "regression"
    assert (oldest.tier, oldest.runs, oldest.cost_usd) == ("focused", 3, Decimal("0.3"))
    assert oldest.cost == RecordedCost(1.5, 5, None, 2)
    assert oldest.tokens_known
    assert ledger.highest_cost_per_run(scenario, "small") == Decimal("0.1")
    assert ledger.highest_cost_per_run(scenario, None) is None


def test_the_trees_of_a_sweep_are_those_of_its_latest_row_that_has_any() -> None:
    """Rows whose tree changed meanwhile have none."""
    told = noted_sweeps.row(1, experiment_tree_under_test=noted_sweeps.OTHER_TREE)
    changed = noted_sweeps.row(1, experiment_fingerprint="changed-during-sweep")
    for one in (noted_sweeps.row(1), noted_sweeps.row(2), told, changed):
        append_row(Path(), files.json_line(one))
    both = (noted_sweeps.TREE, noted_sweeps.OTHER_TREE)
    assert Ledger(Path()).trees_of_sweep(told["sweep_id"]) == both
    assert Ledger(Path()).trees_of_sweep("ffffffffffff") == ()


def test_a_small_ledger_is_simply_read() -> None:
    """An index would cost more than it saves, and litter."""
    fill()
    check(Ledger(Path()))
    assert listing() == [layout.LEDGER]


def test_an_index_is_not_kept_where_nothing_may_be_written() -> None:
    """What there is of one is used."""
    fill()
    check(Ledger(Path(), keep_index=False, small=0))
    assert not INDEX.exists()
    check(Ledger(Path(), small=0))
    number = index_number()
    write_directly(row("two").encode())
    check(Ledger(Path(), keep_index=False, small=0))
    assert index_number() == number


def garbage() -> None:
    INDEX.write_bytes(b"not a database" * 500)


def newer() -> None:
    check(Ledger(Path(), small=0))
    rewrite_index(lambda content: setattr(content, "version", VERSION + 1), mark=True)


def of_another_start() -> None:
    """As a power cut leaves it: nobody knows what has reached the disk."""
    check(Ledger(Path(), small=0))
    status = INDEX.stat()
    boot = Path("/proc/sys/kernel/random/boot_id").read_bytes().strip()
    INDEX.write_bytes(INDEX.read_bytes().replace(boot, b"f" * len(boot)))
    rewrite_index(lambda content: setattr(content, "rows", 99))
    os.utime(INDEX, ns=(0, status.st_mtime_ns))


def covering_too_much() -> None:
    check(Ledger(Path(), small=0))
    rewrite_index(lambda content: setattr(content, "end", 1 << 40), mark=True)


def telling_lies() -> None:
    """With everything that makes an index count: the rows it points to are read all the same."""
    check(Ledger(Path(), small=0))

    def shift(content: Content) -> None:
        entries = ENTRY.iter_unpack(content.entries)
        moved = [(group, member, start + 1) for group, member, start in entries]
        content.entries = b"".join(ENTRY.pack(*one) for one in moved)

    rewrite_index(shift, mark=True)


def with_entries_cut_short() -> None:
    check(Ledger(Path(), small=0))

    def cut(content: Content) -> None:
        content.entries = content.entries[: -ENTRY.size // 2]

    rewrite_index(cut, mark=True)


@pytest.mark.parametrize(
    "make",
    [
        garbage,
        newer,
        of_another_start,
        covering_too_much,
        telling_lies,
        with_entries_cut_short,
        lambda: INDEX.write_bytes(b""),
        lambda: INDEX.symlink_to("nowhere"),
        lambda: os.mkfifo(INDEX),
    ],
)
def test_an_index_that_is_not_one_is_made_again(make: Any) -> None:
    """Whatever stands in its place; neither asking nor appending minds."""
    fill()
    make()
    append_row(Path(), row("two"))
    check(Ledger(Path(), small=0))
    number = index_number()
    with INDEX.open("rb"):
        append_row(Path(), row("two", tier="regression"))
        check(Ledger(Path(), small=0))
        assert index_number() == number
    assert listing() == [layout.LEDGER_INDEX, layout.LEDGER]


def test_where_no_index_can_be_kept_the_ledger_is_read() -> None:
    """A folder that cannot be written to is one such place, a taken name another."""
    fill()
    Path(layout.LEDGER_INDEX, "taken").mkdir(parents=True)
    ledger = Ledger(Path(), small=0)
    check(ledger)
    append_row(Path(), row("two"))
    check(ledger)
    ledger.close()


def test_a_ledger_that_somebody_keeps_locked_is_read_without_an_index(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After some patience."""
    monkeypatch.setattr(index, "_LOCK_TRIES", 5)
    fill()
    with files.locked_for_append(LEDGER):
        check(Ledger(Path(), small=0))
    assert not INDEX.exists()


def a_folder() -> None:
    Path("runs", layout.LEDGER).mkdir(parents=True)


def a_pipe() -> None:
    Path("runs").mkdir()
    os.mkfifo(Path("runs", layout.LEDGER))


def a_loop() -> None:
    Path("runs").mkdir()
    Path("runs", layout.LEDGER).symlink_to(layout.LEDGER)


def no_folder() -> None:
    Path("runs").write_text("")


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (a_folder, "it is a folder"),
        (a_pipe, "it is not a regular file"),
        (a_loop, "Too many levels of symbolic links"),
        (no_folder, "Not a directory"),
    ],
)
def test_what_is_no_ledger_is_named(make: Any, reason: str) -> None:
    """And nobody waits for the other end of a pipe."""
    make()
    with pytest.raises(UsageError) as caught:
        Ledger(Path("runs")).has_rows()
    assert caught.value.message.startswith(
        f"cannot read the ledger 'runs/{layout.LEDGER}': {reason}; "
    )
    assert caught.value.specific_code == "ledger-unreadable"


def test_many_processes_append_and_ask_at_once() -> None:
    """Each sees its own row as the newest right after it was written, and in the end all are there."""
    children = []
    for number in range(4):
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                _append_and_ask(f"target {number}")
                code = 0
            finally:
                os._exit(code)
        children.append(pid)
    for pid in children:
        assert os.waitpid(pid, 0)[1] == 0
    with INDEX.open("rb"):
        number = index_number()
        check(Ledger(Path(), small=0))
        assert index_number() == number
    assert len(Plain().records) == 4 * 25


def _append_and_ask(target: str) -> None:
    ledger = Ledger(Path(), small=0)
    for number in range(25):
        append_row(Path(), row(target, cost_usd={"total": number, "tokens_known": True}))
        (newest,) = ledger.spent(ScenarioId("p", "s"), target, "small", limit=1)
        assert newest.cost_usd == number
        assert len(ledger.gate_rows(target, "sha256:a")) == 1


@pytest.mark.parametrize("what", ["append", "ask"])
def test_a_killed_process_leaves_an_index_that_counts_only_if_it_is_right(what: str) -> None:
    """Killed at each step of appending a row, and at each step of making the index."""
    script = Path(__file__).parents[1] / "kit" / "killed_indexer.py"
    done = subprocess.run(
        [sys.executable, script, what], check=False, capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0, done.stderr
    rounds = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rounds) > 10
    assert {one["right"] for one in rounds} == {True}
    assert {one["written"] for one in rounds} == ({True, False} if what == "append" else {False})


def test_a_row_of_ours_has_a_time_that_no_later_change_can_have() -> None:
    """Clocks of file systems advance in ticks: a change within the same one would look like ours."""
    fill()
    check(Ledger(Path(), small=0))
    append_row(Path(), row())
    status = LEDGER.stat()
    assert status.st_mtime_ns < status.st_ctime_ns
    assert INDEX.stat().st_mtime_ns == status.st_mtime_ns
