"""Which commits are new: reachable from one, and from none of those that are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.errors import GitError
from wt_git.git.loose_objects import is_cut_short

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pygit2


def commit_id(repository: pygit2.Repository, name: str) -> str | None:
    """Return the commit that `name` (an id, a ref, an annotated tag) comes to; None if it is not here.

    Raises `GitError` where it comes to something that is no commit.
    """
    import pygit2  # noqa: PLC0415

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
    """Return the commits of `tip` that no commit of `known` has, parents before children.

    Of `known`, what is not here is passed over. At most `limit` + 1 are returned, the newest: one
    more than `limit` tells that there are more. Raises `GitError` where history is missing.
    """
    import pygit2  # noqa: PLC0415
    from pygit2.enums import SortMode  # noqa: PLC0415

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


def remote_tips(repository: pygit2.Repository, remote: str) -> list[str]:
    """Return the commits that the branches of `remote` were last seen at."""
    names = (ref.name for ref in repository.references.iterator())
    tips = [
        commit_id(repository, name) for name in names if name.startswith(f"refs/remotes/{remote}/")
    ]
    return [tip for tip in tips if tip is not None]


def resolve(repository: pygit2.Repository, name: str) -> tuple[str | None, str | None]:
    """Return the commit, if it is one, and the tree that `name` comes to; None for what it is not."""
    import pygit2  # noqa: PLC0415

    try:
        found = repository.revparse_single(name)
        tree = str(found.peel(pygit2.Tree).id)
    except (pygit2.GitError, KeyError, ValueError):
        return None, None
    try:
        return str(found.peel(pygit2.Commit).id), tree
    except (pygit2.GitError, ValueError):
        return None, tree
