"""Setting a repository up for evidence, or saying what is missing (docs/evidence-in-git.md).

Everything is safe to do again, and nothing that was there before is taken away.
"""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wt_git import files
from wt_git.config import DEFAULT_NOTES_REF
from wt_git.errors import GitError
from wt_git.git.git_config import add_config_value, config_values, set_config_value
from wt_git.git.process import ask, run
from wt_git.githooks.git_hooks import CLIENT_HOOKS, PYTHON_KEY, REMOTE_KEY, SERVER_HOOKS
from wt_git.githooks.hook_files import SetUpPart, hook_folder, set_up_hooks

if TYPE_CHECKING:
    from pathlib import Path

    from wt_git.git.repository import GitFolders

_SHOWN = 5
_FRAMEWORK = ".pre-commit-config.yaml"
_SNIPPET = """\
repos:
  - repo: local
    hooks:
      - id: wt-verify
        name: evidence for what is pushed
        entry: wt hook pre-push
        language: system
        stages: [pre-push]
        pass_filenames: false
        always_run: true
        require_serial: true"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUpRequest:
    """What is wanted: which repository, with which interpreter, for which remote.

    `remote` None: the one that is recorded, else `origin`, else the only one. `server`: for pushes
    that arrive here. `notes_ref` is the ref that holds the notes.
    """

    folders: GitFolders
    python: str
    remote: str | None = None
    server: bool = False
    shared_hooks: bool = False
    notes_ref: str = DEFAULT_NOTES_REF


def set_up(wanted: SetUpRequest, *, mend: bool) -> list[SetUpPart]:
    """Look at every part, and make what is missing if `mend`.

    Raises `GitError` and `OSError` for what cannot be read or written.
    """
    folders = wanted.folders
    if reason := _unreadable(folders.home):
        return [SetUpPart("refused", reason)]
    names = SERVER_HOOKS if wanted.server else CLIENT_HOOKS
    found = [_python(wanted, mend=mend)]
    where = hook_folder(folders)
    found += set_up_hooks(folders, where, names, mend=mend, shared=wanted.shared_hooks)
    if wanted.server:
        return [*found, *_default_branch(folders.home)]
    found.append(_display(wanted, mend=mend))
    found += _remote(wanted, mend=mend)
    if folders.top is not None:
        found.append(_ignored(folders.top, mend=mend))
        if (folders.top / _FRAMEWORK).exists():
            found.append(_framework(folders.top / _FRAMEWORK))
    return found


def _default_branch(home: Path) -> list[SetUpPart]:
    """Say when HEAD names a branch that is not there: its policy judges new branches."""
    if ask(("rev-parse", "--verify", "--quiet", "HEAD"), cwd=home).status == 0:
        return []
    names = run(("for-each-ref", "--format=%(refname)", "refs/heads"), cwd=home)
    branches = names.decode("utf-8", "surrogateescape").split("\n")[:-1]
    if not branches:
        return []  # nothing was pushed yet
    head = ask(("symbolic-ref", "--short", "HEAD"), cwd=home).out.decode("utf-8", "replace").strip()
    text = (
        f"HEAD is at '{head}', which is not there: a new branch is judged by what it brings itself"
    )
    hints = tuple(f"git symbolic-ref HEAD {shlex.quote(one)}" for one in branches[:_SHOWN])
    return [SetUpPart("note", text, hints)]


def _unreadable(home: Path) -> str | None:
    """Return why no notes can be kept in a repository, so that no hook could ever say yes."""
    from wt_git.git.libgit2 import open_repository  # noqa: PLC0415 - `wt init --help` needs none

    try:
        open_repository(home)
    except GitError as error:
        if error.specific_code == "notes-unavailable":
            return error.message
        raise
    return None


def _python(wanted: SetUpRequest, *, mend: bool) -> SetUpPart:
    """Record the interpreter for the hooks, and prove that git can start it."""
    home = wanted.folders.home
    recorded = config_values(home, PYTHON_KEY, local=True)
    state = "there" if _answers(home) else "missing"
    if state == "there" and (not mend or recorded == [wanted.python]):
        return SetUpPart("there", f"hooks run with '{config_values(home, PYTHON_KEY)[-1]}'")
    if not mend:
        said = f"'{recorded[-1]}', which does not start wt" if recorded else "not recorded"
        return SetUpPart("missing", f"the interpreter for hooks is {said}")
    set_config_value(home, PYTHON_KEY, wanted.python)
    if not _answers(home):
        return SetUpPart("refused", f"git cannot start wt with '{wanted.python}'", ("wt init",))
    return SetUpPart("made", f"hooks run with '{wanted.python}', or else with wt on PATH")


def _answers(home: Path) -> bool:
    """Let git start the program as a hook does, and say whether it did."""
    start = f'!"$(git config {PYTHON_KEY})" -P -m wt_git --version'
    try:
        answer = ask(("-c", f"alias.windtunnel-probe={start}", "windtunnel-probe"), cwd=home)
    except GitError:
        return False
    return answer.status == 0 and answer.out.startswith(b"wt ")


def _display(wanted: SetUpRequest, *, mend: bool) -> SetUpPart:
    """Let `git log` show the notes; a pattern, since a ref that is missing is warned about."""
    home, value = wanted.folders.home, f"{wanted.notes_ref}*"
    if value in config_values(home, "notes.displayRef"):
        return SetUpPart("there", "git log shows evidence below commits")
    if not mend:
        return SetUpPart("missing", f"notes.displayRef lacks {value}: git log shows no evidence")
    add_config_value(home, "notes.displayRef", value)
    return SetUpPart("made", f"git log shows evidence below commits (notes.displayRef {value})")


def _remote(wanted: SetUpRequest, *, mend: bool) -> list[SetUpPart]:
    """Record the remote for notes, and let `git fetch` bring them."""
    home = wanted.folders.home
    known = run(("remote",), cwd=home).decode("utf-8", "replace").split("\n")[:-1]
    recorded = config_values(home, REMOTE_KEY, local=True)
    remote = wanted.remote or (recorded[-1] if recorded else None) or _only(known)
    if remote is None:
        return [_no_remote(known)]
    if remote not in known:
        names = ", ".join(known) or "none"
        hint = f"git remote add {remote} URL"
        return [SetUpPart("refused", f"there is no remote '{remote}'; there is: {names}", (hint,))]
    return [_recorded(home, remote, recorded, mend=mend), _refspec(wanted, remote, mend=mend)]


def _only(known: list[str]) -> str | None:
    if "origin" in known:
        return "origin"
    return known[0] if len(known) == 1 else None


def _no_remote(known: list[str]) -> SetUpPart:
    if known:
        names = ", ".join(known)
        hints = tuple(f"wt init --remote {name}" for name in known)
        return SetUpPart("missing", f"which remote gets the notes? There are {names}", hints)
    return SetUpPart("note", "no remote yet: run wt init again once there is one", ("wt init",))


def _recorded(home: Path, remote: str, recorded: list[str], *, mend: bool) -> SetUpPart:
    if recorded == [remote]:
        return SetUpPart("there", f"notes go to {remote}")
    if not mend:
        return SetUpPart("missing", f"that notes go to {remote} is not recorded")
    set_config_value(home, REMOTE_KEY, remote)
    return SetUpPart("made", f"notes go to {remote}")


def _refspec(wanted: SetUpRequest, remote: str, *, mend: bool) -> SetUpPart:
    """Add the refspec; a pattern, since git fails to fetch an exact ref that is missing."""
    home, key = wanted.folders.home, f"remote.{remote}.fetch"
    value = f"+{wanted.notes_ref}*:refs/windtunnel/remotes/{remote}/notes*"
    if value in config_values(home, key):
        return SetUpPart("there", f"git fetch {remote} brings notes along")
    if not mend:
        return SetUpPart("missing", f"{key} lacks {value}: git fetch brings no notes")
    add_config_value(home, key, value)
    return SetUpPart("made", f"git fetch {remote} brings notes along ({value})")


def _ignored(top: Path, *, mend: bool) -> SetUpPart:
    """Keep the runs directory out of commits, and so out of what is under test."""
    if ask(("check-ignore", "--quiet", "--no-index", "runs/"), cwd=top).status == 0:
        return SetUpPart("there", "git ignores runs/")
    file = top / ".gitignore"
    if not mend:
        return SetUpPart("missing", f"'{file}' lacks runs/")
    files.append_line(file, "runs/", durable=False)
    return SetUpPart("made", f"runs/ is in '{file}'", ("git add .gitignore",))


def _framework(file: Path) -> SetUpPart:
    text = file.read_text("utf-8", "replace")
    if "wt-verify" in text or "wt hook pre-push" in text:
        return SetUpPart("there", f"'{file}' has the hook, too")
    return SetUpPart(
        "note",
        f"{_FRAMEWORK} is here. The hooks above are what refuses a push; the pre-commit framework "
        "checks only the first ref of one. For it, this is the hook:",
        tuple(_SNIPPET.split("\n")),
    )


def executable_name(path: str) -> str:
    """Return an interpreter's path as a shell on every system takes it."""
    return path.replace(os.sep, "/")
