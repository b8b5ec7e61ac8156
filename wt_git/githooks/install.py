"""Setting up a repository for evidence, or listing the missing parts (docs/evidence-in-git.md).

Each step can be repeated safely, and removes nothing that was there before.
"""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, NamedTuple

from wt_git import files
from wt_git.config import DEFAULT_NOTES_REF
from wt_git.errors import GitError
from wt_git.git.git_config import add_config_value, config_values, set_config_value
from wt_git.git.libgit2 import open_repository
from wt_git.git.process import ask, run
from wt_git.githooks.git_hooks import CLIENT_HOOKS, PYTHON_KEY, REMOTE_KEY, SERVER_HOOKS
from wt_git.githooks.hook_files import SetUpPart, hook_folder, set_up_hooks

if TYPE_CHECKING:
    from collections.abc import Callable
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


class SetUpRequest(NamedTuple):
    """The repository to set up, the interpreter for its hooks, and the remote for its notes.

    `remote` None: the recorded one, else `origin`, else the only one. `server`: set up the hook that
    checks received pushes. `notes_ref` is the ref of the notes.
    """

    folders: GitFolders
    python: str
    remote: str | None = None
    server: bool = False
    shared_hooks: bool = False
    notes_ref: str = DEFAULT_NOTES_REF


def set_up(wanted: SetUpRequest, *, fix: bool) -> list[SetUpPart]:
    """Check every part, and create the missing ones if `fix`.

    Raises `GitError` and `OSError` if something cannot be read or written.
    """
    folders = wanted.folders
    if reason := _unreadable(folders.home):
        return [SetUpPart("refused", reason)]
    names = SERVER_HOOKS if wanted.server else CLIENT_HOOKS
    found = [_interpreter(wanted, fix=fix)]
    where = hook_folder(folders)
    found += set_up_hooks(folders, where, names, fix=fix, shared=wanted.shared_hooks)
    if wanted.server:
        return [*found, *_default_branch(folders.home)]
    found.append(_notes_in_log(wanted, fix=fix))
    found += _remote(wanted, fix=fix)
    if folders.top is not None:
        found.append(_runs_ignored(folders.top, fix=fix))
        if (folders.top / _FRAMEWORK).exists():
            found.append(_framework_snippet(folders.top / _FRAMEWORK))
    return found


def _default_branch(home: Path) -> list[SetUpPart]:
    """Report a HEAD that names a missing branch: its policy applies to new branches."""
    if ask(("rev-parse", "--verify", "--quiet", "HEAD"), cwd=home).status == 0:
        return []
    names = run(("for-each-ref", "--format=%(refname)", "refs/heads"), cwd=home)
    branches = names.decode("utf-8", "surrogateescape").split("\n")[:-1]
    if not branches:
        return []  # nothing was pushed yet
    head = ask(("symbolic-ref", "--short", "HEAD"), cwd=home).out.decode("utf-8", "replace").strip()
    text = (
        f"HEAD is at '{head}', which is not there: a new branch is then checked by its own policy"
    )
    hints = tuple(f"git symbolic-ref HEAD {shlex.quote(one)}" for one in branches[:_SHOWN])
    return [SetUpPart("note", text, hints)]


def _unreadable(home: Path) -> str | None:
    """Return why a repository cannot have notes: then no hook could ever find evidence."""
    try:
        open_repository(home)
    except GitError as error:
        if error.specific_code == "notes-unavailable":
            return error.message
        raise
    return None


def _interpreter(wanted: SetUpRequest, *, fix: bool) -> SetUpPart:
    """Record the interpreter for the hooks, and check that git can start it."""
    home = wanted.folders.home
    recorded = config_values(home, PYTHON_KEY, local=True)
    if _git_starts_wt(home) and (not fix or recorded == [wanted.python]):
        return SetUpPart("there", f"hooks run with '{config_values(home, PYTHON_KEY)[-1]}'")
    if not fix:
        said = f"'{recorded[-1]}', which does not start wt" if recorded else "not recorded"
        return SetUpPart("missing", f"the interpreter for hooks is {said}")
    set_config_value(home, PYTHON_KEY, wanted.python)
    if not _git_starts_wt(home):
        return SetUpPart("refused", f"git cannot start wt with '{wanted.python}'", ("wt init",))
    return SetUpPart("made", f"hooks run with '{wanted.python}', or else with wt on PATH")


def _git_starts_wt(home: Path) -> bool:
    start = f'!"$(git config {PYTHON_KEY})" -P -m wt_git --version'
    try:
        answer = ask(("-c", f"alias.windtunnel-probe={start}", "windtunnel-probe"), cwd=home)
    except GitError:
        return False
    return answer.status == 0 and answer.out.startswith(b"wt ")


