"""The handle on a recorded universe, which answers every call, in process or from the network.

docs/recorded-servers.md, "Which recording answers" and "What is witnessed".
"""

from __future__ import annotations

import copy
import threading
import time
from typing import TYPE_CHECKING, Any

from wt_git.api.universe.document import (
    EMPTY,
    SEQUENCE,
    SYNTHESIZE,
    normalize_tool_args,
)
from wt_git.api.universe.matching import (
    Choice,
    choose_recording,
    empty_result_for,
    fail_call_result,
    no_synthesizer_result,
)
from wt_git.errors import exception_text
from wt_git.mcp.call_log import CallLog, snapshot

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wt_git.api.universe.document import SynthesizeHook, Universe
    from wt_git.mcp.call_log import OpenCall
    from wt_git.spi.mcp_server import MCPCall


class RecordedMCPHandle:
    """Replays `universe`. An agent connects to `url`; `synthesize` answers calls without a recording.

    Safe to use from any thread. `log` is a new one by default.
    """

    def __init__(
        self,
        universe: Universe,
        *,
        url: str,
        synthesize: SynthesizeHook | None = None,
        log: CallLog | None = None,
    ) -> None:
        self._universe = universe
        self._url = url
        self._synthesize = synthesize
        self._log = log or CallLog()
        self._lock = threading.Lock()
        self._tools = universe.tool_map
        self._places = {name: universe.recording_indices_for(name) for name in self._tools}
        self._used: set[int] = set()

    @property
    def url(self) -> str:
        """Where the agent connects."""
        return self._url

    @property
    def universe(self) -> Universe:
        """The replayed universe."""
        return self._universe

    def call_log(self) -> list[MCPCall]:
        """Return a copy of every call since the last reset, in order of arrival.

        `extra` has `divergence`, `{policy, matched}`, where the recording had no answer.
        """
        return self._log.get_calls()

    def reset_call_log(self) -> None:
        """Forget the calls so far; recordings that are given once may be given again."""
        with self._lock:
            self._log.reset()
            self._used.clear()

    def configure_failure_mode(self, mode: str | None) -> None:
        """Make every tool fail in `mode` until changed, or none; `ValueError` if unknown."""
        self._log.set_failure_mode(mode)

    def armed_failures(self) -> list[dict[str, Any]]:
        """Return `{tool, mode, probability}` for every tool with an armed failure."""
        return self._log.failures.armed(self.served_tools())

    def served_tools(self) -> list[str]:
        """Return the tools' names."""
        return list(self._tools)

    def served_tool_definitions(self) -> list[dict[str, Any]]:
        """Return `{name, description, input_schema, result_schema?}` per tool, as fresh copies."""
        return [
            {
                "name": tool.name,
                "description": tool.description,
                "input_schema": copy.deepcopy(tool.input_schema),
                **(
                    {}
                    if tool.result_schema is None
                    else {"result_schema": copy.deepcopy(tool.result_schema)}
                ),
            }
            for tool in self._universe.tools
        ]

    def call_tool(self, name: str, args: Mapping[str, Any] | None = None) -> Any:
        """Return the answer to a call, logged like one from the network.

        An exception of the synthesis hook passes through; the call is logged anyway.
        """
        opened = self._log.begin(name, args or {})
        wait_s, injected = self._log.draw(opened, name, {}, marks_mode=False)
        time.sleep(wait_s)
        if injected is not None:
            return copy.deepcopy(self._log.finish(opened, injected.payload))
        return self.answer(opened, name, args)

    def answer(self, opened: OpenCall, tool: str, given: Mapping[str, Any] | None) -> Any:
        """Answer a call and log the answer; the caller may change it.

        A call that outlived a reset is answered, but uses up no recording of the next run.
        """
        args = normalize_tool_args(given)
        choice = self._choose(opened, tool, args)
        extra = (
            {}
            if choice.policy is None
            else {"divergence": {"policy": choice.policy, "matched": choice.place}}
        )
        try:
            result = self._result(choice, tool, args)
        except BaseException as failed:
            error = exception_text(failed)
            self._log.finish(opened, str(failed), error=error, extra=extra)
            raise
        return snapshot(self._log.finish(opened, result, extra=extra))

    def _choose(self, opened: OpenCall, tool: str, args: dict[str, Any]) -> Choice:
        """Choose the recording, and use it up where each is given only once."""
        once = self._universe.matching.mode_for(tool, self._tools) == SEQUENCE
        places = self._places.get(tool, [])
        with self._lock:
            if not once or not self._log.holds(opened):
                return choose_recording(self._universe, tool, args, places)
            left = [place for place in places if place not in self._used]
            choice = choose_recording(self._universe, tool, args, left)
            if choice.place is not None:
                self._used.add(choice.place)
            return choice

    def _result(self, choice: Choice, tool: str, args: dict[str, Any]) -> Any:
        if choice.place is not None:
            return self._universe.recordings[choice.place].result
        if choice.policy == EMPTY:
            return empty_result_for(self._tools.get(tool))
        if choice.policy != SYNTHESIZE:
            return fail_call_result(tool, args)
        if self._synthesize is None:
            return no_synthesizer_result(tool, args)
        return self._synthesize(tool, copy.deepcopy(args), self._universe)
