"""Taking the fingerprint of what is under test (docs/files.md, "Fingerprint").

It covers the tree of the working directory without what wt itself writes, the runtime, target,
model, prompt and notes, the plugin's own fingerprint, and the version of wt.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from wt_git.errors import GitError, UsageError
from wt_git.evidence.fingerprint import compiled_files
from wt_git.git.path_patterns import PathPatterns
from wt_git.git.repository import Repository, find_repository
from wt_git.git.snapshot.status import Exclusions
from wt_git.git.snapshot.take import Snapshot, take_snapshot
from wt_git.records.fingerprint import OUTSIDE, SNAPSHOT_FAILED, FingerprintParts, content_hash
from wt_git.records.manifests import Manifest
from wt_git.records.runs_dir import RunsDir
from wt_git.text import quoted_list

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from pathlib import Path


class FingerprintInputs(msgspec.Struct, frozen=True, kw_only=True):
    """What an experiment is about, as it was asked for.

    `folder` is where the repository is looked for. `runs_dir` and `outputs()` are left out of the
    tree; `outputs` is asked each time, since a sweep registers its own. `sources` names the files
    that decide the experiment (`soul`, `pack`, ...). `plugin` is the plugin's
    `artifact_fingerprint`, bound to the runtime's name. `other_targets` are what the same backend
    is called when its runtime is named otherwise; they are no part of a fingerprint.
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
    """A fingerprint and what stands beside it.

    `value` is the hash of `parts`, or `snapshot-failed`. `notes` are sentences for people, each a
    weakness of this fingerprint. `sources` has an in-tree path or `outside` for each source.
    `repository` is the one whose tree was taken, None outside of one; `failure` says why there is no
    snapshot of it, and `may_pass` whether that may be over without anybody's doing.
    """

    value: str
    parts: FingerprintParts
    notes: tuple[str, ...]
    snapshot: Snapshot | None
    sources: Mapping[str, str]
    repository: Repository | None = None
    failure: str | None = None
    may_pass: bool = False

    @property
    def tree_under_test(self) -> str | None:
        """The tree without the paths that no experiment depends on; None without a tree."""
        return self.snapshot.tree_under_test if self.snapshot else None

    def manifest(self) -> Manifest | None:
        """Return the listing of the tree, as differences from HEAD's."""
        if self.snapshot is None:
            return None
        entries = {
            path: entry.id if entry else None for path, entry in self.snapshot.changes.items()
        }
        return Manifest(self.snapshot.base, entries)


def readable_repository(folder: Path) -> Repository | None:
    """Return the repository that `folder` is in; None where none can be read."""
    try:
        return find_repository(folder)
    except GitError:
        return None


class Fingerprinter:
    """Takes the fingerprint of one subject, as often as it is asked.

    `repository` is the subject's, for whoever found it already; else it is looked for.
    """

    def __init__(self, subject: FingerprintInputs, repository: Repository | None = None) -> None:
        self.subject = subject
        self._repository = repository

    def repository(self) -> Repository | None:
        """Return the repository of the subject, None outside of one. Raises `GitError`."""
        if self._repository is None:
            self._repository = find_repository(self.subject.folder)
        return self._repository

    def take(self) -> Fingerprint:
        """Return the fingerprint of what is under test now. Never raises for what git says.

        Raises `UsageError` when the soul or notes file went away since it was checked.
        """
        subject, notes = self.subject, list[str]()
        repository, snapshot, error = self._snapshot(notes)
        parts = FingerprintParts(
            git_tree=snapshot.tree if snapshot else None,
            runtime=subject.runtime,
            target=subject.target,
            model=subject.model,
            soul=_hash_of(subject.soul),
            agents=_hash_of(subject.agents),
            plugin=_plugin_part(subject, notes),
            wt_version=subject.wt_version,
        )
        return Fingerprint(
            value=parts.value() if error is None else SNAPSHOT_FAILED,
            parts=parts,
            notes=tuple(notes),
            snapshot=snapshot,
            sources=_sources(subject, repository, snapshot),
            repository=repository,
            failure=None if error is None else _reason(error),
            may_pass=error is not None and error.retryable,
        )

    def _snapshot(
        self, notes: list[str]
    ) -> tuple[Repository | None, Snapshot | None, GitError | None]:
        """Return the repository, its snapshot, and why taking it failed."""
        try:
            repository = self.repository()
            if repository is None:
                notes.append(
                    "not in a git repository: only the runtime and the files you named are "
                    "fingerprinted, changes of the code will not be noticed"
                )
                return None, None, None
            taken = take_snapshot(
                repository,
                exclusions=exclusions(repository, [self.subject.runs_dir, *self.subject.outputs()]),
                not_under_test=_patterns(self.subject.not_under_test),
            )
        except GitError as error:
            notes.append(
                f"could not snapshot the git working tree ({_reason(error)}): until that is mended, "
                "what passes is evidence for nothing"
            )
            return None, None, error
        notes.extend(_weaknesses(taken))
        return repository, taken, None


