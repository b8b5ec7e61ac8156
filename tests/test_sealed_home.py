"""The seal around every test holds."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from kit.repo import new_repo
from kit.sealing import NetworkUseError


def test_git_reads_only_the_sealed_configuration(sealed, tmp_path):
    """No setting of the machine or of the developer reaches a repository of a test."""
    repo = new_repo(tmp_path / "repo")
    listed = repo.git("config", "--list", "--show-origin").splitlines()
    origins = {line.split("\t")[0] for line in listed}
    assert origins == {f"file:{sealed}/home/.gitconfig", "file:.git/config"}


def test_home_and_working_directory_are_in_the_sealed_folder(sealed):
    """What a program puts beside the user's files lands where the test can throw it away."""
    assert Path.home() == sealed / "home"
    assert Path.cwd() == sealed / "work"
    assert Path(os.environ["WT_LOCK_DIR"]).is_relative_to(sealed)


def test_children_inherit_the_seal(sealed):
    """A process that a test starts is in the same home."""
    printed = subprocess.run(
        [sys.executable, "-c", "import os; print(os.path.expanduser('~'), os.getcwd())"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert printed.split() == [str(sealed / "home"), str(sealed / "work")]


def test_the_network_is_out_of_reach(escape_watch):
    """A connection to another machine is refused before a packet leaves, and remembered."""
    with pytest.raises(NetworkUseError):
        socket.create_connection(("192.0.2.1", 80), timeout=1)
    with pytest.raises(NetworkUseError):
        socket.getaddrinfo("example.com", 80)
    assert escape_watch.end() == ["reached for 192.0.2.1", "reached for example.com"]
    escape_watch.begin()


def test_the_loopback_interface_is_in_reach():
    """Servers on this machine can be talked to, by name and by address."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        for host in ("127.0.0.1", "localhost"):
            with socket.create_connection((host, port), timeout=10) as client:
                assert client.getpeername()[1] == port


def test_a_name_that_cannot_exist_is_not_found(escape_watch):
    """Names under .invalid fail as they do everywhere, without asking a name server."""
    with pytest.raises(socket.gaierror):
        socket.getaddrinfo("nowhere.invalid", 80)
    assert escape_watch.end() == []
    escape_watch.begin()


def test_a_file_outside_is_noticed(escape_watch):
    """Writing beside the test's own folder is remembered; reading and temporary files are not."""
    stray = Path(__file__).with_name("stray-file-of-a-test")
    try:
        stray.write_text("")
        Path("fine").write_text("")
        Path(__file__).read_text()
    finally:
        stray.unlink(missing_ok=True)
    assert escape_watch.end() == [f"wrote {stray}"]
    escape_watch.begin()
