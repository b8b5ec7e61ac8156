"""The scripts that git runs: short, portable, and found by every kind of installation."""

from __future__ import annotations

import re
import subprocess
import zipfile
from typing import TYPE_CHECKING

import pytest
from kit.installation import PROJECT, Installation, build_wheel
from kit.repo import new_repo

from wt_git.githooks.git_hooks import (
    CLIENT_HOOKS,
    FUNCTIONS,
    READS_STDIN,
    SERVER_HOOKS,
)
from wt_git.githooks.hook_files import hook_in, shim

if TYPE_CHECKING:
    from pathlib import Path

HOOKS = PROJECT / "hooks"
NAMES = [*CLIENT_HOOKS, *SERVER_HOOKS]


def test_there_is_a_script_for_each_hook_and_no_other():
    """Seven of them, and each has a module."""
    assert sorted(path.name for path in HOOKS.iterdir()) == sorted(NAMES) == sorted(FUNCTIONS)


@pytest.mark.parametrize("name", NAMES)
def test_a_script_is_short_and_says_whose_it_is(name):
    """At most twenty lines, no carriage returns, executable, and it knows its own name."""
    path = HOOKS / name
    data = path.read_bytes()
    assert data.startswith(b"#!/bin/sh\n# wind-tunnel git hook: " + name.encode())
    assert b"\r" not in data
    assert data.count(b"\n") <= 20
    assert path.stat().st_mode & 0o111
    assert hook_in(path) == name
    assert set(re.findall(r"hook ([a-z-]+) \"\$@\"", data.decode())) == {name}
    assert (b"feed |" in data) == (name in READS_STDIN)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_a_script_is_one_for_every_shell(name, shared):
    """Git runs it with whatever `sh` is."""
    text = shim(name, shared=shared)
    done = subprocess.run(["sh", "-n"], input=text, text=True, check=False, capture_output=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("text", ["", "#!/bin/sh\n", "\x00\xff" * 900, "# wind-tunnel git hook: "])
def test_other_files_are_not_ours(tmp_path, text):
    """A hook of somebody else's is never taken for an old one of ours."""
    path = tmp_path / "hook"
    path.write_text(text)
    assert hook_in(path) is None
    assert hook_in(tmp_path / "none") is None


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """What users install."""
    return build_wheel(tmp_path_factory.mktemp("wheel"))


def test_the_wheel_carries_the_scripts(wheel):
    """As data of the package, byte for byte."""
    with zipfile.ZipFile(wheel) as archive:
        for name in NAMES:
            packed = archive.read(f"wt_git/githooks/shims/{name}")
            assert packed == (HOOKS / name).read_bytes()
        assert not [name for name in archive.namelist() if name.startswith("hooks/")]


@pytest.mark.parametrize("kind", ["wheel", "editable"])
def test_an_installation_sets_a_repository_up(kind, wheel, tmp_path, monkeypatch):
    """From a wheel and from a checkout the same scripts arrive, and git can start them."""
    installation = Installation(tmp_path / "venv")
    installation.install(*([wheel] if kind == "wheel" else ["--editable", PROJECT]))
    repo = new_repo(tmp_path / "repo", {"a": "a"})
    monkeypatch.chdir(repo.path)
    installation.run("wt", "init")
    for name in CLIENT_HOOKS:
        assert (repo.path / ".git/hooks" / name).read_text() == (HOOKS / name).read_text()
    assert repo.git("config", "windtunnel.python").startswith(str(tmp_path / "venv"))


def test_the_pre_commit_framework_is_offered_every_hook_of_a_client():
    """Each entry calls a hook that there is, in the stage of that name, whatever files changed."""
    text = (PROJECT / ".pre-commit-hooks.yaml").read_text("utf-8")
    entries = text.split("\n- id: ")[1:]
    calls = [re.search(r"entry: wt hook (\S+)", entry)[1] for entry in entries]
    stages = [re.search(r"stages: \[(\S+)\]", entry)[1] for entry in entries]
    assert sorted(calls) == sorted(stages) == sorted(CLIENT_HOOKS)
    for entry in entries:
        assert "always_run: true" in entry
        assert "language: python" in entry
        assert "minimum_pre_commit_version: 3.2.0" in entry
