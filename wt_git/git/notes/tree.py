"""The tree of a notes ref, laid out as git expects it.

A key is the id of an object. Git finds the text note of a commit as a blob whose path is that id, with
or without slashes after every two digits (`abcd...`, `ab/cd...`, `ab/cd/ef...`). All of these are read;
`ab/cd...` is written. A record note is a folder at such a path, which git ignores: the key is a tree
id, and the folder has one blob for each sweep. `PRUNED` in the root is a file of hashes. Everything
else belongs to other programs and is kept.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import msgspec

from wt_git.errors import GitError
from wt_git.git import libgit2, trees
from wt_git.git.snapshot.status import Entry

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pygit2

PRUNED = "PRUNED"
FOLDER = trees.TREE
FILE = 0o100644
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

_FAN = re.compile(r"[0-9a-f]{2}")
_HEX = re.compile(r"[0-9a-f]+")
_KEY_LENGTH = 40
_REGULAR = frozenset({0o100644, 0o100755, 0o100664})


class Root(msgspec.Struct):
    """The root of a notes tree, sorted out.

    `buckets` are the folders of two digits; `flat` are the keys that stand here unsplit, by their
    first two digits and then by the rest.
    """

    pruned: str | None = None
    buckets: dict[str, Entry] = msgspec.field(default_factory=dict)
    flat: dict[str, dict[str, Entry]] = msgspec.field(default_factory=dict)
    foreign: dict[str, Entry] = msgspec.field(default_factory=dict)


class Bucket(msgspec.Struct):
    """All that stands below one folder of two digits, sorted out.

    `keys` maps the remaining digits of a key to what was found for it: more than one entry when
    several spellings of its path are in use. `foreign` maps paths.
    """

    keys: dict[str, set[Entry]] = msgspec.field(default_factory=dict)
    foreign: dict[str, Entry] = msgspec.field(default_factory=dict)


def is_folder(entry: Entry) -> bool:
    """Say whether `entry` is a tree."""
    return entry.mode == FOLDER


def is_file(entry: Entry) -> bool:
    """Say whether `entry` is a regular file; git takes nothing else for a note."""
    return entry.mode in _REGULAR


def named_entries(repository: pygit2.Repository, tree_id: str) -> dict[str, Entry]:
    """Return what a tree holds, by name. Raises `GitError` when it is not there."""
    import pygit2  # noqa: PLC0415

    try:
        kind, raw = libgit2.read_object(repository, tree_id)
    except (pygit2.GitError, KeyError, ValueError) as error:
        raise _incomplete(tree_id) from error
    if kind != pygit2.enums.ObjectType.TREE:
        raise _incomplete(tree_id)
    found = trees.tree_entries(raw, "sha1")
    return {os.fsdecode(name): entry for name, entry in found.items()}


def write_tree(repository: pygit2.Repository, paths: Mapping[str, Entry]) -> Entry:
    """Write a tree with `paths`, in which a slash makes a folder, and return its entry.

    What the entries name need not be here: a partial clone has trees without their blobs.
    """
    import pygit2  # noqa: PLC0415

    here = {os.fsencode(path): entry for path, entry in paths.items() if "/" not in path}
    below: dict[str, dict[str, Entry]] = {}
    for path, entry in paths.items():
        name, slash, rest = path.partition("/")
        if slash:
            below.setdefault(name, {})[rest] = entry
    for name, inner in below.items():
        here[os.fsencode(name)] = write_tree(repository, inner)
    raw = trees.tree_bytes(here)
    return Entry(FOLDER, str(repository.write(pygit2.enums.ObjectType.TREE, raw)))


def read_tree(repository: pygit2.Repository, tree_id: str) -> pygit2.Tree:
    """Return a tree to look names up in. Raises `GitError` when it is not there."""
    import pygit2  # noqa: PLC0415

    found = _read(repository, tree_id)
    if isinstance(found, pygit2.Tree):
        return found
    raise _incomplete(tree_id)


def read_blob(repository: pygit2.Repository, blob_id: str) -> bytes:
    """Return a blob's bytes. Raises `GitError`, code `notes-incomplete`, when it is not there."""
    import pygit2  # noqa: PLC0415

    found = _read(repository, blob_id)
    if isinstance(found, pygit2.Blob):
        return found.data
    raise _incomplete(blob_id)


