"""Any sequence of sweeps, edits and failures: nothing unearned gets through, nothing earned is refused.

`Ladder` is what the rules say, kept as people would keep it: which states of the code have been proven
since the last regression, and which failures are still owed a pass, on which states they got one. It
has no rows and no order of rows, only what happened last.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from dataclasses import dataclass, field, replace
from hashlib import sha1
from typing import TYPE_CHECKING, Any

import hypothesis.strategies as st
import pytest
from hypothesis import event, settings, target
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from kit.gate_histories import what_a_ledger_returns

from wt_git.files import append_line, json_line
from wt_git.ladder.gate import Earned, Refused, decide
from wt_git.records import layout
from wt_git.records.fingerprint import FingerprintParts
from wt_git.records.ledger.ledger import Ledger
from wt_git.records.ledger.row import Row, ScenarioId, read_row

if TYPE_CHECKING:
    from pathlib import Path

SCENARIOS = [
    ScenarioId("shop", "refund"),
    ScenarioId("shop", "cancel"),
    ScenarioId("desk", "refund"),
    ScenarioId("desk", "triage"),
]
SELECTIONS = [
    chosen
    for size in range(2, len(SCENARIOS) + 1)
    for chosen in itertools.combinations(SCENARIOS, size)
]

Selection = tuple[ScenarioId, ...]


@dataclass(frozen=True)
class Code:
    """All that is under test; two are the same artifact when they are equal."""

    agent: int = 0
    ladder_configuration: int = 0
    model: str = "target-model"
    runtime: str = "mine"
    backend: str = "agent:Plugin|http://127.0.0.1:1"
    soul: str | None = None

    def parts(self) -> FingerprintParts:
        tree = sha1(f"{self.agent} {self.ladder_configuration}".encode()).hexdigest()
        return FingerprintParts(
            git_tree=tree,
            runtime=self.runtime,
            target=self.backend,
            model=self.model,
            soul=self.soul,
            agents=None,
            plugin=None,
            wt_version="1",
        )


@dataclass
class Ladder:
    """One target's ladder, by the rules."""

    is_known: bool = False
    proven: dict[Code, str] = field(default_factory=dict)
    """The states on which something passed alone since the last regression, and in which sweep."""
    owed: dict[ScenarioId, tuple[str, set[Code]]] = field(default_factory=dict)
    """What failed in its latest regression, in which sweep, and on which states it passed since."""

    def focused_pass(self, one: ScenarioId, code: Code, sweep: str) -> None:
        self.is_known = True
        self.proven[code] = sweep
        if one in self.owed:
            self.owed[one][1].add(code)

    def regression_row(self, one: ScenarioId, sweep: str, *, passed: bool) -> None:
        self.is_known = True
        self.proven.clear()
        self.owed.pop(one, None)
        if not passed:
            self.owed[one] = (sweep, set())

    def other_row(self) -> None:
        """A probe, or a focused run that failed, was cut short, or ran on something that moved."""
        self.is_known = True

    def unanswered(self, selection: Selection, code: Code) -> set[ScenarioId]:
        return {one for one in selection if one in self.owed and code not in self.owed[one][1]}

    def lets_through(self, selection: Selection, code: Code) -> bool:
        if not self.is_known:
            return True
        return code in self.proven and not self.unanswered(selection, code)


