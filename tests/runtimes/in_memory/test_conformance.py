"""The scripted runtime behaves as every driver has to."""

from __future__ import annotations

import pytest
from kit.conformance import Breaks, DriverConformance, Received, Subject

from wt_git.runtimes.in_memory import InMemoryRuntime


class Unreadable(dict):
    """A scripted entry that cannot be played."""

    def get(self, *_):
        raise RuntimeError("this entry breaks the turn")


class InMemorySubject(Subject):
    """Scripts and received turns are the runtime's own."""

    honours_configuration = False
    max_concurrency = None

    def runtime(self, script):
        return InMemoryRuntime([self._entry(step) for step in script])

    def _entry(self, step):
        if isinstance(step, Breaks):
            return Unreadable()
        entry = {
            "content": step.text,
            "tool_calls": [
                {"type": "function", "function": {"name": name, "arguments": arguments}}
                for name, arguments in step.tool_calls
            ],
        }
        optional = {
            "usage": step.usage,
            "model": step.model,
            "worker_warnings": step.error and [step.error],
        }
        return entry | {key: value for key, value in optional.items() if value is not None}

    def received(self, handle):
        return [Received(session, messages[-1]["content"]) for messages, session in handle.calls]


class TestInMemory(DriverConformance):
    @pytest.fixture
    def subject(self):
        return InMemorySubject()
