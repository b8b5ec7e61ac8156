"""The tables of the documentation name what the code has: no field, key or option too few or many."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import msgspec
from kit.traces import a_score, a_trace, user

import wt_git.api
from wt_git.api import pack, scenario, score
from wt_git.api.perturbations import __all__ as perturbations
from wt_git.effect_classes import EffectClass
from wt_git.records import events, sweep_records
from wt_git.records.documents import report, rescore
from wt_git.records.runs.sidecars import NOT_FLIGHTS, RESCORED, scenario_block, sidecar_document
from wt_git.scenarios import builtin_packs

DOCS = Path(__file__).resolve().parents[2] / "docs"
PACKAGE = DOCS.parent / "wt_git"


def text(page: str) -> str:
    return (DOCS / page).read_text("utf-8")


def section(page: str, heading: str) -> str:
    """The text below a heading, up to the next one of its level or above."""
    level = re.search(rf"^(#+) {re.escape(heading)}$", text(page), re.MULTILINE)[1]
    below = text(page).split(f"\n{level} {heading}\n", 1)[1]
    return re.split(rf"^#{{2,{len(level)}}} ", below, maxsplit=1, flags=re.MULTILINE)[0]


def tables(page: str, heading: str) -> list[list[str]]:
    """The first column of each table below a heading, without its backticks."""
    found: list[list[str]] = []
    previous = ""
    for line in section(page, heading).split("\n"):
        if line.startswith("| --- "):
            found.append([])
        elif line.startswith("|") and previous.startswith("|") and found:
            found[-1].append(line.split(" | ")[0].strip("| `"))
        previous = line
    return found


def names(kind: type) -> list[str]:
    fields = msgspec.structs.fields if issubclass(kind, msgspec.Struct) else dataclasses.fields
    return [field.name for field in fields(kind)]


def test_every_field_of_a_scenario_is_explained():
    """The reference for authors has all of them and no other."""
    (listed,) = tables("writing-a-scenario.md", "All fields")
    assert sorted(listed) == sorted(names(scenario.Scenario))


def test_every_field_of_a_pack_and_of_a_failure_cost_is_explained():
    """The same for what stands beside a scenario."""
    (of_pack,) = tables("writing-a-scenario.md", "Packs")
    assert of_pack == names(pack.ScenarioPack)
    (of_cost,) = tables("writing-a-scenario.md", "Failure cost")
    assert of_cost == names(score.FailureCost)


def test_every_public_name_is_mentioned():
    """Whoever sees a name in an import finds it on the page for authors."""
    pages = ["writing-a-scenario.md", "messages.md", "importing.md", "recorded-servers.md"]
    said = "".join(map(text, pages))
    assert [name for name in wt_git.api.__all__ if not re.search(rf"\b{name}\b", said)] == []


def test_every_perturbation_has_a_row():
    """In one of the two tables, or named as one that the agent never meets."""
    shown = section("writing-a-scenario.md", "Perturbations")
    shown += section("writing-a-scenario.md", "Misbehaving tools")
    assert [name for name in perturbations if f"`{name}`" not in shown] == []


def test_every_effect_class_has_a_row():
    """The vocabulary is closed."""
    (listed,) = tables("writing-a-scenario.md", "Effect classes")
    assert listed == [each.value for each in EffectClass]


def test_every_dimension_and_its_scenarios_are_listed():
    """What ships can be read without running anything."""
    shown = section("writing-a-scenario.md", "Dimensions")
    for shipped in builtin_packs():
        assert f"`{shipped.name}`" in shown
        assert [s.name for s in shipped.scenarios if f"`{s.name}`" not in shown] == []


def test_the_keys_of_a_trace_are_those_of_its_file():
    """In the order of the file, those of a turn below."""
    document = wt_git.api.trace.trace_to_dict(a_trace(user()))
    of_trace, of_turn = tables("files.md", "Traces")
    assert of_trace == list(document)
    assert of_turn == list(document["turns"][0])


def test_the_keys_of_a_sidecar_are_those_of_its_file():
    """The block about the scenario included."""
    asked = scenario.Scenario("x", "x")
    document = sidecar_document(a_score(), asked.resolved_gate_layers(), scenario_block(asked))
    listed, origins = tables("files.md", "Score sidecars")
    assert listed == list(document)
    assert {RESCORED, *NOT_FLIGHTS} == set(origins)
    shown = section("files.md", "Score sidecars")
    assert [key for key in document["scenario"] if f"`{key}`" not in shown] == []
    assert [key for key in document["failure_cost"] if f"`{key}`" not in shown] == []


def test_the_document_of_a_rescore_is_described():
    """Every status with its keys, and every count."""
    statuses, objects = tables("files.md", "Rescore")
    assert statuses == ["ok", "unresolved", "error"]
    assert objects == ["verdict", "layers", "metrics"]
    shown = section("files.md", "Rescore")
    models = (rescore.Rescored, rescore.Unresolved, rescore.NotScored, rescore.LayerChange,
              rescore.RescoreSummary)  # fmt: skip
    assert [
        key for model in models for key in model.__struct_fields__ if f"`{key}`" not in shown
    ] == []
    (counts,) = tables("rescoring.md", "Fast scorer iteration")
    assert counts == list(rescore.RescoreSummary.__struct_fields__)


def test_the_keys_of_a_row_are_those_of_the_ledger():
    """In the order of the model, which is that of the json document."""
    of_row, of_experiment = tables("files.md", "Ledger")
    assert of_row == names(sweep_records.LedgerRow)
    assert sorted(of_experiment) == sorted(names(sweep_records.Experiment))


def test_the_keys_of_a_sweep_record_are_those_of_its_file():
    """In the order of the model."""
    (listed,) = tables("files.md", "Experiments")
    assert listed == names(sweep_records.SweepRecord)


def _default(kind: type[msgspec.Struct], name: str) -> object:
    (found,) = (field.default for field in msgspec.structs.fields(kind) if field.name == name)
    return found


def test_every_event_and_its_keys_are_listed():
    """One row per kind of event, with the keys that it adds to the common ones."""
    shown = section("files.md", "Events")
    kinds = events.Event.__subclasses__()
    (listed,) = tables("files.md", "Events")
    event_names = {kind: _default(kind, "event") for kind in kinds}
    assert listed == list(event_names.values())
    for kind, event in event_names.items():
        row = next(line for line in shown.split("\n") if line.startswith(f"| `{event}`"))
        own = [name for name in names(kind) if name not in names(events.Event)]
        assert [name for name in own if f"`{name}`" not in row] == []


def test_every_variable_of_the_environment_is_listed():
    """A setting that nobody can find is no setting."""
    found = {
        variable
        for path in PACKAGE.rglob("*.py")
        for variable in re.findall(r"\b(?:WT|MOCK_MCP)_[A-Z_]*[A-Z]\b", path.read_text("utf-8"))
    }
    shown = section("reference.md", "Environment")
    assert len(found) > 8
    assert [variable for variable in sorted(found) if f"`{variable}`" not in shown] == []


def test_the_glossary_is_sorted_and_says_each_word_once():
    """It is looked up, not read."""
    words = [
        line.split("|")[1].strip().lower()
        for line in text("glossary.md").split("\n")
        if line.startswith("| ")
    ][2:]
    assert len(words) > 40
    assert words == sorted(set(words))


def listed_keys(column: list[str]) -> set[str]:
    """The keys that a column names, several in a line among them."""
    return {key for cell in column for key in re.findall(r"[a-z_]+", cell)}


def test_the_keys_of_a_report_are_those_of_its_document():
    """Of the head, a cell, a failure, a sweep's cost, and a run."""
    head, cell, failure, cost, run = map(listed_keys, tables("files.md", "Report"))
    assert head == set(report.Report.__struct_fields__)
    assert cell == set(report.Cell.__struct_fields__)
    assert failure == set(report.Failure.__struct_fields__)
    assert cost == set(report.SweepCost.__struct_fields__)
    assert run == set(report.RunDetail.__annotations__)
    text = section("files.md", "Report")
    for part in (report.ReportSummary, report.Flaky, report.ScenarioRow, report.SampleTrace):
        assert [key for key in part.__struct_fields__ if f"`{key}`" not in text] == []
