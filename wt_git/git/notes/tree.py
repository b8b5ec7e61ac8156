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

from wt_git.errors import GitError
from wt_git.git.libgit2 import ObjectType, is_cut_short, pygit2, read_object
from wt_git.git.notes.lines import parse_hashes
from wt_git.git.trees import FILE, TREE, Entry, tree_bytes, tree_entries

if TYPE_CHECKING:
    from collections.abc import Mapping

PRUNED = "PRUNED"
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

_FAN = re.compile(r"[0-9a-f]{2}")
_HEX = re.compile(r"[0-9a-f]+")
_KEY_LENGTH = 40
_REGULAR = frozenset({0o100644, 0o100755, 0o100664})


class Root:
    """The root of a notes tree, by kind of entry.

    `buckets` are the folders of two digits; `flat` are the keys whose path has no slash, by their
    first two digits and then by the rest. `pruned` is the id of the file of hashes.
    """

    def __init__(self) -> None:
        self.pruned: str | None = None
        self.buckets: dict[str, Entry] = {}
        self.flat: dict[str, dict[str, Entry]] = {}
        self.foreign: dict[str, Entry] = {}

    @property
    def fans(self) -> set[str]:
        """The first two digits of all keys."""
        return {*self.buckets, *self.flat}

    def at(self, fan: str) -> tuple[Entry | None, dict[str, Entry]]:
        """Return the arguments of `read_bucket` for the keys that begin with `fan`."""
        return self.buckets.get(fan), self.flat.get(fan, {})


class Bucket:
    """The content of a folder of two digits.

    `keys` maps the remaining digits of a key to its entries: several when several spellings of its
    path are in use. `foreign` maps the paths of everything else.
    """

    def __init__(self) -> None:
        self.keys: dict[str, set[Entry]] = {}
        self.foreign: dict[str, Entry] = {}


def is_folder(entry: Entry) -> bool:
    """Say whether `entry` is a tree."""
    return entry.mode == TREE


def is_file(entry: Entry) -> bool:
    """Say whether `entry` is a regular file; git accepts only such a file as a note."""
    return entry.mode in _REGULAR


def named_entries(repository: pygit2.Repository, tree_id: str) -> dict[str, Entry]:
    """Return the entries of a tree by name. Raises `GitError` when it is missing."""
    try:
        kind, raw = read_object(repository, tree_id)
    except (pygit2.GitError, KeyError, ValueError) as error:
        raise _incomplete(tree_id) from error
    if kind != ObjectType.TREE:
        raise _incomplete(tree_id)
    found = tree_entries(raw, "sha1")
    return {os.fsdecode(name): entry for name, entry in found.items()}


def write_tree(repository: pygit2.Repository, paths: Mapping[str, Entry]) -> Entry:
    """Write a tree with `paths`, in which a slash makes a folder, and return its entry.

    The objects of the entries may be missing: a partial clone has trees without their blobs.
    """
    here = {os.fsencode(path): entry for path, entry in paths.items() if "/" not in path}
    below: dict[str, dict[str, Entry]] = {}
    for path, entry in paths.items():
        name, slash, rest = path.partition("/")
        if slash:
            below.setdefault(name, {})[rest] = entry
    for name, inner in below.items():
        here[os.fsencode(name)] = write_tree(repository, inner)
    raw = tree_bytes(here)
    return Entry(TREE, str(repository.write(ObjectType.TREE, raw)))


def root_tree_of(repository: pygit2.Repository, commit_id: str) -> str:
    """Return the id of the tree of a notes commit. Raises `GitError`, code `notes-broken`."""
    found = _read(repository, commit_id)
    if isinstance(found, pygit2.Commit):
        return str(found.tree_id)
    raise GitError(
        f"the notes commit {commit_id} is not in this repository",
        hints=("wt sync",),
        code="notes-broken",
    )


def read_tree(repository: pygit2.Repository, tree_id: str) -> pygit2.Tree:
    """Return a tree for looking up names. Raises `GitError` when it is missing."""
    found = _read(repository, tree_id)
    if isinstance(found, pygit2.Tree):
        return found
    raise _incomplete(tree_id)


def read_blob(repository: pygit2.Repository, blob_id: str) -> bytes:
    """Return the bytes of a blob. Raises `GitError`, code `notes-incomplete`, when it is missing."""
    found = _read(repository, blob_id)
    if isinstance(found, pygit2.Blob):
        return found.data
    raise _incomplete(blob_id)


def write_blob(repository: pygit2.Repository, content: bytes) -> Entry:
    """Write a file with `content` and return its entry."""
    return Entry(FILE, str(repository.create_blob(content)))


def pruned_in(repository: pygit2.Repository, root: pygit2.Tree) -> frozenset[str]:
    """Return the hashes in the file of pruned lines of a notes tree."""
    entry = entry_in(root, PRUNED)
    return read_hashes(repository, entry.id if entry and is_file(entry) else None)


def read_hashes(repository: pygit2.Repository, blob_id: str | None) -> frozenset[str]:
    """Return the hashes in a file of pruned lines; none for None."""
    return parse_hashes(read_blob(repository, blob_id)) if blob_id else frozenset()


def is_key(text: str) -> bool:
    """Say whether `text` is a full object id."""
    return len(text) == _KEY_LENGTH and _HEX.fullmatch(text) is not None


def find_notes(repository: pygit2.Repository, root: pygit2.Tree, key: str) -> list[Entry]:
    """Return the entries of `key` under every spelling of its path; reads only the folders there."""
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
    """Return the entry `name`, which has no slash; None when there is none."""
    try:
        item = tree[name]
    except KeyError:
        return None
    return Entry(int(item.filemode), str(item.id))


def note_in(tree: pygit2.Tree, name: str) -> Entry | None:
    """Return the entry `name` if it can be a note; None for a link or a submodule."""
    entry = entry_in(tree, name)
    return entry if entry is not None and (is_file(entry) or is_folder(entry)) else None


def read_root(repository: pygit2.Repository, tree_id: str) -> Root:
    """Return the content of the root of a notes tree."""
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
    repository: pygit2.Repository, tree: Entry | None, flat: Mapping[str, Entry]
) -> Bucket:
    """Return the content of a folder of two digits, at any depth.

    `tree` is its entry in the root, None when there is none; `flat` are the keys with these two
    digits whose path has no slash, by their remaining digits.
    """
    bucket = Bucket()
    for rest, entry in flat.items():
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
    if is_cut_short(repository, object_id):
        return None
    try:
        return repository.get(object_id)
    except (pygit2.GitError, ValueError):  # half written in a power cut
        return None


def _incomplete(object_id: str) -> GitError:
    return GitError(
        f"an object of the notes is not here or cannot be read ({object_id}), as in a partial clone "
        "that fetched the notes without their content",
        hints=("wt sync",),
        code="notes-incomplete",
    )
