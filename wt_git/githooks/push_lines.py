"""The refs of a push, as git passes them to `pre-push` and `pre-receive`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

_BRANCH = "refs/heads/"


class PushedRef(NamedTuple):
    """One ref of a push.

    `source` is the local name in the push: a ref, `HEAD~1`, an id, `(delete)`; empty on the receiving
    side. `new` and `old` are object ids: None for a deleted ref and for a new one.
    """

    source: str
    new: str | None
    ref: str
    old: str | None

    @property
    def branch(self) -> str | None:
        """The name of the remote branch; None for any other ref."""
        return self.ref.removeprefix(_BRANCH) if self.ref.startswith(_BRANCH) else None

    @property
    def updates_a_branch(self) -> bool:
        """Whether a branch gets new commits: False for a tag, a deletion and the notes."""
        return self.branch is not None and self.new is not None


def from_pre_push(stdin: bytes) -> list[PushedRef]:
    """Return the refs in `<local ref> <local id> <remote ref> <remote id>` lines.

    The first part may be any expression, such as `@{1 day ago}`, so a line is split from the right.
    Raises `ValueError` for a line of another form.
    """
    found = []
    for line in _lines(stdin):
        parts = line.rsplit(" ", 3)
        if len(parts) != 4:  # noqa: PLR2004 - the four of the docstring
            raise ValueError(f"git passed a line that is not of four parts: {line!r}")
        source, new, ref, old = parts
        found.append(PushedRef(source, _id_or_none(new), ref, _id_or_none(old)))
    return found


def from_pre_receive(stdin: bytes) -> list[PushedRef]:
    """Return the refs in `<old id> <new id> <ref>` lines. Raises `ValueError` for other lines."""
    found = []
    for line in _lines(stdin):
        parts = line.split(" ", 2)
        if len(parts) != 3:  # noqa: PLR2004
            raise ValueError(f"git passed a line that is not of three parts: {line!r}")
        old, new, ref = parts
        found.append(PushedRef("", _id_or_none(new), ref, _id_or_none(old)))
    return found


def from_framework(environ: Mapping[str, str]) -> list[PushedRef]:
    """Return the ref that the pre-commit framework passes in variables instead of on stdin.

    A push that includes a root commit comes without ids: then the local branch is the new value.
    """
    ref, source = environ.get("PRE_COMMIT_REMOTE_BRANCH"), environ.get("PRE_COMMIT_LOCAL_BRANCH")
    if not ref or not source:
        return []
    new, old = environ.get("PRE_COMMIT_TO_REF"), environ.get("PRE_COMMIT_FROM_REF")
    return [PushedRef(source, _id_or_none(new or source), ref, _id_or_none(old) if old else None)]


def _lines(stdin: bytes) -> list[str]:
    return [line for line in stdin.decode("utf-8", "surrogateescape").split("\n") if line]


def _id_or_none(text: str) -> str | None:
    """Return an id; None for 40 or 64 zeros, which mean no object."""
    return text if text.strip("0") else None
