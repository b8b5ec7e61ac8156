"""The plugin behind `--runtime NAME`: an object that builds a runtime.

docs/writing-a-runtime.md, "The plugin".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from wt_git.spi.agent_runtime import AgentRuntime


@runtime_checkable
class RuntimePlugin(Protocol):
    """Builds the runtime of a sweep.

    Only `build` is required. A plugin may also have `lock_key(runtime_name)`,
    `model_label(runtime_name)` and `artifact_fingerprint(runtime_name)`, all cheap and free of side
    effects; `max_concurrency` (an int of at least 1, None for no limit; absent means 1); and
    `pre_run` / `post_run(runtime, scenarios, runtime_name)` around a whole sweep.
    """

    def build(self, runtime_name: str, label: str, soul_path: str | None, /) -> AgentRuntime:
        """Return the runtime, or raise an error that names the missing setting.

        `runtime_name` is the value of `--runtime` as typed, `label` the sweep's label, `soul_path`
        the value of `--soul`.
        """
        ...
