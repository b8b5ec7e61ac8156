"""A runtime that gives every scenario an agent process of its own, with the scenario's tools in it.

    wt run --runtime docs/examples/agent/plugin.py:PLUGIN --pack-source ...

It sends the whole conversation with every turn. What decides is chosen by the agent's own variables,
see __main__.py; AGENT_TIMEOUT_S is how long a turn may take.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import httpx

sys.path.insert(0, str(Path(__file__).parent))  # a file loaded by its path has no neighbours
from child import Child

GRACE_S = 5.0
NOT_SUPPORTED = ("persona_doc", "skills", "mcp_servers", "sampling")


class DeskRuntime:
    """Starts one agent for each handle."""

    def provision(self, config: Any, mcps: list[Any] | None = None) -> DeskHandle:
        for name in NOT_SUPPORTED:
            if getattr(config, name):
                raise RuntimeError(f"the example agent cannot honour AgentConfig.{name}")
        options = [option for mcp in mcps or [] for option in ("--tools", mcp.url)]
        if config.system_prompt is not None:
            options += ["--system-prompt", config.system_prompt]
        return DeskHandle(options)


class DeskHandle:
    """One agent process, its tools mounted when it started."""

    def __init__(self, options: list[str]) -> None:
        self._options = options
        self._timeout_s = float(os.environ.get("AGENT_TIMEOUT_S", "60"))
        self.child = Child(*options)

    def send(self, messages: list[dict[str, Any]], session_id: str) -> dict[str, Any]:
        request = {"messages": messages, "timeout_s": self._timeout_s}
        response = self._post("/chat", request, self._timeout_s + GRACE_S)
        error = response.pop("error")  # the agent's own failure: scored, not an accident of ours
        return response | {"worker_warnings": [error] if error else []}

    def reset_state(self) -> None:
        """Wipe the agent; one that has crashed or does not answer is replaced."""
        try:
            self._post("/wt/reset", {"wt_inject": 1}, GRACE_S)
        except httpx.HTTPError:
            self.child.stop()
            self.child = Child(*self._options)

    def _post(self, route: str, request: dict[str, Any], limit_s: float) -> dict[str, Any]:
        with httpx.Client(timeout=limit_s, trust_env=False) as client:
            answer = client.post(self.child.url + route, json=request)
        response: dict[str, Any] = answer.raise_for_status().json()
        return response

    def teardown(self) -> None:
        self.child.stop()


class DeskPlugin:
    """What `--runtime` names."""

    max_concurrency = 4  # every handle has a process and a port of its own

    def build(self, runtime_name: str, label: str, soul_path: str | None) -> DeskRuntime:
        return DeskRuntime()

    def model_label(self, runtime_name: str) -> str:
        return (
            os.environ.get("AGENT_MODEL", "default")
            if "AGENT_OPENAI_URL" in os.environ
            else "rules"
        )


PLUGIN = DeskPlugin()