class World:
    """A working directory, its ledger, the sweeps that run, and what the rules make of them."""

    def __init__(self, runs_dir: Path | None = None) -> None:
        self.code = Code()
        self._runs_dir = runs_dir
        self.seen: Counter[str] = Counter()
        self.rows: list[Row] = []
        self._lines = 0  # more than rows: some lines are no row
        self._read_last: tuple[tuple[int, str, str], tuple[list[Row], bool]] | None = None
        self._ladders: dict[str, Ladder] = {}
        self._running: list[tuple[str, Code, list[tuple[ScenarioId, bool]]]] = []
        self._queued: list[tuple[Selection, Code]] = []
        self._numbers = itertools.count()

    def ladder(self, code: Code) -> Ladder:
        return self._ladders.setdefault(code.backend, Ladder())

    # What people do to the code

    def change(self, **to: Any) -> None:
        self.code = replace(self.code, **to)

    # What is run

    def focused(self, one: ScenarioId, outcome: str) -> None:
        """A focused sweep that comes to `outcome`."""
        sweep, ladder = self._new_sweep(), self.ladder(self.code)
        if outcome == "errored":
            return  # no row: nobody judged the agent
        passed = outcome in {"passed", "transport-only"}
        self._write(
            one,
            "focused",
            sweep,
            self.code,
            failed=outcome in {"failed", "cache missed"},
            verdict={"transport-only": "FAIL", "failed": "FAIL"}.get(outcome, "PASS"),
            budget_exhausted=outcome == "out of budget",
            interrupted=outcome == "interrupted",
            version=2 if outcome == "written by a newer version" else 1,
            word={"moved": "changed-during-sweep", "no snapshot": "snapshot-failed"}.get(outcome),
        )
        if passed:
            ladder.focused_pass(one, self.code, sweep)
        else:
            ladder.other_row()

    def probe(self, one: ScenarioId, *, passed: bool) -> None:
        self._write(one, "probe", self._new_sweep(), self.code, failed=not passed)
        self.ladder(self.code).other_row()

    def regression(self, results: dict[ScenarioId, bool | None], *, reached: int) -> None:
        """Ask for a regression; if it may run, run it: None errored, the budget ends it early."""
        if self._is_let_through(tuple(results), self.code):
            self._run(self._new_sweep(), self.code, results, reached)

    def queue_regression(self, selection: Selection) -> None:
        """Ask for a regression whose runtime is in use: it waits, and is asked about again."""
        if self._is_let_through(selection, self.code):
            self._queued.append((selection, self.code))

    def runtime_is_free(self, *, passed: bool) -> None:
        """The first in the queue gets its turn; what is there then is what counts."""
        if not self._queued:
            return
        selection, asked_on = self._queued.pop(0)
        now = replace(self.code, backend=asked_on.backend, runtime=asked_on.runtime)
        if self._is_let_through(selection, now):
            self._run(self._new_sweep(), now, dict.fromkeys(selection, passed), len(selection))
        else:
            self.seen["no longer earned after waiting"] += 1

    def start_slowly(self, results: dict[ScenarioId, bool | None]) -> None:
        """Start a regression whose rows come one by one, while other things happen."""
        if self._is_let_through(tuple(results), self.code):
            rows = [(one, passed) for one, passed in results.items() if passed is not None]
            self._running.append((self._new_sweep(), self.code, rows))

    def next_row(self) -> None:
        if not self._running:
            return
        sweep, code, rows = self._running[0]
        if rows:
            one, passed = rows.pop(0)
            self._regression_row(one, sweep, code, passed=passed)
        else:
            self._running.pop(0)

    def foreign_row(self, kind: str) -> None:
        """A row that older or other programs left."""
        record: dict[str, Any] = {"scenario_id": "refund", "pack": "shop", "verdict": "PASS"}
        if kind == "no target":
            record["experiment"] = {"tier": "regression", "fingerprint_parts": None}
        elif kind == "no ladder":
            record["verdict"] = "FAIL"
        self._append(record)

    # The two accounts of it

    def check(self) -> None:
        """Compare what the gate says with the rules, for everything that could be asked now."""
        for selection in SELECTIONS:
            self._answer(selection, self.code)
        for no_state in ("snapshot-failed", "changed-during-sweep"):
            self._nothing_is_proven_on(no_state)

    def _nothing_is_proven_on(self, word: str) -> None:
        """Where nobody can say what is under test, only the first sweep may be a regression."""
        answer = decide(
            self.rows, target=self.code.backend, fingerprint=word, selection=SELECTIONS[0]
        )
        assert isinstance(answer, Refused) == self.ladder(self.code).is_known

    def _is_let_through(self, selection: Selection, code: Code) -> bool:
        answer = self._answer(selection, code)
        self._note(answer, selection, code)
        return isinstance(answer, Earned)

    def _answer(self, selection: Selection, code: Code) -> Earned | Refused:
        fingerprint = code.parts().value()
        about: Any = {
            "target": code.backend,
            "fingerprint": fingerprint,
            "selection": selection,
        }
        answer = decide(self.rows, **about)
        few, has_history = self._read(code.backend, fingerprint)
        assert decide(few, **about, has_history=has_history) == answer
        ladder = self.ladder(code)
        if isinstance(answer, Earned):
            self._must_be_earned(answer, selection, code)
        else:
            assert not ladder.lets_through(selection, code), "an earned regression was refused"
            named = {one.scenario for one in answer.missing}
            assert named == ladder.unanswered(selection, code)
            assert answer.unearned == (code not in ladder.proven)
        assert set(answer.excluded) == self._left_out(selection, ladder)
        return answer

    def _must_be_earned(self, answer: Earned, selection: Selection, code: Code) -> None:
        ladder = self.ladder(code)
        assert ladder.lets_through(selection, code), "an unearned regression was let through"
        assert answer.earned_by == ladder.proven.get(code)
        owed = [ladder.owed[one][0] for one in selection if one in ladder.owed]
        assert sorted(answer.evidence_for) == sorted(set(owed))

    def _left_out(self, selection: Selection, ladder: Ladder) -> set[ScenarioId]:
        packs = {one.pack for one in selection}
        return {one for one in ladder.owed if one not in selection and one.pack in packs}

    def _note(self, answer: Earned | Refused, selection: Selection, code: Code) -> None:
        """Count which situations were reached."""
        if isinstance(answer, Refused):
            self.seen["refused as unearned"] += answer.unearned and not answer.missing
            self.seen["refused for evidence alone"] += not answer.unearned
            self.seen["refused for both"] += answer.unearned and bool(answer.missing)
            self.seen["a stale pass"] += any(one.stale is not None for one in answer.missing)
            self.seen["a stale earner"] += answer.stale_earner is not None
        elif self.ladder(code).is_known:
            self.seen["earned"] += 1
            self.seen["earned with evidence"] += bool(answer.evidence_for)
            self.seen["evidence for two regressions"] += len(answer.evidence_for) > 1
            self.seen["earned with a failure left out"] += bool(answer.excluded)
            earned_elsewhere = {row.scenario for row in answer.earners}.isdisjoint(selection)
            self.seen["earned by what is not selected"] += earned_elsewhere
        else:
            self.seen["free"] += 1

    # Reading and writing

    def _read(self, backend: str, fingerprint: str) -> tuple[list[Row], bool]:
        """The few rows that a big ledger answers with; every selection asks for the same."""
        asked = (self._lines, backend, fingerprint)
        if self._read_last is None or self._read_last[0] != asked:
            self._read_last = (asked, self._read_again(backend, fingerprint))
        return self._read_last[1]

    def _read_again(self, backend: str, fingerprint: str) -> tuple[list[Row], bool]:
        """From its index, where it is on disk."""
        if self._runs_dir is None:
            return what_a_ledger_returns(self.rows, backend, fingerprint)
        ledger = Ledger(self._runs_dir, small=0)
        try:
            return ledger.gate_rows(backend, fingerprint), ledger.has_target(backend)
        finally:
            ledger.close()

    def _run(
        self, sweep: str, code: Code, results: dict[ScenarioId, bool | None], reached: int
    ) -> None:
        for one, passed in list(results.items())[:reached]:
            if passed is not None:
                self._regression_row(one, sweep, code, passed=passed)

    def _regression_row(self, one: ScenarioId, sweep: str, code: Code, *, passed: bool) -> None:
        self._write(one, "regression", sweep, code, failed=not passed)
        self.ladder(code).regression_row(one, sweep, passed=passed)

    def _write(
        self,
        one: ScenarioId,
        tier: str,
        sweep: str,
        code: Code,
        *,
        failed: bool,
        verdict: str | None = None,
        word: str | None = None,
        version: int = 1,
        **experiment: bool,
    ) -> None:
        number = next(self._numbers)
        self._append(
            {
                "windtunnel_ledger": version,
                "ts": f"2026-01-02T03:{number * 37 % 60:02d}:00Z",  # up and down
                "scenario_id": one.name,
                "pack": one.pack,
                "sweep_id": sweep,
                "verdict": verdict or ("FAIL" if failed else "PASS"),
                "experiment": {
                    "tier": tier,
                    "counts_as_failure": failed,
                    "question": "is it\u2028there?",
                    "fingerprint": word or code.parts().value(),
                    "fingerprint_parts": code.parts().as_record(),
                    **experiment,
                },
            }
        )

    def _append(self, record: dict[str, Any]) -> None:
        line = json_line(record)
        self._lines += 1
        if self._runs_dir is not None:
            append_line(self._runs_dir / layout.LEDGER, line, durable=False)
        row = read_row(line.encode())
        if row is not None:
            self.rows.append(row)

    def _new_sweep(self) -> str:
        return f"{next(self._numbers):012x}"


