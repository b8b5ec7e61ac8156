"""Each part of the set-up of a repository: is it there, would it be made, is it made."""

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING

import pytest
from kit.repo import Repo, git, new_repo

from wt_git.git.repository import GitFolders, find_git_folders
from wt_git.githooks.git_hooks import CLIENT_HOOKS, FUNCTIONS, GATES, READS_STDIN, SERVER_HOOKS
from wt_git.githooks.hook_files import (
    HookFolder,
    hook_folder,
    hook_in,
    is_complete,
    set_up_hooks,
    shim,
)
from wt_git.githooks.install import SetUpRequest, set_up

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return new_repo(tmp_path / "repo", {"a.txt": "a\n"})


def folders_of(repo: Repo) -> GitFolders:
    found = find_git_folders(repo.path, {})
    assert found is not None
    return found


def hooks(repo: Repo, *names: str, fix: bool = False, shared: bool = False):
    folders = folders_of(repo)
    wanted = names or ("pre-push",)
    return set_up_hooks(folders, hook_folder(folders), wanted, fix=fix, shared=shared)


def states(found) -> list[str]:
    return [one.state for one in found]


def test_every_hook_has_a_function() -> None:
    """Those of clients and servers; what only some need is listed beside."""
    assert CLIENT_HOOKS == (
        "pre-commit",
        "prepare-commit-msg",
        "post-commit",
        "post-merge",
        "post-rewrite",
        "pre-push",
    )
    assert SERVER_HOOKS == ("pre-receive",)
    assert set(FUNCTIONS) == {*CLIENT_HOOKS, *SERVER_HOOKS}
    assert {"pre-push", "pre-receive", "post-rewrite"} == READS_STDIN
    assert {"pre-push", "pre-receive"} == GATES
    for dotted in FUNCTIONS.values():
        module, _, name = dotted.rpartition(".")
        assert callable(getattr(importlib.import_module(module), name))


def test_a_hook_is_missing_made_and_there(repo) -> None:
    """The script is executable, and known by its first lines."""
    path = repo.path / ".git/hooks/pre-push"
    (found,) = hooks(repo)
    assert (found.state, found.text) == ("missing", f"pre-push: '{path}' is missing")
    (found,) = hooks(repo, fix=True)
    assert (found.state, found.text) == ("made", f"pre-push: '{path}'")
    assert path.read_text("utf-8") == shim("pre-push")
    assert os.access(path, os.X_OK)
    assert hook_in(path) == "pre-push"
    assert hook_in(path.with_name("other")) is None
    (found,) = hooks(repo)
    assert (found.state, found.text) == ("there", f"pre-push: '{path}'")
    assert not path.with_name("pre-push.chained").exists()


def test_a_script_that_cannot_be_run_or_is_older_is_made_again(repo) -> None:
    """It is of another version then, and nobody's hook is kept."""
    path = repo.path / ".git/hooks/pre-push"
    hooks(repo, fix=True)
    path.chmod(0o644)
    assert hooks(repo)[0].text.endswith("is of another version")
    hooks(repo, fix=True)
    path.write_text(shim("pre-push") + "# older\n")
    assert hooks(repo)[0].text.endswith("is of another version")
    assert states(hooks(repo, fix=True)) == ["made"]
    assert not path.with_name("pre-push.chained").exists()


def test_a_foreign_hook_is_kept_beside(repo) -> None:
    """Once; two of them are one too many, unless they are the same."""
    path = repo.path / ".git/hooks/pre-push"
    chained = path.with_name("pre-push.chained")
    path.parent.mkdir(exist_ok=True)
    path.write_text("#!/bin/sh\n")
    assert hooks(repo)[0].text.endswith("is not Wind Tunnel's")
    (found,) = hooks(repo, fix=True)
    assert found.text.endswith(", which calls 'pre-push.chained', the hook that was there")
    assert chained.read_text() == "#!/bin/sh\n"
    path.unlink()
    path.write_text("#!/bin/sh\n")
    assert states(hooks(repo, fix=True)) == ["made"]
    path.unlink()
    path.write_text("#!/bin/sh\necho\n")
    (found,) = hooks(repo, fix=True)
    assert found.state == "refused"
    assert found.hints == (f"rm {chained} && wt init",)
    assert path.read_text() == "#!/bin/sh\necho\n"


def test_the_pre_commit_framework_may_call_our_script(repo) -> None:
    """It keeps a hook that was there as `pre-push.legacy`."""
    hooks(repo, fix=True)
    path = repo.path / ".git/hooks/pre-push"
    path.rename(path.with_name("pre-push.legacy"))
    path.write_text("#!/bin/sh\n")
    assert states(hooks(repo)) == ["missing"]
    path.chmod(0o755)
    (found,) = hooks(repo)
    assert found.text == f"pre-push: the pre-commit framework's hook calls '{path}.legacy'"


def place(repo: Repo) -> tuple[str, Path]:
    found = hook_folder(folders_of(repo))
    return found.place, found.path


