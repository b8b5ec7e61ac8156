"""Every test runs in a sealed home, without the network, and may write nowhere else."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest
from kit.repo import Repo, new_repo
from kit.sealing import EscapeWatch, make_sealed_folder, seal_libgit2, sealed_environment

if TYPE_CHECKING:
    from collections.abc import Iterator

PROJECT = Path(__file__).resolve().parent.parent

# No deadline: the cores are shared and no test measures time. In CI the same examples every time,
# so that a red run can be repeated; elsewhere new ones, so that they are found.
hypothesis.settings.register_profile(
    "wind-tunnel",
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    database=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("wind-tunnel")

_numbers = itertools.count()


@pytest.fixture(scope="session")
def escape_watch(tmp_path_factory: pytest.TempPathFactory) -> EscapeWatch:
    """The one watch of this session."""
    caches = [PROJECT / name for name in (".hypothesis", ".pytest_cache")]
    return EscapeWatch(allowed=(tmp_path_factory.getbasetemp(), Path("/dev"), *caches))


@pytest.fixture(scope="session", autouse=True)
def sealed_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A sealed folder for fixtures that outlive one test; those of the tests stand in it."""
    folder = tmp_path_factory.mktemp("sealed")
    with pytest.MonkeyPatch.context() as patch:
        _enter(folder, patch)
        yield folder


@pytest.fixture(autouse=True)
def sealed(
    sealed_session: Path, escape_watch: EscapeWatch, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """A folder of the test's own, with HOME, configuration, locks and working directory in it."""
    folder = sealed_session / str(next(_numbers))
    _enter(folder, monkeypatch)
    escape_watch.begin()
    yield folder
    escapes = escape_watch.end()
    shutil.rmtree(folder, ignore_errors=True)
    assert not escapes, f"the test left its folder: {escapes}"


def _enter(folder: Path, patch: pytest.MonkeyPatch) -> None:
    make_sealed_folder(folder)
    environment = sealed_environment(folder)
    for name in set(os.environ) - set(environment):
        if name != "PYTEST_CURRENT_TEST":
            patch.delenv(name)
    for name, value in environment.items():
        if os.environ.get(name) != value:
            patch.setenv(name, value)
    patch.setattr(tempfile, "tempdir", None)  # asks TMPDIR again
    seal_libgit2(folder)
    patch.chdir(folder / "work")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """An empty git repository without a commit."""
    return new_repo(tmp_path / "repo")
