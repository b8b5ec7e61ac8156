"""Trailers of a commit message, written by git so that comments and scissors stay where they are."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from wt_git.git.process import run

if TYPE_CHECKING:
    from pathlib import Path


def put_trailer(message: Path, name: str, value: str) -> None:
    """Give the message file `message` the trailer `name`, in place of any it has; none if empty.

    Raises `GitError`.
    """
    once = ("--if-exists=replace", "--if-missing=add" if value else "--if-missing=doNothing")
    args = ("interpret-trailers", "--in-place", "--trim-empty", *once, f"--trailer={name}: {value}")
    run((*args, os.fspath(message)), cwd=message.parent)
