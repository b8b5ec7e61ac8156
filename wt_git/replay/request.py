"""Looking up what a replay needs, before anything is built or written; each refusal exits with 2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.api.pack import ScenarioPack
from wt_git.api.scenario import Scenario
from wt_git.errors import UsageError
from wt_git.plugins.packs import discover_packs
from wt_git.plugins.runtimes import find_plugin, resolve_runtime
from wt_git.records.runs.sidecars import REPLAYED
from wt_git.records.runs_dir import RunsDir
from wt_git.runner.run import user_texts
from wt_git.sweep.probe import live_scenario, load_probe
from wt_git.sweep.request import RunTarget, agent_config, agents_file, soul_text
from wt_git.sweep.selection import Definitions, Selected, find_unmatched, unmatched_lines
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from wt_git.api.trace import Trace
    from wt_git.sweep.request import SweepRequest


class Replay(RunTarget, frozen=True, kw_only=True):
    """A replay with everything that it names resolved. Nothing has been built or written.

    `path` is the trace's, as typed. `is_judged`: a definition of its scenario was found.
    """

    path: str
    trace: Trace
    is_judged: bool


def look_up_replay(path: str, request: SweepRequest, say: Callable[[str], None]) -> Replay:
    """Resolve what a replay of the trace at `path` needs. Builds no runtime and writes no file.

    Raises `UsageError` or `LoadError` for the first thing that is wrong.
    """
    source = load_probe(path, 1, option="--trace")
    live = source.live
    plugin = find_plugin(request.runtime, say)
    definition = _definition(request, source.trace.scenario_id, say)
    soul, agents = soul_text(request), agents_file(request)
    runtime = resolve_runtime(plugin, say)
    RunsDir(request.runs_dir).check()
    if definition is not None and live != user_texts(definition.scenario):
        say("note: its user does not say what the scenario's says today; it is judged all the same")
    return Replay(
        request=request,
        runtime=runtime,
        selected=[_played(source.trace, live, definition)],
        config=agent_config(request, runtime, soul, agents, agent_id=source.trace.agent_id),
        path=path,
        trace=source.trace,
        is_judged=definition is not None,
    )


def _definition(
    request: SweepRequest, scenario: str, say: Callable[[str], None]
) -> Selected | None:
    found = discover_packs(request.pack_sources)
    for line in unmatched_lines(find_unmatched(found.packs, request.selectors)):
        say(line)
    definition = Definitions(found, request.selectors).of(scenario)
    if definition is None:
        say(
            f"no definition of '{one_line(scenario)}' was found, so nothing is expected of the agent: "
            "the run will stay out of every table; --pack-source names a pack that defines it"
        )
    return definition


def _played(trace: Trace, live: list[str], definition: Selected | None) -> Selected:
    if definition is not None:
        return Selected(definition.pack, live_scenario(definition.scenario, live))
    try:
        bare = Scenario(name=trace.scenario_id, user_turns=live)
    except ValueError as error:
        raise UsageError(
            f"the trace cannot be played: {one_line(str(error))}",
            code="trace-not-loaded",
            facts={"scenario": trace.scenario_id, "reason": str(error)},
        ) from error
    return Selected(ScenarioPack(name=REPLAYED, scenarios=[bare]), bare)
