"""How the agent is configured: its identity, its model, and the files of `--soul` and `--agents`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.errors import UsageError
from wt_git.spi.agent_runtime import AgentConfig, ModelSpec

if TYPE_CHECKING:
    from pathlib import Path

    from wt_git.sweep.plugins import Runtime
    from wt_git.sweep.request import SweepRequest


def agent_config(
    request: SweepRequest,
    runtime: Runtime,
    soul: str | None,
    agents: Path | None,
    *,
    agent_id: str = "wt-cli",
) -> AgentConfig:
    """Return what the runtime is told when it brings an agent up."""
    return AgentConfig(
        agent_id=agent_id,
        variant_id=request.label,
        system_prompt=soul,
        persona_doc=agents,
        model=ModelSpec(runtime.model) if runtime.model else None,
    )


def soul_text(request: SweepRequest) -> str | None:
    """Return the system prompt: what `--soul` holds. Raises `UsageError`."""
    soul = _file(request.soul, "--soul")
    return _text(soul, "--soul") if soul else None


def agents_file(request: SweepRequest) -> Path | None:
    """Return the file of `--agents`, which has to exist. Raises `UsageError`."""
    return _file(request.agents, "--agents")


def _file(path: Path | None, option: str) -> Path | None:
    if path is None:
        return None
    try:
        if path.is_file():
            return path
        found = "it is a folder" if path.is_dir() else "there is no such file"
    except OSError as error:
        found = error.strerror or str(error)
    raise UsageError(
        f"{option} file not found: '{path}' ({found})",
        code="file-not-found",
        facts={"option": option, "path": str(path), "found": found},
    )


def _text(path: Path, option: str) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{option} file '{path}' cannot be read as UTF-8 text: {error}",
            code="file-unreadable",
            facts={"option": option, "path": str(path), "reason": str(error)},
        ) from error
