"""What stands in capitals in a command, where nobody can know what belongs there."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

PACK, RUNTIME = "PACK", "RUNTIME"

_MEANINGS = {
    f"--pack={PACK}": f"{PACK} is the name of an installed pack; for one in a file write "
    "--pack-source=FILE.py:NAME instead",
    f"--runtime={RUNTIME}": f"{RUNTIME} is what drives your agent: an installed runtime, or "
    "FILE.py:NAME",
}


def meanings(commands: Iterable[str]) -> list[str]:
    """Return a sentence for each placeholder in `commands`."""
    words = {word for command in commands for word in command.split(" ")}
    return [said for placeholder, said in _MEANINGS.items() if placeholder in words]
