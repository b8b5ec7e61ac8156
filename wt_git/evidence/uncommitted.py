"""What in the working directory would keep an experiment from being about a commit."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from wt_git.errors import GitError
from wt_git.evidence.fingerprint import exclusions
from wt_git.git.path_patterns import PathPatterns
from wt_git.git.repository import discover
from wt_git.git.snapshot import take
from wt_git.records.store import RunsDir

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_TIMEOUT_S = 5.0


def uncommitted(
    folder: Path, tree: str, *, runs_dir: Path, not_under_test: Sequence[str] = ()
) -> tuple[str, ...] | None:
    """Return the paths in which the working directory at `folder` differs from `tree`.

    None when that cannot be told, or when HEAD has another tree: then everything might. Paths that
    are `not_under_test` do not matter. Scans the working directory.
    """
    try:
        repository = discover(folder)
        if repository is None:
            return None
        written = [runs_dir, *RunsDir(runs_dir).registered_outputs(repository.top)]
        taken = take(repository, exclusions=exclusions(repository, written), timeout_s=_TIMEOUT_S)
    except GitError:
        return None
    if taken.tree == tree:
        return ()
    if taken.base != tree:
        return None
    left_out = PathPatterns(not_under_test)
    excluded = set(taken.excluded)
    return tuple(
        path
        for path in taken.changes
        if path not in excluded and not left_out.match(os.fsencode(path))
    )
