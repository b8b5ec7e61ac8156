"""The public surface: names, their order, and where they are found.

Packs and drivers in the field rely on it, so a change here is a change for everybody.
"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import wt_git.api
from wt_git.api.score import GATE_LAYER_ORDER, SCORE_LAYER_ORDER

EXPORTED = [
    "TRACE_FORMAT_VERSION",
    "Hash",
    "Trace",
    "TraceFormatError",
    "Turn",
    "compute_hash",
    "load_trace",
    "save_trace",
    "storage_path",
    "SCORE_FORMAT_VERSION",
    "FailureCost",
    "GateLayer",
    "LayerResult",
    "MetricValue",
    "Score",
    "ScoreFormatError",
    "Verdict",
    "score_from_dict",
    "score_to_dict",
    "Call",
    "NumberFact",
    "Perturbation",
    "Policy",
    "PreSendPerturbation",
    "Scenario",
    "TrajectoryCheck",
    "ReferenceCase",
    "ReferenceDecision",
    "ReferenceKind",
    "ReferenceToolCall",
    "Check",
    "FileExists",
    "Precondition",
    "PreconditionContext",
    "StateProbeAvailable",
    "ToolAvailable",
    "WorldMismatchError",
    "all_of",
    "any_of",
    "observation",
    "llm_judge",
    "substantiated_by_tools",
    "no_divergence",
    "ScenarioPack",
    "evaluate_outcome",
    "evaluate_trajectory",
    "evaluate_constraint",
    "evaluate_integrity",
    "evaluate_robustness",
    "tool_name_matches",
    "CorruptPriorAssistantTurn",
    "InjectStaleMemory",
    "ToolTimeout",
    "ToolReturnsMalformed",
    "BlankAssistantContent",
    "FallbackRenderLeak",
    "MalformedToolCall",
    "InjectWrongPriorToolCall",
    "InjectSchemaRejectedCall",
    "InjectPaginationTruncation",
    "ToolReturnsMalformedJson",
    "ToolTimeoutPerScenario",
    "ToolReturnsEmptyUnexpected",
    "AggregateResult",
    "MetricSummary",
    "ScenarioRunResult",
    "aggregate_metrics",
    "aggregate_runs",
    "ScenarioResult",
    "run_matrix",
    "run_scenario",
    "GenerateFn",
    "replay",
    "StateResetConfig",
    "reset_state_db",
    "UNIVERSE_VERSION",
    "SynthesizeHook",
    "Universe",
    "UniverseFormatError",
    "UniverseMatching",
    "UniverseRecording",
    "UniverseTool",
    "freeze_universe",
    "load_universe",
    "save_universe",
    "INTERCHANGE_VERSION",
    "InterchangeFormatError",
    "InterchangeMessage",
    "InterchangePart",
    "InterchangeToolDefinition",
    "InterchangeTrace",
    "InterchangeWitnessedCall",
    "TextPart",
    "ToolCallPart",
    "ToolCallResponsePart",
    "build_envelope",
    "load_interchange",
    "parse_interchange",
    "ImportResult",
    "write_imported_scenario",
]

ONLY_IN_SUBMODULES = {
    "evaluators": "has_any_forbidden NEGATION_CUES",
    "importer": "STUB_INPUT_SCHEMA",
    "interchange": "lint_interchange",
    "perturbations": "ToolReturnsSchemaError",
    "replay": "HistoryPrefix REPLAY_PREFIX_MARKER prefix_length scoring_view with_prefix"
    " split_at_user_turn",
    "trace": "is_trace_json_path",
    "score": "GATE_LAYER_ORDER SCORE_LAYER_ORDER SeverityLevel validate_metrics",
    "universe": "MISS_POLICIES MATCH_MODES normalize_tool_args tools_by_name find_exact_recording"
    " find_keyed_recording find_nearest_recording empty_result_for fail_call_result",
}

SUBMODULES = [
    "aggregate",
    "evaluators",
    "importer",
    "interchange",
    "pack",
    "perturbations",
    "preconditions",
    "replay",
    "runner",
    "scenario",
    "score",
    "scorers",
    "state_reset",
    "trace",
    "universe",
]

FIELDS = {
    "Turn": "role content tool_calls tool_results latency_ms rendered_prompt rendered_prompt_hash",
    "Trace": "scenario_id agent_id variant_id model quant sampler started_at finished_at turns"
    " tool_schema_hash worker_warnings mcp_calls observations surface usage model_calls run_id",
    "LayerResult": "passed detail metrics",
    "FailureCost": "severity customer_visible reversible side_effect_performed",
    "Score": "outcome trajectory constraint integrity failure_cost",
    "Call": "name args exact",
    "NumberFact": "value unit",
    "Policy": "name predicate effect_class",
    "Perturbation": "",
    "PreSendPerturbation": "",
    "Scenario": "name prompt target_facts target_numbers requires_tool_use forbidden_facts"
    " outcome_fn must_call forbidden_calls order_matters trajectory_checks user_turns"
    " preconditions requires_tools requires_files policies gate_layers strict_gates perturbations"
    " failure_cost variance_allowed tags reference_cases facts_must_be_asserted"
    " fact_substring tool_use_must_succeed forbidden_in",
    "ReferenceCase": "name kind decisions",
    "ReferenceDecision": "content tool_calls",
    "ReferenceToolCall": "name arguments",
    "PreconditionContext": "mcp_handles state_probe agent_config runtime_handle workspace_dir"
    " workspace_template",
    "ToolAvailable": "name",
    "FileExists": "path",
    "StateProbeAvailable": "",
    "Check": "fn description",
    "ScenarioPack": "name scenarios mcp_factory state_probe_factory transport_only owner metadata",
    "CorruptPriorAssistantTurn": "idx mode",
    "InjectStaleMemory": "key value",
    "ToolTimeout": "probability delay_ms",
    "ToolReturnsMalformed": "probability",
    "BlankAssistantContent": "turn_idx",
    "FallbackRenderLeak": "turn_idx tool_name",
    "MalformedToolCall": "turn_idx arg_corruption_mode tool_name",
    "InjectWrongPriorToolCall": "turn_idx wrong_tool_name fake_result",
    "InjectSchemaRejectedCall": "turn_idx tool_name bad_arg",
    "InjectPaginationTruncation": "turn_idx truncate_at tool_name",
    "ToolReturnsMalformedJson": "tool_name probability",
    "ToolTimeoutPerScenario": "tool_name delay_seconds",
    "ToolReturnsEmptyUnexpected": "tool_name when_scenario_expects_data",
    "ScenarioRunResult": "score trace hook_artifacts",
    "AggregateResult": "verdict passed total pass_rate stddev outcome_pass_rate"
    " trajectory_pass_rate constraint_pass_rate integrity_pass_rate gate_layers risk_weight"
    " failure_risk metrics data",
    "MetricSummary": "kind count true_count rate mean min max counts",
    "StateResetConfig": "state_db_path keep_state",
    "UniverseTool": "name input_schema description result_schema mode",
    "UniverseRecording": "tool_name args result",
    "UniverseMatching": "on_miss arg_keys per_tool_on_miss modes",
    "Universe": "windtunnel_universe tools recordings matching",
    "TextPart": "content",
    "ToolCallPart": "id name arguments",
    "ToolCallResponsePart": "id response",
    "InterchangeMessage": "role parts",
    "InterchangeToolDefinition": "name description input_schema result_schema",
    "InterchangeWitnessedCall": "tool_name args result",
    "InterchangeTrace": "windtunnel_interchange otel_genai_mapping session messages source"
    " tool_definitions witnessed_calls",
    "ImportResult": "out_dir scenario_path universe_path scorer_path imported_path evidence_source"
    " stubbed_tool_schemas recordings",
}

FROZEN = {
    "Call",
    "NumberFact",
    "ReferenceCase",
    "ReferenceDecision",
    "ReferenceToolCall",
    "PreconditionContext",
    "ToolAvailable",
    "FileExists",
    "StateProbeAvailable",
    "Check",
    "MetricSummary",
    "UniverseTool",
    "UniverseRecording",
    "UniverseMatching",
    "Universe",
    "TextPart",
    "ToolCallPart",
    "ToolCallResponsePart",
    "InterchangeMessage",
    "InterchangeToolDefinition",
    "InterchangeWitnessedCall",
    "InterchangeTrace",
    "ImportResult",
}

OPEN = (
    "Turn",
    "Trace",
    "LayerResult",
    "FailureCost",
    "Score",
    "Policy",
    "Scenario",
    "ScenarioPack",
    "ScenarioRunResult",
    "AggregateResult",
    "StateResetConfig",
)

PARAMETERS = {
    "evaluate_outcome": "trace scenario",
    "evaluate_trajectory": "trace scenario",
    "evaluate_constraint": "trace scenario",
    "evaluate_integrity": "trace scenario",
    "aggregate_runs": "runs variance_allowed gate_layers",
    "replay": "original variant_id generate model quant",
    "run_matrix": "scenario runtime mcps base_config sampling_variants runs_per_cell",
    "storage_path": "trace base_dir",
    "save_trace": "trace path",
    "llm_judge": "rubric generate_fn",
    "observation": "source path predicate label",
    "parse_interchange": "raw",
    "load_interchange": "path",
    "build_envelope": "model messages provider otel_genai_mapping source tool_definitions"
    " witnessed_calls",
    "write_imported_scenario": "envelope out_dir scenario_name",
    "freeze_universe": "call_log tools matching path",
    "load_universe": "path",
    "save_universe": "universe path",
}


def python(code: str) -> str:
    """What `code` prints in an interpreter of its own."""
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_exported_names_stand_in_their_order():
    """The order is public: documentation and completion show it."""
    assert wt_git.api.__all__ == EXPORTED
    assert len(set(EXPORTED)) == len(EXPORTED) == 100


@pytest.mark.parametrize("name", EXPORTED)
def test_every_exported_name_is_there(name):
    """And stays the same object."""
    assert getattr(wt_git.api, name) is getattr(wt_git.api, name)
    assert name in dir(wt_git.api)


@pytest.mark.parametrize("module", SUBMODULES)
def test_every_submodule_is_an_import_path(module):
    """Its names are the package's, where both have them."""
    loaded = importlib.import_module(f"wt_git.api.{module}")
    for name in ONLY_IN_SUBMODULES.get(module, "").split():
        assert hasattr(loaded, name)
        assert name not in EXPORTED
    for name in set(vars(loaded)) & set(EXPORTED):
        assert getattr(loaded, name) is getattr(wt_git.api, name)