OUTCOMES = [
    "passed",
    "transport-only",
    "failed",
    "cache missed",
    "out of budget",
    "interrupted",
    "moved",
    "no snapshot",
    "errored",
    "written by a newer version",
]
CHANGES = [
    {"agent": 0},
    {"agent": 1},
    {"ladder_configuration": 0},
    {"ladder_configuration": 1},
    {"model": "small-model"},
    {"model": "target-model"},
    {"runtime": "mine"},
    {"runtime": "agent:Plugin"},
    {"soul": None},
    {"soul": "sha256:1"},
    {"backend": "in_memory"},
    {"backend": Code.backend},
]
# Mostly what moves things forward: a sequence that is refused all the time proves little.
OFTEN_PASSED = [*["passed"] * 8, *OUTCOMES]
REACHED = (
    "free",
    "earned",
    "earned with evidence",
    "evidence for two regressions",
    "earned with a failure left out",
    "earned by what is not selected",
    "refused as unearned",
    "refused for evidence alone",
    "refused for both",
    "a stale pass",
    "a stale earner",
    "no longer earned after waiting",
)

a_scenario = st.sampled_from(SCENARIOS)
a_selection = st.sampled_from(SELECTIONS)
results = st.builds(
    lambda chosen, came_to: dict(zip(chosen, came_to, strict=False)),
    a_selection,
    st.lists(st.sampled_from([True, True, False, None]), min_size=4, max_size=4),
)


