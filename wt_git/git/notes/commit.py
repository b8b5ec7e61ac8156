"""Writing notes: a transaction becomes one commit, by the committer that git would name."""

from __future__ import annotations

import os
import re
import socket
import time
from pathlib import Path
from typing import TYPE_CHECKING

from wt_git.clock import as_utc
from wt_git.errors import GitError
from wt_git.git.libgit2 import pygit2, read_ref
from wt_git.git.notes.tree import is_key, root_tree_of, write_tree
from wt_git.git.notes.union import NoteEdits, apply_edits, union_trees
from wt_git.git.process import ask
from wt_git.git.refs import ref_writer
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

_SUBJECT_LIMIT = 200
_IDENTITY = re.compile(rb"(.*) <(.*)> \d+ [+-]\d+")
_NOT_IN_A_NAME = re.compile(r"[<>\x00-\x1f\x7f]")


class Transaction:
    """The changes for one notes commit. `Notes.transaction` writes them when its block ends.

    After that, `commit` is the notes commit (None: there are no notes), and `changed` says whether
    it is a new one.
    """

    def __init__(self) -> None:
        self.edits = NoteEdits()
        self.merged: list[str] = []
        self.commit: str | None = None
        self.changed = False

    def add(self, key: str, name: str, lines: Iterable[bytes]) -> None:
        """Add record `lines` (without LF) under `key`, an object id, in the note `name`."""
        _check_key(key)
        if not name or "/" in name or name in {".", "..", ".git"}:
            raise ValueError(f"a note cannot be named {name!r}")
        self.edits.records.setdefault(key, {}).setdefault(name, []).extend(lines)

    def add_text(self, key: str, lines: Iterable[str]) -> None:
        """Add text `lines` under `key`, a commit id: `<time> <sweep id> <finding>`."""
        _check_key(key)
        encoded = [line.encode("utf-8", "backslashreplace") for line in lines]
        self.edits.texts.setdefault(key, []).extend(encoded)

    def prune(self, hashes: Iterable[str]) -> None:
        """Remove the lines with these hashes for good (`wt_git.git.notes.lines.line_hash`)."""
        self.edits.pruned.update(hashes)

    def merge(self, commit_id: str) -> None:
        """Add all notes of the notes commit `commit_id`."""
        self.merged.append(commit_id)


def _check_key(key: str) -> None:
    if not is_key(key):
        raise ValueError(f"a note is kept under the id of an object, 40 digits, not {key!r}")


def write(
    transaction: Transaction,
    subject: str,
    *,
    repository: pygit2.Repository,
    ref: str,
    now: Callable[[], datetime],
    wait_s: float,
) -> None:
    """Write the changes of `transaction` to `ref` as one commit; see `Notes.transaction`."""
    deadline = time.monotonic() + wait_s
    with ref_writer(repository, ref, deadline=deadline) as writer:
        while True:
            old = read_ref(repository, ref)
            try:
                new = _new_tip(repository, old, transaction, subject, now)
            except (pygit2.GitError, OSError, KeyError, ValueError) as error:  # a full disk, say
                folder = repository.workdir or repository.path
                raise GitError(
                    f"the notes could not be written to the repository at '{Path(folder)}': {error}",
                    code="ref-unwritable",
                ) from error
            if new == old or (new and writer.swap(old=old, new=new, deadline=deadline)):
                break
            if time.monotonic() > deadline:
                raise GitError(
                    f"the ref {ref} is moved faster than notes can be added to it",
                    code="ref-locked",
                )
    transaction.commit, transaction.changed = new, new != old


def _new_tip(
    repository: pygit2.Repository,
    tip: str | None,
    transaction: Transaction,
    subject: str,
    now: Callable[[], datetime],
) -> str | None:
    """Return the commit that the ref moves to from `tip`: `tip` itself, a merged one, or a new one."""
    start = root_tree_of(repository, tip) if tip else write_tree(repository, {}).id
    trees = {commit: root_tree_of(repository, commit) for commit in transaction.merged}
    merged = [commit for commit in trees if not _contains(repository, tip, commit)]
    tree = apply_edits(repository, start, transaction.edits)
    for commit in merged:
        tree = union_trees(repository, tree, trees[commit])
    if not merged and tree == start:
        return tip
    for commit in merged:  # if a merged commit has everything, it is the union
        if tree == trees[commit] and all(
            _contains(repository, commit, other) for other in (tip, *merged)
        ):
            return commit
    parents = [*dict.fromkeys([tip, *merged] if tip else merged)]
    by = _signature(repository, now())
    message = one_line(subject, _SUBJECT_LIMIT) + "\n"
    return str(repository.create_commit(None, by, by, message, tree, parents))


def _contains(repository: pygit2.Repository, tip: str | None, commit: str | None) -> bool:
    """Say whether `commit` is `tip` or an ancestor of it; True for None."""
    if commit is None or tip == commit:
        return True
    return tip is not None and repository.descendant_of(tip, commit)


def _signature(repository: pygit2.Repository, now: datetime) -> pygit2.Signature:
    """Return the committer that git would use.

    If neither environment nor configuration has one, as on a CI machine, it is the program and the
    host: servers refuse commits without an address.
    """
    environ = os.environ  # noqa: TID251 - git reads the same variables
    # libgit2 ignores configuration that variables point to; git, which is slower, reads it.
    by_variables = any(variable.startswith("GIT_CONFIG") for variable in environ)
    configured = _committer_of_git(repository) if by_variables else _configured(repository)
    named = [_cleaned(environ.get(f"GIT_COMMITTER_{part}", "")) for part in ("NAME", "EMAIL")]
    name, email = (said or set_ for said, set_ in zip(named, configured, strict=True))
    host = _cleaned(socket.gethostname()) or "host"
    return pygit2.Signature(
        name or "Wind Tunnel",
        email or f"wind-tunnel@{host}",
        int(as_utc(now).timestamp()),
        0,
        "utf-8",
    )


def _configured(repository: pygit2.Repository) -> tuple[str, str]:
    settings = repository.config
    return _first(settings, "name"), _first(settings, "email")


def _first(settings: pygit2.Config, part: str) -> str:
    for name in (f"committer.{part}", f"user.{part}"):
        try:
            found = _cleaned(settings[name] or "")
        except (KeyError, UnicodeDecodeError):
            continue
        if found:
            return found
    return ""


def _committer_of_git(repository: pygit2.Repository) -> tuple[str, str]:
    folder = Path(repository.workdir or repository.path)
    # Without `useConfigOnly` git would make up a name.
    answer = ask(("-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT"), cwd=folder)
    found = _IDENTITY.match(answer.out) if answer.status == 0 else None
    name, email = (found[1], found[2]) if found else (b"", b"")
    return _cleaned(name.decode("utf-8", "replace")), _cleaned(email.decode("utf-8", "replace"))


def _cleaned(text: str) -> str:
    return _NOT_IN_A_NAME.sub("", text.encode("utf-8", "replace").decode()).strip()
