"""Every rule of the gate is held by a test: small changes of the code make some test fail.

The mutants are drawn at random over `evidence/`, `ladder/` and `githooks/`, the same ones until the
code changes. `survivors.toml` lists those that change nothing anybody could see, with the reason.
"""

from __future__ import annotations

import os
import queue
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from mutation.operators import Mutant, drawn, mutants_of
from mutation.runs import PROJECT, Outcome, ProjectCopy

if TYPE_CHECKING:
    from collections.abc import Sequence

COUNT = 60
SEED = "gate rules"
PACKAGES = ("evidence", "ladder", "githooks")

HERE = Path(__file__).parent
TABLE = tomllib.loads((HERE / "tests.toml").read_text("utf-8"))
SURVIVORS: dict[str, str] = {
    one["mutant"]: one["reason"]
    for one in tomllib.loads((HERE / "survivors.toml").read_text("utf-8")).get("survivor", [])
}


def all_mutants() -> list[Mutant]:
    found = []
    for package in PACKAGES:
        for path in sorted((PROJECT / "wt_git" / package).rglob("*.py")):
            found += mutants_of(path.relative_to(PROJECT).as_posix(), path.read_bytes())
    return found


def selected_for(path: str) -> list[str]:
    """The tests that a module's mutants are run against, those that are fast first."""
    name = path.removeprefix("wt_git/").removesuffix(".py")
    while name not in TABLE:
        name = name.rpartition("/")[0]
    return TABLE[name]


def test_the_table_names_modules_and_tests_that_there_are():
    """A moved file must not leave its rules unguarded."""
    for name, tests in TABLE.items():
        place = PROJECT / "wt_git" / name
        assert place.is_dir() or place.with_suffix(".py").is_file(), name
        assert [one for one in tests if not (PROJECT / one.partition("::")[0]).exists()] == [], name


def test_every_listed_survivor_is_a_mutant_of_today():
    """With a reason; one whose code is gone is taken off the list."""
    assert SURVIVORS.keys() <= {one.name for one in all_mutants()}
    assert all(SURVIVORS.values())


@pytest.mark.thorough
@pytest.mark.timeout(3600)
def test_each_mutant_makes_a_test_fail(tmp_path):
    """Those in the list make none fail, which also shows that the tests pass on a copy at all."""
    count = int(os.environ.get("MUTANTS", COUNT))
    mutants = drawn(all_mutants(), count, seed=SEED)
    workers = os.cpu_count() or 2
    copies: queue.Queue[ProjectCopy] = queue.Queue()
    for number in range(workers):
        copies.put(ProjectCopy(tmp_path / str(number)))

    def tried(mutant: Mutant | None, tests: Sequence[str]) -> tuple[Outcome, str]:
        copy = copies.get()
        try:
            return copy.outcome(mutant, tests) if mutant else copy.run(tests)
        finally:
            copies.put(copy)

    every_test = sorted({one for tests in TABLE.values() for one in tests})
    with ThreadPoolExecutor(workers) as pool:
        unchanged = [pool.submit(tried, None, every_test[part::4]) for part in range(4)]
        changed = [pool.submit(tried, one, selected_for(one.path)) for one in mutants]
    for one in unchanged:
        outcome, said = one.result()
        assert outcome == "survived", f"the tests fail without any mutant:\n{said}"
    results = [one.result() for one in changed]
    found = problems(mutants, results)
    assert not found, "\n".join(["", *found])


def problems(mutants: Sequence[Mutant], results: Sequence[tuple[Outcome, str]]) -> list[str]:
    """Mutants that no test noticed, and listed ones that some test did."""
    found = []
    for mutant, (outcome, _) in zip(mutants, results, strict=True):
        if (outcome == "survived") != (mutant.name in SURVIVORS):
            found.append(
                f"{outcome}: {mutant.path}:{mutant.line} [{mutant.operator}] {mutant.name}"
            )
    return found