def is_key(text: str) -> bool:
    """Say whether `text` is the id of an object, written out."""
    return len(text) == _KEY_LENGTH and _HEX.fullmatch(text) is not None


def find_notes(repository: pygit2.Repository, root: pygit2.Tree, key: str) -> list[Entry]:
    """Return what stands under `key`, whichever way its path is split; a look-up, not a search."""
    found: list[Entry] = []
    tree, rest = root, key
    while True:
        entry = note_in(tree, rest)
        if entry is not None:
            found.append(entry)
        fan = entry_in(tree, rest[:2])
        rest = rest[2:]
        if not rest or fan is None or not is_folder(fan):
            return found
        tree = read_tree(repository, fan.id)


def entry_in(tree: pygit2.Tree, name: str) -> Entry | None:
    """Return what stands under `name`, which holds no slash; None when nothing does."""
    try:
        item = tree[name]
    except KeyError:
        return None
    return Entry(int(item.filemode), str(item.id))


def note_in(tree: pygit2.Tree, name: str) -> Entry | None:
    """Return what stands under `name` if it can be a note; None for a link or a submodule."""
    entry = entry_in(tree, name)
    return entry if entry is not None and (is_file(entry) or is_folder(entry)) else None


def read_root(repository: pygit2.Repository, tree_id: str) -> Root:
    """Sort out the root of a notes tree."""
    root = Root()
    for name, entry in named_entries(repository, tree_id).items():
        if name == PRUNED and is_file(entry):
            root.pruned = entry.id
        elif is_folder(entry) and _FAN.fullmatch(name):
            root.buckets[name] = entry
        elif is_key(name) and (is_file(entry) or is_folder(entry)):
            root.flat.setdefault(name[:2], {})[name[2:]] = entry
        else:
            root.foreign[name] = entry
    return root


def read_bucket(
    repository: pygit2.Repository, tree: Entry | None, flat: dict[str, Entry] | None = None
) -> Bucket:
    """Sort out a folder of two digits, however deep its keys are split.

    `tree` is its entry in the root, None when there is none; `flat` are keys of this bucket that
    stand elsewhere, by their remaining digits.
    """
    bucket = Bucket()
    for rest, entry in (flat or {}).items():
        bucket.keys.setdefault(rest, set()).add(entry)
    if tree is not None and is_folder(tree):
        _collect(repository, tree.id, "", bucket)
    return bucket


def _collect(repository: pygit2.Repository, tree_id: str, above: str, bucket: Bucket) -> None:
    digits = above.replace("/", "")
    missing = _KEY_LENGTH - 2 - len(digits)
    for name, entry in named_entries(repository, tree_id).items():
        kept = is_file(entry) or is_folder(entry)
        if kept and len(name) == missing and _HEX.fullmatch(name):
            bucket.keys.setdefault(digits + name, set()).add(entry)
        elif is_folder(entry) and missing > 2 and _FAN.fullmatch(name):  # noqa: PLR2004
            _collect(repository, entry.id, f"{above}{name}/", bucket)
        else:
            bucket.foreign[above + name] = entry


def _read(repository: pygit2.Repository, object_id: str) -> object:
    import pygit2  # noqa: PLC0415

    if libgit2.is_cut_short(repository, object_id):
        return None
    try:
        return repository.get(object_id)
    except (pygit2.GitError, ValueError):  # half written when the power went
        return None


def _incomplete(object_id: str) -> GitError:
    return GitError(
        f"an object of the notes is not here or cannot be read ({object_id}), as in a partial clone "
        "that fetched the notes without their content",
        hints=("wt sync",),
        code="notes-incomplete",
    )
