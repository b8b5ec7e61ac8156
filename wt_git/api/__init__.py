"""The public names for scenario authors.

A name is loaded on first use, from the table below, so that importing this package is cheap. Inside
the project, import the modules.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

TYPE_CHECKING = (
    False  # type checkers treat it as typing's, whose import would be the main cost here
)
if TYPE_CHECKING:
    from typing import Any

    from wt_git.api.aggregate import AggregateResult as AggregateResult
    from wt_git.api.aggregate import MetricSummary as MetricSummary
    from wt_git.api.aggregate import ScenarioRunResult as ScenarioRunResult
    from wt_git.api.aggregate import aggregate_metrics as aggregate_metrics
    from wt_git.api.aggregate import aggregate_runs as aggregate_runs
    from wt_git.api.evaluators import evaluate_constraint as evaluate_constraint
    from wt_git.api.evaluators import evaluate_integrity as evaluate_integrity
    from wt_git.api.evaluators import evaluate_outcome as evaluate_outcome
    from wt_git.api.evaluators import evaluate_robustness as evaluate_robustness
    from wt_git.api.evaluators import evaluate_trajectory as evaluate_trajectory
    from wt_git.api.evaluators import tool_name_matches as tool_name_matches
    from wt_git.api.importer import ImportResult as ImportResult
    from wt_git.api.importer import write_imported_scenario as write_imported_scenario
    from wt_git.api.interchange import INTERCHANGE_VERSION as INTERCHANGE_VERSION
    from wt_git.api.interchange import InterchangeFormatError as InterchangeFormatError
    from wt_git.api.interchange import InterchangeMessage as InterchangeMessage
    from wt_git.api.interchange import InterchangePart as InterchangePart
    from wt_git.api.interchange import InterchangeToolDefinition as InterchangeToolDefinition
    from wt_git.api.interchange import InterchangeTrace as InterchangeTrace
    from wt_git.api.interchange import InterchangeWitnessedCall as InterchangeWitnessedCall
    from wt_git.api.interchange import TextPart as TextPart
    from wt_git.api.interchange import ToolCallPart as ToolCallPart
    from wt_git.api.interchange import ToolCallResponsePart as ToolCallResponsePart
    from wt_git.api.interchange import build_envelope as build_envelope
    from wt_git.api.interchange import load_interchange as load_interchange
    from wt_git.api.interchange import parse_interchange as parse_interchange
    from wt_git.api.pack import ScenarioPack as ScenarioPack
    from wt_git.api.perturbations import BlankAssistantContent as BlankAssistantContent
    from wt_git.api.perturbations import CorruptPriorAssistantTurn as CorruptPriorAssistantTurn
    from wt_git.api.perturbations import FallbackRenderLeak as FallbackRenderLeak
    from wt_git.api.perturbations import InjectPaginationTruncation as InjectPaginationTruncation
    from wt_git.api.perturbations import InjectSchemaRejectedCall as InjectSchemaRejectedCall
    from wt_git.api.perturbations import InjectStaleMemory as InjectStaleMemory
    from wt_git.api.perturbations import InjectWrongPriorToolCall as InjectWrongPriorToolCall
    from wt_git.api.perturbations import MalformedToolCall as MalformedToolCall
    from wt_git.api.perturbations import ToolReturnsEmptyUnexpected as ToolReturnsEmptyUnexpected
    from wt_git.api.perturbations import ToolReturnsMalformed as ToolReturnsMalformed
    from wt_git.api.perturbations import ToolReturnsMalformedJson as ToolReturnsMalformedJson
    from wt_git.api.perturbations import ToolTimeout as ToolTimeout
    from wt_git.api.perturbations import ToolTimeoutPerScenario as ToolTimeoutPerScenario
    from wt_git.api.preconditions import Check as Check
    from wt_git.api.preconditions import FileExists as FileExists
    from wt_git.api.preconditions import Precondition as Precondition
    from wt_git.api.preconditions import PreconditionContext as PreconditionContext
    from wt_git.api.preconditions import StateProbeAvailable as StateProbeAvailable
    from wt_git.api.preconditions import ToolAvailable as ToolAvailable
    from wt_git.api.preconditions import WorldMismatchError as WorldMismatchError
    from wt_git.api.replay import GenerateFn as GenerateFn
    from wt_git.api.replay import replay as replay
    from wt_git.api.runner import ScenarioResult as ScenarioResult
    from wt_git.api.runner import run_matrix as run_matrix
    from wt_git.api.runner import run_scenario as run_scenario
    from wt_git.api.scenario import Call as Call
    from wt_git.api.scenario import NumberFact as NumberFact
    from wt_git.api.scenario import Perturbation as Perturbation
    from wt_git.api.scenario import Policy as Policy
    from wt_git.api.scenario import PreSendPerturbation as PreSendPerturbation
    from wt_git.api.scenario import ReferenceCase as ReferenceCase
    from wt_git.api.scenario import ReferenceDecision as ReferenceDecision
    from wt_git.api.scenario import ReferenceKind as ReferenceKind
    from wt_git.api.scenario import ReferenceToolCall as ReferenceToolCall
    from wt_git.api.scenario import Scenario as Scenario
    from wt_git.api.scenario import TrajectoryCheck as TrajectoryCheck
    from wt_git.api.score import SCORE_FORMAT_VERSION as SCORE_FORMAT_VERSION
    from wt_git.api.score import FailureCost as FailureCost
    from wt_git.api.score import GateLayer as GateLayer
    from wt_git.api.score import LayerResult as LayerResult
    from wt_git.api.score import MetricValue as MetricValue
    from wt_git.api.score import Score as Score
    from wt_git.api.score import ScoreFormatError as ScoreFormatError
    from wt_git.api.score import Verdict as Verdict
    from wt_git.api.score import score_from_dict as score_from_dict
    from wt_git.api.score import score_to_dict as score_to_dict
    from wt_git.api.scorers import all_of as all_of
    from wt_git.api.scorers import any_of as any_of
    from wt_git.api.scorers import llm_judge as llm_judge
    from wt_git.api.scorers import no_divergence as no_divergence
    from wt_git.api.scorers import observation as observation
    from wt_git.api.scorers import substantiated_by_tools as substantiated_by_tools
    from wt_git.api.state_reset import StateResetConfig as StateResetConfig
    from wt_git.api.state_reset import reset_state_db as reset_state_db
    from wt_git.api.trace import TRACE_FORMAT_VERSION as TRACE_FORMAT_VERSION
    from wt_git.api.trace import Hash as Hash
    from wt_git.api.trace import Trace as Trace
    from wt_git.api.trace import TraceFormatError as TraceFormatError
    from wt_git.api.trace import Turn as Turn
    from wt_git.api.trace import compute_hash as compute_hash
    from wt_git.api.trace import load_trace as load_trace
    from wt_git.api.trace import save_trace as save_trace
    from wt_git.api.trace import storage_path as storage_path
    from wt_git.api.universe import UNIVERSE_VERSION as UNIVERSE_VERSION
    from wt_git.api.universe import SynthesizeHook as SynthesizeHook
    from wt_git.api.universe import Universe as Universe
    from wt_git.api.universe import UniverseFormatError as UniverseFormatError
    from wt_git.api.universe import UniverseMatching as UniverseMatching
    from wt_git.api.universe import UniverseRecording as UniverseRecording
    from wt_git.api.universe import UniverseTool as UniverseTool
    from wt_git.api.universe import freeze_universe as freeze_universe
    from wt_git.api.universe import load_universe as load_universe
    from wt_git.api.universe import save_universe as save_universe

_NAMES = {
    "trace": (
        "TRACE_FORMAT_VERSION Hash Trace TraceFormatError Turn compute_hash load_trace "
        "save_trace storage_path"
    ),
    "score": (
        "SCORE_FORMAT_VERSION FailureCost GateLayer LayerResult MetricValue Score "
        "ScoreFormatError Verdict score_from_dict score_to_dict"
    ),
    "scenario": (
        "Call NumberFact Perturbation Policy PreSendPerturbation Scenario TrajectoryCheck "
        "ReferenceCase ReferenceDecision ReferenceKind ReferenceToolCall"
    ),
    "preconditions": (
        "Check FileExists Precondition PreconditionContext StateProbeAvailable ToolAvailable "
        "WorldMismatchError"
    ),
    "scorers": "all_of any_of observation llm_judge substantiated_by_tools no_divergence",
    "pack": "ScenarioPack",
    "evaluators": (
        "evaluate_outcome evaluate_trajectory evaluate_constraint evaluate_integrity "
        "evaluate_robustness tool_name_matches"
    ),
    "perturbations": (
        "CorruptPriorAssistantTurn InjectStaleMemory ToolTimeout ToolReturnsMalformed "
        "BlankAssistantContent FallbackRenderLeak MalformedToolCall InjectWrongPriorToolCall "
        "InjectSchemaRejectedCall InjectPaginationTruncation ToolReturnsMalformedJson "
        "ToolTimeoutPerScenario ToolReturnsEmptyUnexpected"
    ),
    "aggregate": "AggregateResult MetricSummary ScenarioRunResult aggregate_metrics aggregate_runs",
    "runner": "ScenarioResult run_matrix run_scenario",
    "replay": "GenerateFn replay",
    "state_reset": "StateResetConfig reset_state_db",
    "universe": (
        "UNIVERSE_VERSION SynthesizeHook Universe UniverseFormatError UniverseMatching "
        "UniverseRecording UniverseTool freeze_universe load_universe save_universe"
    ),
    "interchange": (
        "INTERCHANGE_VERSION InterchangeFormatError InterchangeMessage InterchangePart "
        "InterchangeToolDefinition InterchangeTrace InterchangeWitnessedCall TextPart "
        "ToolCallPart ToolCallResponsePart build_envelope load_interchange parse_interchange"
    ),
    "importer": "ImportResult write_imported_scenario",
}
_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = [*_HOME]  # noqa: PLE0604 - strings, all of them


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
        globals()[name] = value
        return value
    if name in _NAMES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME, *_NAMES})


class _Package(ModuleType):
    """A package whose attribute `replay` is the function and not the module of the same name.

    Importing a submodule sets it as an attribute of its package, and again when it is imported under
    the package's alias. That is ignored for a name of the table.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
