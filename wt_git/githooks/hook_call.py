"""One call of a hook by git, and its answer, as values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from wt_git.errors import EXIT_YES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class HookCall:
    """What git gave the hook.

    `folder` is where git started it, `args` and `stdin` what it said, `environ` all variables; those
    whose names begin with GIT_ say which repository and index are meant.
    """

    folder: Path
    args: tuple[str, ...] = ()
    stdin: bytes = b""
    environ: Mapping[str, str] = field(default_factory=dict)

    @property
    def repository(self) -> Path:
        """Where the repository is to be opened: at its git directory, where git names it."""
        return self.folder / self.environ.get("GIT_DIR", "")


class HookResult(NamedTuple):
    """`exit_code` is what git gets; `lines` are for the person, on stderr."""

    exit_code: int = EXIT_YES
    lines: tuple[str, ...] = ()