def _reason(error: GitError) -> str:
    return "; ".join([error.message, *error.hints])


def _patterns(not_under_test: tuple[str, ...]) -> PathPatterns | None:
    return PathPatterns(not_under_test) if not_under_test else None


def exclusions(repository: Repository, written: Iterable[Path]) -> Exclusions:
    """Return what is no part of a tree: compiled files, and what we have `written` in it."""
    top = repository.top.resolve()
    inside = [
        path.relative_to(top).as_posix()
        for path in (one.resolve() for one in written)
        if path.is_relative_to(top) and path != top
    ]
    return Exclusions(paths=tuple(dict.fromkeys(inside)), suffixes=compiled_files.SUFFIXES)


_UNNORMALISED = (
    "would be stored otherwise once touched, since .gitattributes has changed what becomes of their "
    "line endings or encoding (`git add --renormalize .` settles it)"
)


def _weaknesses(snapshot: Snapshot) -> list[str]:
    """Say what the tree cannot show, by name."""
    left_out = [one.path for one in snapshot.left_out]
    why = ", ".join(sorted({one.reason for one in snapshot.left_out}))
    said = [
        ("tracked and left out of the tree, which is then not that of HEAD", snapshot.excluded),
        (f"not in the tree ({why})", left_out),
        ("with uncommitted changes that the tree does not show", snapshot.dirty_submodules),
        ("edited, and git was told to pass over it", snapshot.hidden_edits),
        ("in the tree, and not on disk as the agent sees it", snapshot.absent),
        ("in conflict, and in the tree as it is on disk", snapshot.conflicts),
        (_UNNORMALISED, snapshot.unnormalised),
    ]
    return [f"{what}: {quoted_list(paths)}" for what, paths in said if paths]


def _hash_of(path: Path | None) -> str | None:
    if path is None:
        return None
    try:
        return content_hash(path.read_bytes())
    except OSError as error:
        raise UsageError(
            f"'{path}' cannot be read any more: {error.strerror or error}",
            code="file-unreadable",
            facts={"path": str(path), "reason": error.strerror or str(error)},
        ) from error


def _plugin_part(subject: FingerprintInputs, notes: list[str]) -> str | None:
    if subject.plugin is None:
        return None
    try:
        said = subject.plugin()
        return None if said is None else str(said)
    except Exception as error:  # noqa: BLE001 - whatever foreign code raises
        notes.append(f"artifact_fingerprint() raised {type(error).__name__}{_words_of(error)}")
        return None


def _words_of(error: Exception) -> str:
    """Return what an exception says behind its name; nothing when saying it fails, too."""
    try:
        said = str(error)
    except Exception:  # noqa: BLE001 - as above
        return ""
    return f": {said}" if said else ""


def _sources(
    subject: FingerprintInputs, repository: Repository | None, snapshot: Snapshot | None
) -> dict[str, str]:
    """Say for each source whether the tree has it: an ignored file is outside, wherever it is."""
    if repository is None or snapshot is None:
        return dict.fromkeys(subject.sources, OUTSIDE)
    return {
        name: place_in_tree(path, repository, snapshot) for name, path in subject.sources.items()
    }


def place_in_tree(path: Path, repository: Repository, snapshot: Snapshot) -> str:
    """Return the path in the tree of a file, `OUTSIDE` for one that is elsewhere or ignored."""
    top, resolved = repository.top.resolve(), path.resolve()
    if not resolved.is_relative_to(top):
        return OUTSIDE
    inside = resolved.relative_to(top).as_posix()
    is_ignored = any(
        inside == one or (one.endswith("/") and inside.startswith(one)) for one in snapshot.ignored
    )
    return OUTSIDE if is_ignored else inside


_TIMEOUT_S = 5.0


def uncommitted_paths(
    folder: Path, tree: str, *, runs_dir: Path, not_under_test: Sequence[str] = ()
) -> tuple[str, ...] | None:
    """Return the paths in which the working directory at `folder` differs from `tree`.

    None when that cannot be told, or when HEAD has another tree: then everything might. Paths that
    are `not_under_test` do not matter. Scans the working directory.
    """
    try:
        repository = find_repository(folder)
        if repository is None:
            return None
        written = [runs_dir, *RunsDir(runs_dir).registered_outputs(repository.top)]
        taken = take_snapshot(
            repository, exclusions=exclusions(repository, written), timeout_s=_TIMEOUT_S
        )
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
