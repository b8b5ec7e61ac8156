"""The scripts in the folder where git looks for hooks, put in front of the hooks that were there.

A hook of the user keeps its file under a new name: `pre-push` becomes `pre-push.chained`, and our
script calls it with the same arguments and input. Without `core.hooksPath` the folder is `hooks` of the
git directory, which all worktrees share. With it, the folder may be in the working directory, shared
with other repositories, or missing (`/dev/null` switches hooks off).
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from wt_git import files
from wt_git.errors import StorageError
from wt_git.git.git_config import config_origin, config_values, set_config_value
from wt_git.git.process import run
from wt_git.githooks.git_hooks import GATES, READS_STDIN

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wt_git.git.repository import GitFolders

PartState = Literal["there", "made", "missing", "refused", "note"]


class SetUpPart(NamedTuple):
    """The state of one part of the set-up.

    `there`: nothing to do. `made`: done now. `missing`: `wt init` would make it. `refused`: it could
    not be made, and `hints` are commands that help. `note`: information.
    """

    state: PartState
    text: str
    hints: tuple[str, ...] = ()


def is_complete(findings: list[SetUpPart]) -> bool:
    """Say whether no part is missing or refused."""
    return not any(one.state in {"missing", "refused"} for one in findings)


Place = Literal["git-dir", "work-tree", "shared", "off"]

HOOKS_PATH = "core.hooksPath"
_CONFIGURED_HOOKS = (2, 54)
_VERSION = re.compile(rb"(\d+)\.(\d+)")


class HookFolder(NamedTuple):
    """The folder in which git looks for hooks.

    `path` is absolute. `setting` is the value of `core.hooksPath`, and `file` the configuration file
    that sets it. `place`: `git-dir` and `work-tree` belong to this repository; `shared` is outside,
    so other repositories may use it; `off` cannot be a folder.
    """

    path: Path
    place: Place
    setting: str | None = None
    file: str | None = None


def hook_folder(folders: GitFolders) -> HookFolder:
    """Return the folder of hooks of a repository. Raises `GitError`."""
    found = config_origin(folders.home, HOOKS_PATH)
    if found is None:
        return HookFolder(folders.common_dir / "hooks", "git-dir")
    path = folders.home / found.value  # `..` stays: git follows it as well
    return HookFolder(path, _place(path, found.value, folders), found.value, found.file)


def _place(path: Path, setting: str, folders: GitFolders) -> Place:
    if not setting or (path.exists() and not path.is_dir()):
        return "off"
    real = path.resolve()
    if real.is_relative_to(folders.common_dir.resolve()):
        return "git-dir"
    if folders.top is not None and real.is_relative_to(folders.top.resolve()):
        return "work-tree"
    return "shared"


def has_configured_hooks(folder: Path) -> bool:
    """Say whether this version of git runs hooks from configuration (`hook.<name>.command`)."""
    found = _VERSION.search(run(("version",), cwd=folder))
    return found is not None and (int(found[1]), int(found[2])) >= _CONFIGURED_HOOKS


_BESIDE = Path(__file__).with_name("shims")
_IN_THE_PROJECT = Path(__file__).parents[2] / "hooks"
_IDENTITY = re.compile(r"# wind-tunnel git hook: (?P<name>[a-z-]+)\b")
_FIRST_LINES = 4
# In a shared folder our script does nothing in repositories without `wt init`.
_GUARD = (
    "git config windtunnel.python >/dev/null ||"
    ' { [ ! -x "$0.chained" ] || exec "$0.chained" "$@"; exit 0; }'
)


def shim(name: str, *, shared: bool = False) -> str:
    """Return the script for the hook `name`.

    In a `shared` folder it does nothing in repositories that were never set up. Raises
    `StorageError` if the installation lacks the script.
    """
    for folder in (_BESIDE, _IN_THE_PROJECT):
        try:
            text = (folder / name).read_text("utf-8")
        except FileNotFoundError:
            continue
        return _with_guard(text) if shared else text
    raise StorageError(
        f"this installation of wt lacks the script for {name}: it is neither in '{_BESIDE}' nor in "
        f"'{_IN_THE_PROJECT}'",
        hints=("pip install --force-reinstall wt-git",),
    )


def _with_guard(text: str) -> str:
    lines = text.split("\n")
    at = next(number for number, line in enumerate(lines) if not line.startswith("#"))
    return "\n".join([*lines[:at], _GUARD, *lines[at:]])


def hook_in(path: Path) -> str | None:
    """Return the hook of which the file `path` is our script, of any version; None for another file."""
    try:
        head = path.read_bytes()[:1000].decode("utf-8", "replace")
    except OSError:
        return None
    for line in head.split("\n")[:_FIRST_LINES]:
        if found := _IDENTITY.match(line):
            return found["name"]
    return None


_SHARED_TEXT = (
    "{name} is '{setting}' in '{file}', outside of this repository: hooks there would run in every "
    "repository that uses it"
)
_OFF_TEXT = "{name} is '{setting}' in '{file}', which is no folder: git runs no hooks here"


def set_up_hooks(
    folders: GitFolders,
    where: HookFolder,
    names: Iterable[str],
    *,
    fix: bool,
    shared: bool = False,
) -> list[SetUpPart]:
    """Check each hook of `names`, and install it if `fix`.

    `shared` allows writing to a folder that other repositories use too. Raises `OSError`.
    """
    if _is_husky(where.path):
        return _husky_hooks(where.path.parent, names)
    if where.place == "off" or (where.place == "shared" and not shared):
        # A shared folder may have been set up before, with `--shared-hooks`.
        done = [hook_in(where.path / name) == name for name in names]
        if where.place == "shared" and all(done):
            return [_hook_file(where, name, fix=fix) for name in names]
        if has_configured_hooks(folders.home):
            return [_configured_hook(folders, name, fix=fix) for name in names]
        return [_not_here(folders, where)]
    found = [_hook_file(where, name, fix=fix) for name in names]
    if where.place == "work-tree" and any(one.state == "made" for one in found):
        text = f"'{where.path}' is in the working directory: commit the hooks, they are portable"
        found.append(SetUpPart("note", text, (f"git add {shlex.quote(str(where.path))}",)))
    return found


def _not_here(folders: GitFolders, where: HookFolder) -> SetUpPart:
    text = _SHARED_TEXT if where.place == "shared" else _OFF_TEXT
    own = folders.common_dir / "hooks"
    own_hooks = f"git config --local {HOOKS_PATH} {shlex.quote(str(own))} && wt init"
    hints = ("wt init --shared-hooks", own_hooks) if where.place == "shared" else (own_hooks,)
    return SetUpPart(
        "refused", text.format(name=HOOKS_PATH, setting=where.setting, file=where.file), hints
    )


def _hook_file(where: HookFolder, name: str, *, fix: bool) -> SetUpPart:
    path = where.path / name
    wanted = shim(name, shared=where.place == "shared")
    ours = hook_in(path) == name
    if ours and path.read_text("utf-8") == wanted and os.access(path, os.X_OK):
        return SetUpPart("there", f"{name}: '{path}'")
    if hook_in(path.with_name(f"{name}.legacy")) == name and os.access(path, os.X_OK):
        return SetUpPart("there", f"{name}: the pre-commit framework's hook calls '{path}.legacy'")
    if not fix:
        problem = "is of another version" if ours else "is not Wind Tunnel's"
        if not os.path.lexists(path):
            problem = "is missing"
        return SetUpPart("missing", f"{name}: '{path}' {problem}")
    where.path.mkdir(parents=True, exist_ok=True)
    chained = path.with_name(f"{name}.chained")
    foreign = os.path.lexists(path) and not ours
    if foreign and os.path.lexists(chained):
        if not _same(path, chained):
            return _two_foreign(path, chained)
        foreign = False
    if foreign:
        _keep_as_chained(path, chained)
    _write_script(path, wanted)
    after = f", which calls '{chained.name}', the hook that was there" if foreign else ""
    return SetUpPart("made", f"{name}: '{path}'{after}")


def _same(one: Path, other: Path) -> bool:
    try:
        return one.read_bytes() == other.read_bytes()
    except OSError:
        return False


def _two_foreign(path: Path, chained: Path) -> SetUpPart:
    return SetUpPart(
        "refused",
        f"{path.name}: '{path}' is another program's hook, and '{chained}' is kept from before; keep one",
        (f"rm {shlex.quote(str(chained))} && wt init",),
    )


def _keep_as_chained(path: Path, chained: Path) -> None:
    """Give the file a second name, so that there is a hook at any moment."""
    try:
        os.link(path, chained, follow_symlinks=False)
    except OSError:  # a file system without links
        path.rename(chained)


def _write_script(path: Path, text: str) -> None:
    new = path.with_name(f"{path.name}.new")
    files.write_whole(new, text)
    new.chmod(0o755)
    new.replace(path)


def _configured_hook(folders: GitFolders, name: str, *, fix: bool) -> SetUpPart:
    """Set the hook up in git's configuration: it runs besides those of `core.hooksPath`."""
    path = folders.common_dir / "windtunnel" / "hooks" / name
    key = f"hook.windtunnel-{name}"
    # Not an absolute path: a repository may be moved.
    command = f'"$(git rev-parse --git-common-dir)/windtunnel/hooks/{name}"'
    wanted = {f"{key}.command": [command], f"{key}.event": [name]}
    has = all(
        config_values(folders.home, one, local=True) == value for one, value in wanted.items()
    )
    if has and hook_in(path) == name and path.read_text("utf-8") == shim(name):
        return SetUpPart("there", f"{name}: {key} in the repository's configuration")
    if not fix:
        return SetUpPart("missing", f"{name}: {key} is missing from the repository's configuration")
    path.parent.mkdir(parents=True, exist_ok=True)
    _write_script(path, shim(name))
    for one, (value,) in wanted.items():
        set_config_value(folders.home, one, value)
    return SetUpPart("made", f"{name}: {key} in the repository's configuration")


def _is_husky(path: Path) -> bool:
    return path.name == "_" and path.parent.name == ".husky"


def _husky_hooks(folder: Path, names: Iterable[str]) -> list[SetUpPart]:
    """Check the files that husky calls. They belong to the user, so the lines to add are printed."""
    found = []
    for name in names:
        path = folder / name
        line = f'wt hook {name} "$@"'
        if name not in GATES:  # the file is shared: people without wt must be able to commit
            line = f"! command -v wt >/dev/null || {line}"
        if path.is_file() and f"wt hook {name}" in path.read_text("utf-8", "replace"):
            found.append(SetUpPart("there", f"{name}: '{path}' calls it"))
            continue
        add = f"printf '%s\\n' {shlex.quote(line)} >> {shlex.quote(str(path))}"
        why = ", as its first line if others read the input" if name in READS_STDIN else ""
        found.append(
            SetUpPart("refused", f"{name}: husky calls '{path}': add one line to it{why}", (add,))
        )
    return found