def test_a_star_import_gives_all_names():
    """Notebooks do this."""
    names: dict[str, object] = {}
    exec("from wt_git.api import *", names)
    assert set(EXPORTED) <= set(names)


def test_a_name_that_is_not_there_is_an_attribute_error():
    """With the module and the name."""
    with pytest.raises(AttributeError, match=r"wt_git\.api.*'Multiverse'"):
        wt_git.api.Multiverse  # noqa: B018 - the access is the test
    with pytest.raises(ImportError, match="Multiverse"):
        exec("from wt_git.api import Multiverse")


def test_importing_the_package_imports_nothing_else_of_ours():
    """Names are looked up when they are used."""
    shown = python(
        "import wt_git.api, sys; print(*sorted(m for m in sys.modules if 'wt_git' in m))"
    )
    loaded = {name for name in shown.split() if name.startswith("wt_git")}
    assert loaded == {"wt_git", "wt_git.api"}


def test_a_submodule_is_found_without_an_import_of_its_own():
    """`import wt_git.api` is enough to write `wt_git.api.scorers.all_of`."""
    code = "import wt_git.api; print(wt_git.api.scorers.all_of is wt_git.api.all_of)"
    assert python(code) == "True"


def test_the_type_checker_sees_the_same_names_in_the_same_places():
    """What is written for it beside the table must agree with the table."""
    tree = ast.parse(Path(wt_git.api.__file__).read_text(encoding="utf-8"))
    found = {
        alias.asname: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("wt_git.api.")
        for alias in node.names
    }
    assert set(found) == set(EXPORTED)
    for name, module in found.items():
        loaded = importlib.import_module(module)
        assert getattr(loaded, name) is getattr(wt_git.api, name)


