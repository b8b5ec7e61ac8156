"""Commits and their files, read from the object store; the working directory is not used.

In a shallow clone libgit2 reports the oldest commits as having no parents. Here a commit has the
parents that were written into it; `History.shallow_commits` are the commits with missing parents.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wt_git.errors import GitError
from wt_git.git.libgit2 import (
    Libgit2Trees,
    ObjectType,
    SortMode,
    common_folder,
    is_cut_short,
    pygit2,
    read_object,
)
from wt_git.git.trees import EXECUTABLE, FILE, find_entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SIGNED_AT = re.compile(rb"> (-?\d{1,12}) [+-]\d{4}$")
_ABBREVIATED = 10


def commit_id(repository: pygit2.Repository, name: str) -> str | None:
    """Return the commit that `name` (an id, ref or annotated tag) resolves to; None if it is missing.

    Raises `GitError` if it resolves to another kind of object.
    """
    if is_cut_short(repository, name):
        return None
    try:
        found = repository.revparse_single(name)
    except (KeyError, ValueError):
        return None
    try:
        return str(found.peel(pygit2.Commit).id)
    except (pygit2.GitError, ValueError) as error:
        raise GitError(f"'{name}' is not a commit") from error


def new_commits(
    repository: pygit2.Repository, tip: str, known: Iterable[str], *, limit: int
) -> list[str]:
    """Return the commits that are reachable from `tip` and not from `known`, parents first.

    Missing commits of `known` are ignored. Only the newest `limit` + 1 are returned: one more than
    `limit` means that there are more. Raises `GitError` where history is missing.
    """
    try:
        walker = repository.walk(pygit2.Oid(hex=tip), SortMode.TOPOLOGICAL)
        for one in known:
            if (end := commit_id(repository, one)) is not None:
                walker.hide(pygit2.Oid(hex=end))
        found = []
        for commit in walker:
            found.append(str(commit.id))
            if len(found) > limit:
                break
    except (pygit2.GitError, KeyError, ValueError) as error:
        raise GitError(f"the history of {tip} cannot be walked: {error}") from error
    return found[::-1]


def branch_tips(repository: pygit2.Repository, prefix: str = "refs/heads/") -> list[str]:
    """Return the commits of all refs whose name begins with `prefix`."""
    names = [ref.name for ref in repository.references.iterator()]
    tips = [commit_id(repository, name) for name in names if name.startswith(prefix)]
    return [tip for tip in tips if tip is not None]


def commit_and_tree(repository: pygit2.Repository, name: str) -> tuple[str | None, str | None]:
    """Return the commit and the tree that `name` resolves to; None for each that there is not."""
    try:
        found = repository.revparse_single(name)
        tree = str(found.peel(pygit2.Tree).id)
    except (pygit2.GitError, KeyError, ValueError):
        return None, None
    try:
        return str(found.peel(pygit2.Commit).id), tree
    except (pygit2.GitError, ValueError):
        return None, tree


class CommitFacts(NamedTuple):
    """A commit: its `tree` and `parents` as stored in it, and the `time` of the committer."""

    id: str
    tree: str
    parents: tuple[str, ...]
    time: datetime
    subject: str

    @property
    def short(self) -> str:
        """The abbreviated id."""
        return self.id[:_ABBREVIATED]


class History:
    """The commits of one repository."""

    def __init__(self, repository: pygit2.Repository) -> None:
        self.repository = repository
        self.trees = Libgit2Trees(repository)

    @property
    def top(self) -> Path | None:
        """The top of the working directory; None in a bare repository."""
        return Path(self.repository.workdir) if self.repository.workdir else None

    @cached_property
    def shallow_commits(self) -> frozenset[str]:
        """The commits whose parents are missing from a shallow clone."""
        try:
            text = (common_folder(self.repository) / "shallow").read_text("ascii")
        except FileNotFoundError:
            return frozenset()
        return frozenset(text.split())

    @property
    def is_unborn(self) -> bool:
        """Whether the current branch has no commit yet."""
        return self.repository.head_is_unborn

    @property
    def has_remotes(self) -> bool:
        """Whether a remote is configured."""
        return any(self.repository.remotes.names())

    def resolve(self, revision: str) -> CommitFacts | None:
        """Return the commit of `revision`; None when it is missing.

        Raises `GitError` when it names another kind of object.
        """
        found = commit_id(self.repository, revision)
        return self.commit(found) if found is not None else None

    def commit(self, full_id: str) -> CommitFacts | None:
        """Return the commit with this id; None when it is missing."""
        try:
            kind, raw = read_object(self.repository, full_id)
        except (KeyError, ValueError):
            return None
        return _facts(full_id, raw) if kind == ObjectType.COMMIT else None

    def has_tree(self, tree_id: str) -> bool:
        """Say whether the tree is in this repository."""
        try:
            return tree_id in self.repository
        except ValueError:
            return False

    def file(self, tree_id: str, path: str) -> bytes | None:
        """Return the content of the file at `path`; None when the tree has no entry there.

        Raises `GitError`: code `not-a-file` for a link or folder, `object-missing` when the content
        is missing, as in a partial clone.
        """
        entry = find_entry(tree_id, path.encode(), self.trees)
        if entry is None:
            return None
        if entry.mode not in {FILE, EXECUTABLE}:
            raise GitError(
                f"{path} of the tree {tree_id} is not a file of its own", code="not-a-file"
            )
        try:
            return bytes(read_object(self.repository, entry.id)[1])
        except (KeyError, ValueError) as error:
            raise GitError(
                f"{path} of the tree {tree_id} is not in this clone",
                hints=(f"git cat-file -e {entry.id}",),
                code="object-missing",
            ) from error

    def ancestors(self, full_id: str) -> Iterator[CommitFacts]:
        """Yield the ancestors of `full_id`, the newest first, as far as they are in this clone."""
        for one in self._walk(self.repository.walk(full_id, SortMode.TIME)):
            if one.id != full_id:
                yield one

    def lacks_ancestors(self, full_id: str) -> bool:
        """Say whether some ancestors of `full_id` are missing from this clone."""
        if not self.shallow_commits:
            return False
        return any(
            one.id in self.shallow_commits for one in self._walk(self.repository.walk(full_id))
        )

    def contains(self, tip: str, full_id: str) -> bool:
        """Say whether `full_id` is `tip` or a known ancestor of it."""
        if tip == full_id:
            return True
        if self.commit(tip) is None or self.commit(full_id) is None:
            return False
        return self.repository.descendant_of(tip, full_id)

    def commits_in_range(self, spec: str) -> Iterator[CommitFacts] | None:
        """Yield the commits of `A..B`, `A...B`, or all of one revision, the newest first.

        None when an end of the range is missing.
        """
        old, dots, new = spec.partition("..")
        both = new.startswith(".")
        ends = [self.resolve(one or "HEAD") for one in (old, new.removeprefix("."))] if dots else []
        tip = ends[1] if ends else self.resolve(spec)
        if tip is None or None in ends:
            return None
        walker = self.repository.walk(tip.id, SortMode.TOPOLOGICAL | SortMode.TIME)
        if ends and ends[0] is not None:
            if both:
                walker.push(ends[0].id)
                base = self.repository.merge_base(ends[0].id, tip.id)
                if base is not None:
                    walker.hide(base)
            else:
                walker.hide(ends[0].id)
        return self._walk(walker)

    def _walk(self, walker: Iterable[pygit2.Commit]) -> Iterator[CommitFacts]:
        """Raise `GitError` where a commit is missing on the way."""
        try:
            for one in walker:
                facts = self.commit(str(one.id))
                if facts is not None:
                    yield facts
        except (pygit2.GitError, KeyError, ValueError) as error:
            raise GitError(f"history cannot be walked, a commit is missing: {error}") from error


def _facts(full_id: str, raw: bytes) -> CommitFacts:
    head, _, message = raw.partition(b"\n\n")
    headers = [line.partition(b" ") for line in head.split(b"\n")]
    parents = [value.decode("ascii") for name, _, value in headers if name == b"parent"]
    committer = next((value for name, _, value in headers if name == b"committer"), b"")
    when = _SIGNED_AT.search(committer)
    return CommitFacts(
        id=full_id,
        tree=next(value.decode("ascii") for name, _, value in headers if name == b"tree"),
        parents=tuple(parents),
        time=_time(int(when[1]) if when else 0),
        subject=message.strip().partition(b"\n")[0].decode("utf-8", "replace"),
    )


def _time(seconds: int) -> datetime:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return datetime.fromtimestamp(0, UTC)
