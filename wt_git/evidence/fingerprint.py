"""Taking the fingerprint of what is under test (docs/files.md, "Fingerprint").

It covers the tree of the working directory without what wt itself writes, the runtime, target,
model, prompt and notes, the plugin's own fingerprint, and the version of wt.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from wt_git.errors import GitError, UsageError, exception_text, os_reason
from wt_git.git.path_patterns import PathPatterns
from wt_git.git.repository import Repository, find_repository
from wt_git.git.snapshot.status import Exclusions
from wt_git.git.snapshot.take import Snapshot, take_snapshot
from wt_git.records.fingerprint import (
    COMPILED_SUFFIXES,
    OUTSIDE,
    SNAPSHOT_FAILED,
    FingerprintParts,
    Manifest,
    content_hash,
)
from wt_git.records.runs_dir import RunsDir
from wt_git.text import quoted_list

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from pathlib import Path

_UNCOMMITTED_TIMEOUT_S = 5.0
_UNNORMALISED = (
    "would be stored otherwise once touched, since .gitattributes has changed what becomes of their "
    "line endings or encoding (`git add --renormalize .` settles it)"
)


class FingerprintInputs(msgspec.Struct, frozen=True, kw_only=True):
    """What a fingerprint is taken of.

    The tree is that of the repository around `folder`, without `runs_dir` and `outputs()`; a sweep
    registers outputs while it runs. `sources` are the files that decide the experiment (`soul`,
    `pack`, ...). `plugin` is the plugin's `artifact_fingerprint`. `other_targets` are the backend's
    names under other spellings of its runtime; they are not fingerprinted.
    """

    folder: Path
    runs_dir: Path
    runtime: str
    target: str
    model: str | None
    wt_version: str
    soul: Path | None = None
    agents: Path | None = None
    plugin: Callable[[], object] | None = None
    outputs: Callable[[], Collection[Path]] = frozenset
    sources: Mapping[str, Path] = msgspec.field(default_factory=dict)
    not_under_test: tuple[str, ...] = ()
    other_targets: tuple[str, ...] = ()


class Fingerprint(msgspec.Struct, frozen=True, kw_only=True):
    """A fingerprint, and how it was taken.

    `value` is the hash of `parts`, or `snapshot-failed`. `notes` are sentences about what it does
    not cover. `sources` maps each source to its path in the tree, or `outside`. `failure` says why
    there is no snapshot of `repository`, `may_pass` whether a later try may succeed.
    """

    value: str
    parts: FingerprintParts
    notes: tuple[str, ...]
    snapshot: Snapshot | None
    sources: Mapping[str, str]
    repository: Repository | None
    failure: str | None
    may_pass: bool

    @property
    def tree_under_test(self) -> str | None:
        """The tree without the paths in `not_under_test`."""
        return self.snapshot.tree_under_test if self.snapshot else None

    def manifest(self) -> Manifest | None:
        """Return the tree as differences from HEAD's."""
        if self.snapshot is None:
            return None
        entries = {
            path: entry.id if entry else None for path, entry in self.snapshot.changes.items()
        }
        return Manifest(self.snapshot.base, entries)


def readable_repository(folder: Path) -> Repository | None:
    """Return the repository around `folder`, None if there is none that can be read."""
    try:
        return find_repository(folder)
    except GitError:
        return None


class Fingerprinter:
    """Takes fingerprints of the same inputs, any number of times.

    A known `repository` is not searched for again.
    """

    def __init__(self, inputs: FingerprintInputs, repository: Repository | None = None) -> None:
        self.inputs = inputs
        self._repository = repository

    def repository(self) -> Repository | None:
        """Return the repository, None outside of one. Raises `GitError`."""
        if self._repository is None:
            self._repository = find_repository(self.inputs.folder)
        return self._repository

    def take(self) -> Fingerprint:
        """Return the fingerprint of what is under test now; an error of git is part of it.

        Raises `UsageError` when the soul or notes file was removed since it was checked.
        """
        inputs, notes = self.inputs, list[str]()
        repository, snapshot, error = self._snapshot(notes)
        parts = FingerprintParts(
            git_tree=snapshot.tree if snapshot else None,
            runtime=inputs.runtime,
            target=inputs.target,
            model=inputs.model,
            soul=_hash_of(inputs.soul),
            agents=_hash_of(inputs.agents),
            plugin=_plugin_part(inputs.plugin, notes),
            wt_version=inputs.wt_version,
        )
        sources = dict.fromkeys(inputs.sources, OUTSIDE)
        if repository is not None and snapshot is not None:
            sources = {
                name: place_in_tree(path, repository, snapshot)
                for name, path in inputs.sources.items()
            }
        return Fingerprint(
            value=parts.value() if error is None else SNAPSHOT_FAILED,
            parts=parts,
            notes=tuple(notes),
            snapshot=snapshot,
            sources=sources,
            repository=repository,
            failure=None if error is None else _reason(error),
            may_pass=error is not None and error.retryable,
        )

    def _snapshot(
        self, notes: list[str]
    ) -> tuple[Repository | None, Snapshot | None, GitError | None]:
        inputs = self.inputs
        try:
            repository = self.repository()
            if repository is None:
                notes.append(
                    "not in a git repository: only the runtime and the files you named are "
                    "fingerprinted, changes of the code will not be noticed"
                )
                return None, None, None
            patterns = PathPatterns(inputs.not_under_test) if inputs.not_under_test else None
            taken = take_snapshot(
                repository,
                exclusions=_exclusions(repository, [inputs.runs_dir, *inputs.outputs()]),
                not_under_test=patterns,
            )
        except GitError as error:
            notes.append(
                f"could not snapshot the git working tree ({_reason(error)}): until this is fixed, "
                "no pass counts as evidence"
            )
            return None, None, error
        notes.extend(_weaknesses(taken))
        return repository, taken, None


