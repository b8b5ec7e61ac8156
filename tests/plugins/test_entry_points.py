"""Finding what installed packages register, wherever they are installed."""

from __future__ import annotations

import sys
import zipfile
from importlib.machinery import PathFinder
from importlib.metadata import Distribution, DistributionFinder, entry_points
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from wt_git.plugins.loading import entry_points_of

if TYPE_CHECKING:
    from collections.abc import Iterable

GROUP = "windtunnel.test_group"


def package(folder: Path, name: str, *points: str, info: str = "{}-1.0.dist-info") -> None:
    """Install a package into `folder`, as far as anybody asks about it."""
    home = folder / info.format(name)
    home.mkdir(parents=True)
    for file in ("METADATA", "PKG-INFO"):
        (home / file).write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = "\n".join(points)
    (home / "entry_points.txt").write_text(f"[{GROUP}]\n{lines}\n[console_scripts]\nx = y:z\n")


def found() -> list[tuple[str, str]]:
    return [(point.name, point.value) for point in entry_points_of(GROUP)]


@pytest.mark.parametrize("info", ["{}-1.0.dist-info", "{}.egg-info", "{}-1.0-py3.11.egg-info"])
def test_a_package_on_the_path_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, info: str
) -> None:
    """Whichever tool installed it, and next to packages that register nothing."""
    (tmp_path / "other-1.0.dist-info").mkdir()
    package(tmp_path, "mine", "a = b:c", info=info)
    assert found() == []
    monkeypatch.syspath_prepend(tmp_path)
    assert found() == [("a", "b:c")]


def test_several_packages_are_found_in_one_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On several places of the path; what two of them register alike is there once."""
    package(tmp_path / "one", "first", "z = m:z", "b = m:b")
    package(tmp_path / "two", "second", "b = m:b", "a = m:a")
    for place in ("one", "two"):
        monkeypatch.syspath_prepend(tmp_path / place)
    assert found() == [("a", "m:a"), ("b", "m:b"), ("z", "m:z")]


def test_a_package_below_the_working_directory_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The path names it by an empty string."""
    package(Path(), "mine", "a = b:c")
    monkeypatch.setattr(sys, "path", ["", "nowhere", *sys.path])
    assert found() == [("a", "b:c")]


def test_a_package_in_an_archive_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As zipapps have them."""
    package(tmp_path / "unpacked", "mine", "a = b:c")
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        for path in (tmp_path / "unpacked").rglob("*"):
            archive.write(path, path.relative_to(tmp_path / "unpacked"))
    monkeypatch.syspath_prepend(tmp_path / "packed.zip")
    assert found() == [("a", "b:c")]


def test_an_egg_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest form: a folder of its own on the path."""
    package(tmp_path / "mine-1.0.egg", "mine", "a = b:c", info="EGG-INFO")
    monkeypatch.syspath_prepend(tmp_path / "mine-1.0.egg")
    assert found() == [("a", "b:c")]


def test_packages_that_are_nowhere_on_the_path_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever extends Python's import may know packages of its own."""
    package(tmp_path, "mine", "a = b:c")

    class Finder(DistributionFinder):
        def find_distributions(
            self, context: DistributionFinder.Context | None = None
        ) -> Iterable[Distribution]:
            return [Distribution.at(tmp_path / "mine-1.0.dist-info")]

        def find_spec(self, *_: object) -> None:
            return None

    assert PathFinder in sys.meta_path
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])
    assert found() == [("a", "b:c")]


@pytest.mark.parametrize("group", ["console_scripts", "pytest11", "hypothesis"])
def test_nothing_that_is_installed_here_is_missed(group: str) -> None:
    """Beside what the standard library says about this very environment."""
    told = {(point.name, point.value) for point in entry_points(group=group)}
    assert {(point.name, point.value) for point in entry_points_of(group)} == told
