"""Loads pygit2 without the certificates of this machine.

pygit2 reads them when it is imported, which takes longer than starting Python. They are needed only to
reach a host, and only git itself ever does.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ObjectType", "RepositoryOpenFlag", "SortMode", "pygit2"]

# No file, and a folder in which nothing is looked for until a host is reached; pygit2 wants one of them.
_NO_CERTIFICATES = {"SSL_CERT_FILE": os.devnull, "SSL_CERT_DIR": os.sep}


@contextmanager
def _without_certificates() -> Iterator[None]:
    environ = os.environ  # noqa: TID251 - no setting of ours
    kept = {name: environ[name] for name in _NO_CERTIFICATES if name in environ}
    environ.update(_NO_CERTIFICATES)
    try:
        yield
    finally:
        for name in _NO_CERTIFICATES:
            del environ[name]
        environ.update(kept)


with _without_certificates():
    import pygit2
    from pygit2.enums import ObjectType, RepositoryOpenFlag, SortMode