def test_where_git_looks_for_hooks(repo, tmp_path) -> None:
    """In its own folder, in the working directory, elsewhere, or nowhere."""
    assert place(repo) == ("git-dir", repo.path / ".git/hooks")
    for value, expected in [
        (".git/other", "git-dir"),
        (".githooks", "work-tree"),
        (str(tmp_path / "shared"), "shared"),
        ("../shared", "shared"),
        ("", "off"),
        ("/dev/null", "off"),
        ("a.txt", "off"),
    ]:
        repo.git("config", "core.hooksPath", value)
        assert place(repo) == (expected, repo.path / value), value


def test_hooks_in_the_working_directory_have_to_be_committed(repo) -> None:
    """That is said once they are made."""
    repo.git("config", "core.hooksPath", ".githooks")
    assert states(hooks(repo)) == ["missing"]
    found = hooks(repo, fix=True)
    assert states(found) == ["made", "note"]
    assert found[1].hints == (f"git add {repo.path / '.githooks'}",)
    assert states(hooks(repo, fix=True)) == ["there"]
    assert states(hooks(repo, "pre-push", "pre-commit", fix=True)) == ["there", "made", "note"]


@pytest.fixture
def older_git(monkeypatch) -> None:
    """A git without hooks by configuration."""
    monkeypatch.setattr("wt_git.githooks.hook_files.has_configured_hooks", lambda _: False)


@pytest.fixture
def newer_git(monkeypatch) -> None:
    """A git with hooks by configuration."""
    monkeypatch.setattr("wt_git.githooks.hook_files.has_configured_hooks", lambda _: True)


def test_a_shared_folder_is_only_written_to_when_asked(repo, tmp_path, older_git) -> None:
    """Then our script passes over repositories that were not set up."""
    shared = tmp_path / "shared"
    repo.git("config", "core.hooksPath", str(shared))
    (found,) = hooks(repo, "pre-push", "pre-commit", fix=True)
    assert found.state == "refused"
    assert "outside of this repository" in found.text
    assert found.hints[0] == "wt init --shared-hooks"
    assert found.hints[1].endswith(f"{repo.path / '.git/hooks'} && wt init")
    assert not shared.exists()
    assert states(hooks(repo, "pre-push", "pre-commit", fix=True, shared=True)) == ["made"] * 2
    text = (shared / "pre-push").read_text("utf-8")
    assert text == shim("pre-push", shared=True)
    assert "windtunnel.python" in text
    before, after = text.split('git config windtunnel.python >/dev/null || { [ ! -x "$0.ch', 1)
    assert all(line.startswith("#") for line in before.split("\n")[:-1])
    assert after.split("\n", 1)[1] == shim("pre-push").removeprefix(before)
    assert states(hooks(repo, "pre-push", "pre-commit")) == ["there"] * 2
    assert states(hooks(repo, "pre-push", "post-commit")) == ["refused"]


def test_hooks_that_are_switched_off(repo, older_git) -> None:
    """A folder of its own is the only way."""
    repo.git("config", "core.hooksPath", "/dev/null")
    (found,) = hooks(repo, fix=True)
    assert found.state == "refused"
    assert "which is no folder: git runs no hooks here" in found.text
    assert len(found.hints) == 1


def test_a_newer_git_has_hooks_by_configuration(repo, newer_git) -> None:
    """Beside whatever `core.hooksPath` says."""
    repo.git("config", "core.hooksPath", "/dev/null")
    assert states(hooks(repo)) == ["missing"]
    assert states(hooks(repo, fix=True)) == ["made"]
    script = repo.path / ".git/windtunnel/hooks/pre-push"
    assert script.read_text("utf-8") == shim("pre-push")
    assert repo.git("config", "hook.windtunnel-pre-push.event") == "pre-push"
    assert states(hooks(repo)) == ["there"]
    for break_it in (
        lambda: script.write_text(shim("pre-push") + "\n"),
        lambda: script.write_text("#!/bin/sh\n"),
        lambda: repo.git("config", "hook.windtunnel-pre-push.event", "pre-commit"),
        lambda: repo.git("config", "--unset", "hook.windtunnel-pre-push.command"),
    ):
        break_it()
        assert states(hooks(repo)) == ["missing"]
        assert states(hooks(repo, fix=True)) == ["made"]
        assert states(hooks(repo)) == ["there"]


def test_husky_calls_files_of_the_user(repo) -> None:
    """The lines to add are printed; people without wt must be able to commit."""
    repo.git("config", "core.hooksPath", ".husky/_")
    found = hooks(repo, "pre-push", "pre-commit", "post-rewrite", fix=True)
    assert states(found) == ["refused"] * 3
    assert "add one line to it, as its first line if others read the input" in found[0].text
    assert found[1].text.endswith("add one line to it")
    assert "command -v wt" not in found[0].hints[0]
    assert "! command -v wt >/dev/null || wt hook pre-commit" in found[1].hints[0]
    assert "as its first line" in found[2].text
    repo.write({".husky/pre-push": 'wt hook pre-push "$@"\n', ".husky/pre-commit": "npm test\n"})
    assert states(hooks(repo, "pre-push", "pre-commit")) == ["there", "refused"]


