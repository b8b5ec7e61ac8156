"""Every test runs in a sealed home, without the network, and may write nowhere else."""

from __future__ import annotations

import gc
import itertools
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest
from kit.python_forks import keep_in
from kit.repo import Repo, new_repo
from kit.sealing import EscapeWatch, SealedFolder

if TYPE_CHECKING:
    from collections.abc import Iterator

PROJECT = Path(__file__).resolve().parent.parent

_LONGEST_THOROUGH_S = 1200

# No deadline: the cores are shared and no test measures time. In CI the same examples every time,
# so that a red run can be repeated; elsewhere new ones, so that they are found.
for _profile, _examples in {"suite": 25, "thorough": 200}.items():
    hypothesis.settings.register_profile(
        _profile,
        max_examples=_examples,
        deadline=None,
        derandomize=bool(os.environ.get("CI")),
        database=None,
        suppress_health_check=[hypothesis.HealthCheck.too_slow],
    )
# For tests against mutants, which end with the first failure: it is not made smaller.
hypothesis.settings.register_profile(
    "mutants",
    hypothesis.settings.get_profile("suite"),
    phases=(hypothesis.Phase.explicit, hypothesis.Phase.generate),
)

_numbers = itertools.count()


def _is_thorough(config: pytest.Config) -> bool:
    chosen = config.getoption("markexpr")
    return chosen.startswith(("thorough", "exhaustive"))


def pytest_configure(config: pytest.Config) -> None:
    """`-m thorough` runs every property test as well, with more examples."""
    if not config.getoption("hypothesis_profile", None):
        hypothesis.settings.load_profile("thorough" if _is_thorough(config) else "suite")
    if _can_hold_the_tests(_IN_MEMORY):
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_IN_MEMORY))


# A file system in memory: to make a folder or a file there takes a tenth of the time.
_IN_MEMORY = Path("/dev/shm")
_ROOM = 2 << 30


def _can_hold_the_tests(place: Path) -> bool:
    """Whether `place` has room for the folders of the tests, and runs the programs in them."""
    try:
        found = os.statvfs(place)
    except OSError:
        return False
    has_room = found.f_bavail * found.f_frsize >= _ROOM
    return has_room and not found.f_flag & os.ST_NOEXEC and os.access(place, os.W_OK)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start the long tests first, then those in a browser, which share it; the others stay shuffled."""
    items.sort(
        key=lambda item: (
            item.get_closest_marker("long") is None,
            "browser" not in getattr(item, "fixturenames", ()),
        )
    )


def pytest_collection_finish() -> None:
    """Spare the garbage collector the thousands of items, which stay until the end."""
    gc.freeze()


def pytest_itemcollected(item: pytest.Item) -> None:
    """In a thorough run, select the property tests and give every test more time."""
    if not _is_thorough(item.config):
        return
    if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
        item.add_marker("thorough")
    item.add_marker(pytest.mark.timeout(_LONGEST_THOROUGH_S))


@pytest.fixture(scope="session")
def escape_watch(tmp_path_factory: pytest.TempPathFactory) -> EscapeWatch:
    """The one watch of this session."""
    caches = [PROJECT / name for name in (".hypothesis", ".pytest_cache")]
    return EscapeWatch(allowed=(tmp_path_factory.getbasetemp(), Path("/dev"), *caches))


@pytest.fixture(scope="session", autouse=True)
def sealed_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A sealed folder for fixtures that outlive one test; those of the tests stand in it."""
    path = tmp_path_factory.mktemp("sealed")
    keep_in(path)
    with SealedFolder(path).entered():
        yield path


class _SealedFolders:
    """Makes a sealed folder for each test; one that a test left as it was serves the next, too."""

    def __init__(self, parent: Path) -> None:
        self._parent = parent
        self._clean: SealedFolder | None = None

    def take(self) -> SealedFolder:
        folder, self._clean = self._clean, None
        return folder or SealedFolder(self._parent / str(next(_numbers)))

    def give_back(self, folder: SealedFolder) -> None:
        if folder.is_as_made():
            self._clean = folder
        else:
            shutil.rmtree(folder.path, ignore_errors=True)


@pytest.fixture(scope="session")
def sealed_folders(sealed_session: Path) -> _SealedFolders:
    return _SealedFolders(sealed_session)


@pytest.fixture(autouse=True)
def sealed(sealed_folders: _SealedFolders, escape_watch: EscapeWatch) -> Iterator[Path]:
    """A folder of the test's own, with HOME, configuration, locks and working directory in it."""
    folder = sealed_folders.take()
    with folder.entered():
        escape_watch.begin()
        yield folder.path
        escapes = escape_watch.end()
    sealed_folders.give_back(folder)
    assert not escapes, f"the test left its folder: {escapes}"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """An empty git repository without a commit."""
    return new_repo(tmp_path / "repo")
