"""`wt skill`: the guide for coding agents, where it is and how an agent finds it."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path

import click

import wt_git
from wt_git.cli import printing
from wt_git.cli.options import CONTEXT_SETTINGS
from wt_git.errors import EXIT_YES, StorageError, os_reason
from wt_git.text import shell_word

NAME = "windtunnel"

_SKILL_FILE = "SKILL.md"
# The front matter is between two lines of three dashes, and `name` is one of its keys.
_NAMED = re.compile(rf"---\r?\n(?:(?!---).*\n)*?name:[ \t]*[\"']?{NAME}[\"']?[ \t]*\r?\n")


def packaged_skill() -> Path:
    """Return the folder of the skill that ships. Raises `StorageError` where it is missing."""
    folder = Path(wt_git.__file__).resolve().parent / "skill" / NAME
    if not (folder / _SKILL_FILE).is_file():
        raise StorageError(
            f"this installation of wt lacks its skill: there is no '{folder / _SKILL_FILE}'",
            hints=("pip install --force-reinstall wt-git",),
            code="skill-missing",
            facts={"path": str(folder)},
        )
    return folder


def install_skill(dest: Path, *, copy: bool) -> Path:
    """Put the entry `windtunnel` into `dest`, which is made, and return where it leads.

    A link replaces only a link. A copy also replaces an earlier copy of this skill, and no other
    folder. Raises `StorageError`; nothing was changed then.
    """
    skill, entry = packaged_skill(), dest / NAME
    try:
        dest.mkdir(parents=True, exist_ok=True)
        _check_replaceable(entry, copy=copy)
        if copy:
            _copy(skill, entry)
        else:
            _link(skill, entry)
        return entry.resolve()
    except OSError as error:
        reason = os_reason(error)
        raise StorageError(
            f"cannot install the skill as '{entry}': {reason}",
            code="skill-unwritable",
            facts={"path": str(entry), "reason": reason},
        ) from error


def _check_replaceable(entry: Path, *, copy: bool) -> None:
    if entry.is_symlink() or not entry.exists() or (copy and _is_a_copy(entry)):
        return
    ours = _is_a_copy(entry)
    again = f"wt skill install --copy --dest {shell_word(str(entry.parent))}"
    told = (
        "is a copy of the skill; only another copy replaces it:"
        if ours
        else "wt did not make; move it away, or name another folder with --dest"
    )
    raise StorageError(
        f"refusing to overwrite '{entry}', which {told}",
        hints=(again,) if ours else (),
        commands=(again,) if ours else (),
        code="skill-not-ours",
        facts={"path": str(entry), "is_copy": ours},
    )


def _is_a_copy(entry: Path) -> bool:
    """Return whether `entry` is a folder with the SKILL.md of this skill."""
    try:
        text = (entry / _SKILL_FILE).read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    return _NAMED.match(text) is not None


def _link(skill: Path, entry: Path) -> None:
    with tempfile.TemporaryDirectory(prefix=f".{NAME}-", dir=entry.parent) as made:
        link = Path(made) / NAME
        link.symlink_to(skill, target_is_directory=True)
        link.replace(entry)


def _copy(skill: Path, entry: Path) -> None:
    """Make the copy beside `entry` and rename it; an earlier copy is removed only after that."""
    with tempfile.TemporaryDirectory(
        prefix=f".{NAME}-", dir=entry.parent, ignore_cleanup_errors=True
    ) as made:
        fresh, old = Path(made) / NAME, Path(made) / "old"
        shutil.copytree(skill, fresh, ignore=shutil.ignore_patterns("__pycache__"))
        had_one = os.path.lexists(entry)
        if had_one:
            entry.rename(old)
        try:
            fresh.rename(entry)
        except OSError:
            if had_one:
                old.rename(entry)
            raise


EPILOG = """
Exit codes: 0 done; 1 it cannot be installed, or this installation lacks it; 2 asked wrongly.
"""


@click.group("skill", epilog=EPILOG, context_settings=CONTEXT_SETTINGS, invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Find or install the guide that tells a coding agent how to drive `wt`."""
    if ctx.invoked_subcommand is None:
        raise click.UsageError("say what to do with the skill: path, install")


@command.command("path", epilog=EPILOG, context_settings=CONTEXT_SETTINGS)
def path() -> int:
    """Print the folder of the skill that ships with this installation; SKILL.md is in it."""
    printing.data(str(packaged_skill()))
    return EXIT_YES


@command.command("install", epilog=EPILOG, context_settings=CONTEXT_SETTINGS)
@click.option(
    "--dest",
    type=click.Path(path_type=Path),
    default=".agents/skills",
    show_default=True,
    metavar="DIR",
    help="The folder in which an agent looks for skills; it is made.",
)
@click.option(
    "--copy",
    is_flag=True,
    help="Copy it instead of linking to this installation, so that it can be committed.",
)
def install(*, dest: Path, copy: bool) -> int:
    """Put the skill, as `windtunnel`, where a coding agent looks for skills.

    A link follows this installation when it is updated. Only a link, and with --copy an earlier
    copy, is ever replaced.
    """
    printing.data(str(install_skill(dest, copy=copy)))
    return EXIT_YES
