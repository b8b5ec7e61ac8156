"""The folder of the run locks of this machine."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_NOT_IN_A_USER = re.compile(r"[^A-Za-z0-9_-]")
_USER_VARIABLES = ("LOGNAME", "USER", "LNAME", "USERNAME")


def lock_folder(environ: Mapping[str, str]) -> Path:
    """Return the folder of lock files: `WT_LOCK_DIR`, else the user's own among temporary ones."""
    chosen = environ.get("WT_LOCK_DIR")
    if chosen:
        return Path(chosen)
    user = _NOT_IN_A_USER.sub("_", _user_name(environ))
    return Path(tempfile.gettempdir()) / f"windtunnel-locks-{user}"


def _user_name(environ: Mapping[str, str]) -> str:
    for variable in _USER_VARIABLES:
        if environ.get(variable):
            return environ[variable]
    import pwd  # noqa: PLC0415 - only where no variable says it

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # an account number without an account, as in containers
        return "user"