def place_in_tree(path: Path, repository: Repository, snapshot: Snapshot) -> str:
    """Return the path of a file in the tree, `OUTSIDE` for a file elsewhere or an ignored one."""
    top, resolved = repository.top.resolve(), path.resolve()
    if not resolved.is_relative_to(top):
        return OUTSIDE
    inside = resolved.relative_to(top).as_posix()
    is_ignored = any(
        inside == one or (one.endswith("/") and inside.startswith(one)) for one in snapshot.ignored
    )
    return OUTSIDE if is_ignored else inside


def uncommitted_paths(
    folder: Path, tree: str, *, runs_dir: Path, not_under_test: Sequence[str] = ()
) -> tuple[str, ...] | None:
    """Return the paths under test in which the working directory differs from `tree`.

    None if that is not known, or if HEAD has another tree. Scans the working directory.
    """
    try:
        repository = find_repository(folder)
        if repository is None:
            return None
        written = [runs_dir, *RunsDir(runs_dir).registered_outputs(repository.top)]
        taken = take_snapshot(
            repository,
            exclusions=_exclusions(repository, written),
            timeout_s=_UNCOMMITTED_TIMEOUT_S,
        )
    except GitError:
        return None
    if taken.tree == tree:
        return ()
    if taken.base != tree:
        return None
    left_out, excluded = PathPatterns(not_under_test), set(taken.excluded)
    return tuple(
        path
        for path in taken.changes
        if path not in excluded and not left_out.match(os.fsencode(path))
    )


def _exclusions(repository: Repository, written: Iterable[Path]) -> Exclusions:
    """Return the paths to leave out of a tree: compiled files, and those `written` by wt."""
    top = repository.top.resolve()
    inside = [
        path.relative_to(top).as_posix()
        for path in (one.resolve() for one in written)
        if path.is_relative_to(top) and path != top
    ]
    return Exclusions(paths=tuple(dict.fromkeys(inside)), suffixes=COMPILED_SUFFIXES)


def _weaknesses(snapshot: Snapshot) -> list[str]:
    """Name the files whose content the tree does not show."""
    left_out = [one.path for one in snapshot.left_out]
    why = ", ".join(sorted({one.reason for one in snapshot.left_out}))
    weaknesses = [
        ("tracked and left out of the tree, which is then not that of HEAD", snapshot.excluded),
        (f"not in the tree ({why})", left_out),
        ("with uncommitted changes that the tree does not show", snapshot.dirty_submodules),
        ("edited, and git was told to pass over it", snapshot.hidden_edits),
        ("in the tree, and not on disk as the agent sees it", snapshot.absent),
        ("in conflict, and in the tree as it is on disk", snapshot.conflicts),
        (_UNNORMALISED, snapshot.unnormalised),
    ]
    return [f"{problem}: {quoted_list(paths)}" for problem, paths in weaknesses if paths]


def _reason(error: GitError) -> str:
    return "; ".join([error.message, *error.hints])


def _hash_of(path: Path | None) -> str | None:
    if path is None:
        return None
    try:
        return content_hash(path.read_bytes())
    except OSError as error:
        raise UsageError(
            f"'{path}' cannot be read any more: {os_reason(error)}",
            code="file-unreadable",
            facts={"path": str(path), "reason": os_reason(error)},
        ) from error


def _plugin_part(plugin: Callable[[], object] | None, notes: list[str]) -> str | None:
    if plugin is None:
        return None
    try:
        part = plugin()
        return None if part is None else str(part)
    except Exception as error:  # noqa: BLE001 - foreign code
        notes.append(f"artifact_fingerprint() raised {exception_text(error)}")
        return None
