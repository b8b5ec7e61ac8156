"""Keeping libgit2 from objects whose file ends too early: it would read on for ever.

A power cut can leave such a file, and a hook that never ends is worse than any error. Objects in
packs, and those of another repository that this one borrows from, are not looked at.
"""

from __future__ import annotations

import os
import zlib
from typing import TYPE_CHECKING

from wt_git.git.opening import common_folder_of

if TYPE_CHECKING:
    import pygit2

_PIECE = 1 << 16


def read(repository: pygit2.Repository, object_id: str) -> tuple[int, bytes]:
    """Return the kind, by libgit2's number, and the bytes of an object.

    Raises `KeyError` when it is not there or cut short, `ValueError` or libgit2's own error when it
    is broken otherwise.
    """
    if is_cut_short(repository, object_id):
        raise KeyError(object_id)
    kind, raw = repository.read(object_id)
    return int(kind), raw


def is_cut_short(repository: pygit2.Repository, object_id: str) -> bool:
    """Say whether the object has a file of its own, and not all of it is there.

    False for an object that has none, and for one that is damaged otherwise: libgit2 says so itself.
    """
    folder = common_folder_of(repository.path)
    try:
        descriptor = os.open(f"{folder}/objects/{object_id[:2]}/{object_id[2:]}", os.O_RDONLY)
    except OSError:
        return False
    inflate = zlib.decompressobj()
    try:
        with open(descriptor, "rb", buffering=0) as stream:  # noqa: PTH123 - a descriptor
            while not inflate.eof:
                piece = stream.read(_PIECE)
                if not piece:
                    return True
                inflate.decompress(piece)
    except (OSError, zlib.error):
        return False
    return False