def test_the_authoring_api_needs_the_standard_library_only():
    """Scenarios must be importable wherever Python is."""
    code = (
        "import sys; before = set(sys.modules)\n"
        "from wt_git.api import *\n"
        "new = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "print(*sorted(new - sys.stdlib_module_names - {'wt_git', '__mp_main__'}))"
    )
    assert python(code) == ""


ORDERS = {
    "package first": "import wt_git.api; wt_git.api.replay; import wt_git.api.replay",
    "submodule first": "import wt_git.api.replay",
    "from the submodule first": "from wt_git.api.replay import HistoryPrefix; import wt_git.api",
    "by the import library": (
        "import importlib; importlib.import_module('wt_git.api.replay'); import wt_git.api"
    ),
    "alias first": "import windtunnel.api.replay; import wt_git.api",
    "alias second": "import wt_git.api.replay; import windtunnel.api.replay",
    "alias between": (
        "import wt_git.api; wt_git.api.replay; from windtunnel.api.replay import HistoryPrefix"
    ),
    "another submodule": "import wt_git.api.scenario, wt_git.api.runner",
    "renamed": "import wt_git.api.replay as renamed; import wt_git.api",
}


@pytest.mark.parametrize("order", ORDERS)
def test_replay_is_the_function_in_whatever_order_things_are_imported(order):
    """A submodule has the same name, and importing it must not hide the function."""
    code = ORDERS[order] + (
        "\nimport inspect, sys, wt_git.api"
        "\nfrom wt_git.api import replay"
        "\nfrom wt_git.api.replay import HistoryPrefix"
        "\nmodule = sys.modules['wt_git.api.replay']"
        "\nassert inspect.isfunction(wt_git.api.replay), wt_git.api.replay"
        "\nassert replay is wt_git.api.replay is module.replay"
        "\nassert module.HistoryPrefix is HistoryPrefix"
        "\nassert inspect.ismodule(wt_git.api.runner)"
        "\nprint('fine')"
    )
    assert python(code) == "fine"