def everything(repo: Repo, *, fix: bool = False, **options):
    request = SetUpRequest(folders_of(repo), sys.executable, **options)
    return set_up(request, fix=fix)


def test_a_repository_is_set_up_once(repo, tmp_path) -> None:
    """Each part is missing, then made, then there."""
    repo.git("remote", "add", "origin", str(tmp_path / "hub.git"))
    before = everything(repo)
    assert states(before) == ["missing"] * 11
    assert not is_complete(before)
    made = everything(repo, fix=True)
    assert states(made) == ["made"] * 11
    assert made[-1].hints == ("git add .gitignore",)
    assert (repo.path / ".gitignore").read_text() == "runs/\n"
    assert repo.git("config", "windtunnel.python") == sys.executable
    assert repo.git("config", "windtunnel.remote") == "origin"
    assert repo.git("config", "notes.displayRef") == "refs/windtunnel/notes*"
    assert repo.git("config", "--get-all", "remote.origin.fetch").split("\n")[-1] == (
        "+refs/windtunnel/notes*:refs/windtunnel/remotes/origin/notes*"
    )
    after = everything(repo, fix=True)
    assert states(after) == ["there"] * 11
    assert is_complete(after)
    assert states(everything(repo)) == ["there"] * 11


def test_the_interpreter_that_hooks_run_with(repo) -> None:
    """One that starts wt; another one that does is left alone until it is set up again."""
    assert everything(repo)[0].text == "the interpreter for hooks is not recorded"
    repo.git("config", "windtunnel.python", "/nowhere/python")
    assert "'/nowhere/python', which does not start wt" in everything(repo)[0].text
    other = repo.path.parent / "python"
    other.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    other.chmod(0o755)
    repo.git("config", "windtunnel.python", str(other))
    request = SetUpRequest(folders_of(repo), "/nowhere/python")
    assert set_up(request, fix=False)[0].text == f"hooks run with '{other}'"
    refused = set_up(request, fix=True)[0]
    assert (refused.state, refused.hints) == ("refused", ("wt init",))
    echo = repo.path.parent / "echo"
    echo.write_text("#!/bin/sh\necho python 3\n")
    echo.chmod(0o755)
    repo.git("config", "windtunnel.python", str(echo))
    assert everything(repo)[0].state == "missing"


def test_which_remote_gets_the_notes(repo) -> None:
    """The one that is named, else the recorded one, else origin, else the only one."""

    def last(**options):
        return everything(repo, fix=True, **options)[8]

    assert (last().state, last().hints) == ("note", ("wt init",))
    repo.git("remote", "add", "hub", "url")
    assert last().text == "notes go to hub"
    repo.git("config", "--unset", "windtunnel.remote")
    repo.git("remote", "add", "fork", "url")
    assert (last().state, last().hints) == (
        "missing",
        ("wt init --remote fork", "wt init --remote hub"),
    )
    repo.git("remote", "add", "origin", "url")
    assert last().text == "notes go to origin"
    assert last(remote="fork").text == "notes go to fork"
    assert last().text == "notes go to fork"
    refused = last(remote="other")
    assert refused.state == "refused"
    assert "there is: fork, hub, origin" in refused.text
    assert refused.hints == ("git remote add other URL",)


def test_the_pre_commit_framework_gets_its_snippet_until_it_has_it(repo) -> None:
    """Only where it is used."""
    file = repo.path / ".pre-commit-config.yaml"
    assert len(everything(repo)) == 10
    file.write_text("repos: []\n")
    assert everything(repo)[-1].state == "note"
    assert "".join(everything(repo)[-1].hints)
    file.write_text("id: wt-verify\n")
    assert everything(repo)[-1].state == "there"
    file.write_text("entry: wt hook pre-push\n")
    assert everything(repo)[-1].state == "there"


def test_a_server_has_one_hook_and_should_have_its_default_branch(repo, tmp_path) -> None:
    """Else the policy of a new branch would be its own."""
    git(tmp_path, "clone", "--quiet", "--bare", str(repo.path), "hub.git")
    hub = Repo(tmp_path / "hub.git")
    assert states(everything(hub, fix=True, server=True)) == ["made", "made"]
    assert hook_in(hub.path / "hooks/pre-receive") == "pre-receive"
    assert states(everything(hub, server=True)) == ["there", "there"]
    hub.git("symbolic-ref", "HEAD", "refs/heads/unborn")
    found = everything(hub, server=True)
    assert states(found) == ["there", "there", "note"]
    assert "HEAD is at 'unborn'" in found[2].text
    assert found[2].hints == ("git symbolic-ref HEAD refs/heads/main",)
    assert is_complete(found)
    hub.git("update-ref", "-d", "refs/heads/main")
    assert states(everything(hub, server=True)) == ["there", "there"]


def test_a_folder_named_by_the_test_is_used(repo, tmp_path) -> None:
    """Whatever its place is called, files are written to its path."""
    where = HookFolder(tmp_path / "new/hooks", "git-dir")
    (found,) = set_up_hooks(folders_of(repo), where, ["pre-commit"], fix=True)
    assert found.state == "made"
    assert hook_in(tmp_path / "new/hooks/pre-commit") == "pre-commit"
