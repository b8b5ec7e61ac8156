"""The policy: the evidence that a repository asks for before a commit counts as covered.

It is read from the pyproject.toml of a commit, so that it is reviewed like code. The caller chooses
which commit (docs/verifying-in-ci.md, "Which policy applies").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from wt_git.config import FILE_NAME, Gate, Ladder, Pricing, Settings, parse

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from wt_git.git.history import CommitFacts, History

SANDBOX_RUNTIME = "in_memory"
"""The built-in runtime without an agent. It counts only if a policy names it."""


class Policy(msgspec.Struct, frozen=True):
    """The gate table, and the model labels that each tier may run on."""

    gate: Gate = msgspec.field(default_factory=Gate)
    models: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict)

    def is_about(self, runtime: str | None, target: str | None) -> bool:
        """Say whether rows against this runtime count; names are compared literally."""
        if self.gate.runtime is not None:
            return self.gate.runtime in {runtime, target}
        sandboxed = target is not None and target.split("|", 1)[0] == SANDBOX_RUNTIME
        return runtime != SANDBOX_RUNTIME and not sandboxed

    def allows_model(self, tier: str, model: str | None) -> bool:
        """Say whether `tier` may run on the model. A tier without a list may use any."""
        allowed = self.models.get(tier)
        return allowed is None or model in allowed


def settings_of(history: History, commit: CommitFacts) -> Settings:
    """Return the settings in a commit's pyproject.toml, the defaults if it has none.

    Raises `ConfigurationError` for an invalid table, `GitError` when the file is missing here.
    """
    data = history.file(commit.tree, FILE_NAME)
    return parse(data, f"{FILE_NAME} of {commit.short}") if data is not None else Settings()


def policy_from(settings: Settings) -> Policy:
    """Return the policy in `settings`."""
    return Policy(settings.gate, settings.ladder.models)


def gate_changes(before: Settings, after: Settings) -> tuple[str, ...]:
    """Name the keys of the gate and ladder tables that differ, with both values."""
    return (
        *_changes("gate", before.gate, after.gate),
        *_changes("ladder", before.ladder, after.ladder),
    )


def _changes(table: str, before: Gate | Ladder, after: Gate | Ladder) -> Iterator[str]:
    for name, was in before._asdict().items():
        now = getattr(after, name)
        if was != now:
            yield f"{table}.{name}: {_shown(was)} -> {_shown(now)}"


def _shown(value: object) -> str:
    match value:
        case None:
            return "not set"
        case Pricing():
            return "a table"
        case tuple():
            return ", ".join(map(str, value)) or "none"
        case dict() if all(isinstance(one, tuple) for one in value.values()):
            return "; ".join(f"{key} on {_shown(one)}" for key, one in value.items()) or "none"
        case bool() | int() | float() | str():
            return str(value).lower() if isinstance(value, bool) else str(value)
        case _:
            return "a table"