@pytest.mark.parametrize("name", FIELDS)
def test_fields_stand_in_their_order(name):
    """They may be given by position, and files are written from them."""
    fields = dataclasses.fields(getattr(wt_git.api, name))
    assert [field.name for field in fields] == FIELDS[name].split()


@pytest.mark.parametrize("name", OPEN)
def test_what_is_filled_in_later_is_open(name):
    """Authors and plugins assign to these after they were made."""
    assert not getattr(wt_git.api, name).__dataclass_params__.frozen


@pytest.mark.parametrize("name", sorted(FROZEN))
def test_values_are_frozen(name):
    """Two scenarios may hold the same one."""
    assert getattr(wt_git.api, name).__dataclass_params__.frozen


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameters_stand_in_their_order(name):
    """More may follow by keyword, none may move."""
    wanted = PARAMETERS[name].split()
    assert list(inspect.signature(getattr(wt_git.api, name)).parameters)[: len(wanted)] == wanted


def test_run_scenario_takes_what_it_promises():
    """Three by position and the rest by keyword."""
    parameters = inspect.signature(wt_git.api.run_scenario).parameters
    promised = [
        "scenario",
        "runtime",
        "mcps",
        "config",
        "runs_per_scenario",
        "skip_reset",
        "state_probe",
        "hooks",
        "on_run_start",
        "on_run_complete",
        "history_prefix",
        "should_start_run",
    ]
    assert list(parameters)[: len(promised)] == promised
    kinds = [parameters[name].kind for name in promised]
    assert kinds == [inspect.Parameter.POSITIONAL_OR_KEYWORD] * 3 + (
        [inspect.Parameter.KEYWORD_ONLY] * (len(promised) - 3)
    )


def test_the_formats_have_their_versions():
    """A new number is a new format."""
    assert (wt_git.api.TRACE_FORMAT_VERSION, wt_git.api.SCORE_FORMAT_VERSION) == (1, 2)
    assert wt_git.api.UNIVERSE_VERSION == 1
    assert GATE_LAYER_ORDER == ("outcome", "trajectory", "constraint")
    assert SCORE_LAYER_ORDER == ("outcome", "trajectory", "constraint", "integrity")
