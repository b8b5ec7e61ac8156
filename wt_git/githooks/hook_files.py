"""Putting the scripts where git looks for hooks, in front of those that are already there.

A hook that somebody else put there keeps its file, under a new name: `pre-push` becomes
`pre-push.chained`, which our script calls with the same arguments and input.
"""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from wt_git import files
from wt_git.git.config_edits import put, values
from wt_git.git.hook_folder import HOOKS_PATH, has_configured_hooks
from wt_git.githooks.findings import Finding
from wt_git.githooks.hook_names import GATES, READS_STDIN
from wt_git.githooks.shims import hook_in, shim

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from wt_git.git.git_folders import GitFolders
    from wt_git.git.hook_folder import HookFolder

_SHARED_TEXT = (
    "{name} is '{said}' in '{file}', outside of this repository: hooks there would run in every "
    "repository that uses it"
)
_OFF_TEXT = "{name} is '{said}' in '{file}', which is no folder: git runs no hooks here"


def hooks(
    folders: GitFolders,
    where: HookFolder,
    names: Iterable[str],
    *,
    mend: bool,
    shared: bool = False,
) -> list[Finding]:
    """Look for every hook of `names`, and put in place what is missing if `mend`.

    `shared` allows writing into a folder that other repositories use too. Raises `OSError`.
    """
    if _is_husky(where.path):
        return _husky(where.path.parent, names)
    if where.place == "off" or (where.place == "shared" and not shared):
        # A shared folder may have been set up before, by somebody who allowed it.
        done = [hook_in(where.path / name) == name for name in names]
        if where.place == "shared" and all(done):
            return [_file(where, name, mend=mend) for name in names]
        if has_configured_hooks(folders.home):
            return [_configured(folders, name, mend=mend) for name in names]
        return [_not_here(folders, where)]
    found = [_file(where, name, mend=mend) for name in names]
    if where.place == "work-tree" and any(one.state == "made" for one in found):
        text = f"'{where.path}' is in the working directory: commit the hooks, they are portable"
        found.append(Finding("note", text, (f"git add {shlex.quote(str(where.path))}",)))
    return found


def _not_here(folders: GitFolders, where: HookFolder) -> Finding:
    text = _SHARED_TEXT if where.place == "shared" else _OFF_TEXT
    own = folders.common_dir / "hooks"
    own_hooks = f"git config --local {HOOKS_PATH} {shlex.quote(str(own))} && wt init"
    hints = ("wt init --shared-hooks", own_hooks) if where.place == "shared" else (own_hooks,)
    return Finding("refused", text.format(name=HOOKS_PATH, said=where.said, file=where.file), hints)


def _file(where: HookFolder, name: str, *, mend: bool) -> Finding:
    """Look at the file of one hook."""
    path = where.path / name
    wanted = shim(name, shared=where.place == "shared")
    ours = hook_in(path) == name
    if ours and path.read_text("utf-8") == wanted and os.access(path, os.X_OK):
        return Finding("there", f"{name}: '{path}'")
    if hook_in(path.with_name(f"{name}.legacy")) == name and os.access(path, os.X_OK):
        return Finding("there", f"{name}: the pre-commit framework's hook calls '{path}.legacy'")
    if not mend:
        what = "is another version's" if ours else "is not Wind Tunnel's"
        return Finding(
            "missing", f"{name}: '{path}' {what if os.path.lexists(path) else 'is missing'}"
        )
    where.path.mkdir(parents=True, exist_ok=True)
    chained = path.with_name(f"{name}.chained")
    foreign = os.path.lexists(path) and not ours
    if foreign and os.path.lexists(chained):
        if not _same(path, chained):
            return _two_foreign(path, chained)
        foreign = False
    if foreign:
        _keep_as(path, chained)
    _put(path, wanted)
    after = f", which calls '{chained.name}', the hook that was there" if foreign else ""
    return Finding("made", f"{name}: '{path}'{after}")


def _same(one: Path, other: Path) -> bool:
    try:
        return one.read_bytes() == other.read_bytes()
    except OSError:
        return False


def _two_foreign(path: Path, chained: Path) -> Finding:
    return Finding(
        "refused",
        f"{path.name}: '{path}' is somebody else's, and '{chained}' is kept from before; keep one",
        (f"rm {shlex.quote(str(chained))} && wt init",),
    )


def _keep_as(path: Path, chained: Path) -> None:
    """Give the file a second name, so that at no moment there is no hook at all."""
    try:
        os.link(path, chained, follow_symlinks=False)
    except OSError:  # a file system without links
        path.rename(chained)


def _put(path: Path, text: str) -> None:
    """Write a script that can be executed from the moment it is there."""
    new = path.with_name(f"{path.name}.new")
    files.write_whole(new, text)
    new.chmod(0o755)
    new.replace(path)


def _configured(folders: GitFolders, name: str, *, mend: bool) -> Finding:
    """Let git's configuration name the hook: it runs beside whatever `core.hooksPath` holds."""
    path = folders.common_dir / "windtunnel" / "hooks" / name
    key = f"hook.windtunnel-{name}"
    # Not the path itself: a repository may be moved.
    command = f'"$(git rev-parse --git-common-dir)/windtunnel/hooks/{name}"'
    wanted = {f"{key}.command": [command], f"{key}.event": [name]}
    has = all(values(folders.home, one, local=True) == value for one, value in wanted.items())
    if has and hook_in(path) == name and path.read_text("utf-8") == shim(name):
        return Finding("there", f"{name}: {key} in the repository's configuration")
    if not mend:
        return Finding("missing", f"{name}: {key} is missing from the repository's configuration")
    path.parent.mkdir(parents=True, exist_ok=True)
    _put(path, shim(name))
    for one, (value,) in wanted.items():
        put(folders.home, one, value)
    return Finding("made", f"{name}: {key} in the repository's configuration")


def _is_husky(path: Path) -> bool:
    return path.name == "_" and path.parent.name == ".husky"


def _husky(folder: Path, names: Iterable[str]) -> list[Finding]:
    """Look at the files that husky calls; they are the user's, and husky rewrites its own."""
    found = []
    for name in names:
        path = folder / name
        line = f'wt hook {name} "$@"'
        if name not in GATES:  # the file is everybody's: who has no wt can commit all the same
            line = f"! command -v wt >/dev/null || {line}"
        if path.is_file() and f"wt hook {name}" in path.read_text("utf-8", "replace"):
            found.append(Finding("there", f"{name}: '{path}' calls it"))
            continue
        add = f"printf '%s\\n' {shlex.quote(line)} >> {shlex.quote(str(path))}"
        why = ", as its first line if others read the input" if name in READS_STDIN else ""
        found.append(
            Finding("refused", f"{name}: husky calls '{path}': add one line to it{why}", (add,))
        )
    return found