class AnySequence(RuleBasedStateMachine):
    """Sweeps of every kind, in any order; after each step the gate is asked everything."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World()

    @rule(change=st.sampled_from(CHANGES))
    def edit(self, change: dict[str, Any]) -> None:
        self.world.change(**change)

    @rule(one=a_scenario, outcome=st.sampled_from(OFTEN_PASSED))
    def run_one(self, one: ScenarioId, outcome: str) -> None:
        self.world.focused(one, outcome)

    @rule(chosen=a_selection)
    def answer_each(self, chosen: Selection) -> None:
        """Climb the ladder as asked: each selected scenario passes alone."""
        for one in chosen:
            self.world.focused(one, "passed")

    @rule(one=a_scenario, passed=st.booleans())
    def probe(self, one: ScenarioId, passed: bool) -> None:
        self.world.probe(one, passed=passed)

    @rule(results=results, reached=st.sampled_from([4, 4, 4, 1, 0]))
    def run_many(self, results: dict[ScenarioId, bool | None], reached: int) -> None:
        self.world.regression(results, reached=reached)

    @rule(chosen=a_selection)
    def wait_in_the_queue(self, chosen: Selection) -> None:
        self.world.queue_regression(chosen)

    @rule(passed=st.booleans())
    def take_the_turn(self, passed: bool) -> None:
        self.world.runtime_is_free(passed=passed)

    @rule(results=results)
    def start_slowly(self, results: dict[ScenarioId, bool | None]) -> None:
        self.world.start_slowly(results)

    @rule()
    def one_more_row(self) -> None:
        self.world.next_row()

    @rule(kind=st.sampled_from(["no ladder", "no target"]))
    def foreign_row(self, kind: str) -> None:
        self.world.foreign_row(kind)

    @invariant()
    def the_gate_keeps_the_rules(self) -> None:
        self.world.check()

    def teardown(self) -> None:
        for situation in self.world.seen:
            if self.world.seen[situation]:
                event(situation)
        target(float(sum(1 for one in self.world.seen.values() if one)), label="situations")


TestAnySequence = AnySequence.TestCase
TestAnySequence.settings = settings(stateful_step_count=50)


@pytest.mark.long
def test_long_sequences_keep_the_rules_and_reach_every_situation():
    """A model that never gets anywhere would agree with any gate."""
    seen: Counter[str] = Counter()
    for seed in range(15):
        world, dice = World(), random.Random(seed)
        for _ in range(150):
            a_random_step(world, dice)
            world.check()
        seen += world.seen
    assert [situation for situation in REACHED if seen[situation] < 5] == []


def test_a_ledger_on_disk_with_its_index_keeps_the_rules_too(tmp_path):
    """What is read from an index is what decides."""
    world, dice = World(tmp_path), random.Random(7)
    for _ in range(50):
        a_random_step(world, dice)
        world.check()
    assert world.seen["earned"] > 2


def a_random_step(world: World, dice: random.Random) -> None:
    """Do something to `world`, by chance; what moves forward more often than the rest."""
    steps = [edit, edit, run_one, run_one, run_one, answer_each, answer_each, probe]
    steps += [run_many, run_many, wait_in_line, run_side_by_side]
    dice.choice(steps)(world, dice, dice.choice(SELECTIONS))


def edit(world: World, dice: random.Random, _: Selection) -> None:
    world.change(**dice.choice(CHANGES))


def run_one(world: World, dice: random.Random, chosen: Selection) -> None:
    world.focused(dice.choice(chosen), dice.choice(OFTEN_PASSED))


def answer_each(world: World, _: random.Random, chosen: Selection) -> None:
    for one in chosen:
        world.focused(one, "passed")


def probe(world: World, dice: random.Random, chosen: Selection) -> None:
    world.probe(dice.choice(chosen), passed=dice.random() < 0.5)


def run_many(world: World, dice: random.Random, chosen: Selection) -> None:
    came_to = {one: dice.choice([True, False, None]) for one in chosen}
    world.regression(came_to, reached=dice.choice([4, 4, 1]))


def wait_in_line(world: World, dice: random.Random, chosen: Selection) -> None:
    for _ in range(2):
        world.queue_regression(chosen)
    if dice.random() < 0.5:
        edit(world, dice, chosen)
    for _ in range(2):
        world.runtime_is_free(passed=True)


def run_side_by_side(world: World, dice: random.Random, chosen: Selection) -> None:
    world.start_slowly({one: dice.random() < 0.5 for one in chosen})
    run_one(world, dice, chosen)
    for _ in range(5):
        world.next_row()
