"""What is no part of a snapshot's tree, tracked or not."""

from __future__ import annotations

import os
from dataclasses import dataclass

# Each is compared with every path that git looks at; more of them are sorted out afterwards.
_MOST_PATHSPECS = 32


@dataclass(frozen=True, slots=True)
class Exclusions:
    """`paths` are files or folders, relative to the top, taken literally.

    `suffixes` are ends of file names such as `.pyc`, anywhere.
    """

    paths: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()

    def cover(self, path: bytes) -> bool:
        """Say whether `path` is excluded, by itself or with a folder that it is in."""
        if self.suffixes and path.endswith(tuple(os.fsencode(one) for one in self.suffixes)):
            return True
        return any(
            path == folder or path.startswith(folder + b"/")
            for folder in map(os.fsencode, self.paths)
        )

    def pathspecs(self) -> tuple[str, ...]:
        """Return what keeps git from even looking into the folders."""
        return tuple(f":(exclude,top,literal){path}" for path in self.paths[:_MOST_PATHSPECS])


NOTHING = Exclusions()