def _ensure(
    *,
    present: bool,
    fix: bool,
    create: Callable[[], None],
    there: str,
    missing: str,
    made: str,
    hints: tuple[str, ...] = (),
) -> SetUpPart:
    """Return the state of a part, after `create` has made it if it was missing and `fix` is set."""
    if present:
        return SetUpPart("there", there)
    if not fix:
        return SetUpPart("missing", missing)
    create()
    return SetUpPart("made", made, hints)


def _notes_in_log(wanted: SetUpRequest, *, fix: bool) -> SetUpPart:
    home, key, value = wanted.folders.home, "notes.displayRef", f"{wanted.notes_ref}*"
    return _ensure(  # a pattern: git warns about a missing ref
        present=value in config_values(home, key),
        fix=fix,
        create=lambda: add_config_value(home, key, value),
        there="git log shows evidence below commits",
        missing=f"{key} lacks {value}: git log shows no evidence",
        made=f"git log shows evidence below commits ({key} {value})",
    )


def _remote(wanted: SetUpRequest, *, fix: bool) -> list[SetUpPart]:
    """Record the remote for notes, and let `git fetch` bring them."""
    home = wanted.folders.home
    known = run(("remote",), cwd=home).decode("utf-8", "replace").split("\n")[:-1]
    recorded = config_values(home, REMOTE_KEY, local=True)
    remote = wanted.remote or (recorded[-1] if recorded else None) or _default_remote(known)
    if remote is None:
        return [_no_remote(known)]
    if remote not in known:
        names = ", ".join(known) or "none"
        hint = f"git remote add {remote} URL"
        return [SetUpPart("refused", f"there is no remote '{remote}'; there is: {names}", (hint,))]
    return [
        _recorded_remote(home, remote, recorded, fix=fix),
        _notes_refspec(wanted, remote, fix=fix),
    ]


def _default_remote(known: list[str]) -> str | None:
    if "origin" in known:
        return "origin"
    return known[0] if len(known) == 1 else None


def _no_remote(known: list[str]) -> SetUpPart:
    if known:
        names = ", ".join(known)
        hints = tuple(f"wt init --remote {name}" for name in known)
        return SetUpPart("missing", f"which remote gets the notes? There are {names}", hints)
    return SetUpPart("note", "no remote yet: run wt init again once there is one", ("wt init",))


def _recorded_remote(home: Path, remote: str, recorded: list[str], *, fix: bool) -> SetUpPart:
    return _ensure(
        present=recorded == [remote],
        fix=fix,
        create=lambda: set_config_value(home, REMOTE_KEY, remote),
        there=f"notes go to {remote}",
        missing=f"that notes go to {remote} is not recorded",
        made=f"notes go to {remote}",
    )


def _notes_refspec(wanted: SetUpRequest, remote: str, *, fix: bool) -> SetUpPart:
    home, key = wanted.folders.home, f"remote.{remote}.fetch"
    # A pattern: git fails to fetch an exact ref that is missing.
    value = f"+{wanted.notes_ref}*:refs/windtunnel/remotes/{remote}/notes*"
    return _ensure(
        present=value in config_values(home, key),
        fix=fix,
        create=lambda: add_config_value(home, key, value),
        there=f"git fetch {remote} brings notes along",
        missing=f"{key} lacks {value}: git fetch brings no notes",
        made=f"git fetch {remote} brings notes along ({value})",
    )


def _runs_ignored(top: Path, *, fix: bool) -> SetUpPart:
    file = top / ".gitignore"
    return _ensure(
        present=ask(("check-ignore", "--quiet", "--no-index", "runs/"), cwd=top).status == 0,
        fix=fix,
        create=lambda: files.append_line(file, "runs/", durable=False),
        there="git ignores runs/",
        missing=f"'{file}' lacks runs/",
        made=f"runs/ is in '{file}'",
        hints=("git add .gitignore",),
    )


def _framework_snippet(file: Path) -> SetUpPart:
    text = file.read_text("utf-8", "replace")
    if "wt-verify" in text or "wt hook pre-push" in text:
        return SetUpPart("there", f"'{file}' has the hook, too")
    return SetUpPart(
        "note",
        f"{_FRAMEWORK} is here. The hooks above refuse a push without evidence; the pre-commit "
        "framework checks only the first ref of a push. For it, this is the hook:",
        tuple(_SNIPPET.split("\n")),
    )


def executable_name(path: str) -> str:
    """Return the path of an interpreter as the shell of every system accepts it."""
    return path.replace(os.sep, "/")
