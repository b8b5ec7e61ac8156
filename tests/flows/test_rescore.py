"""`wt rescore`, as a user meets it: after a scorer was edited, and over directories of every kind."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest
from kit.commands import DECLARED, WT, ledger, traces, write_pack, write_plugin, wt
from kit.saved_runs import edit_json, run_id, save_row, save_run
from kit.traces import a_trace, assistant, user

from wt_git.api.score import SCORE_LAYER_ORDER
from wt_git.api.trace import save_trace
from wt_git.records.documents.rescore import Rescore
from wt_git.records.layout import sidecar_path

SCORER = """
from windtunnel.api import LayerResult, Scenario, ScenarioPack


def says_it(trace):
    answer = trace.turns[-1].content
    return LayerResult({wanted!r} in answer, "it said " + answer, {{"length": len(answer)}})


PACK = ScenarioPack(
    name="desk",
    scenarios=[
        Scenario(name="agree", prompt="say it", outcome_fn=says_it),
        Scenario(name="refuse", prompt="say it", target_facts=[["no"]]),
    ],
)
"""
ALL = ("--runs", "runs", "--pack-source", "pack.py:PACK")


def write_scorer(wanted: str) -> None:
    """Write the pack whose scorer wants `wanted` in the answer, which is always "ok"."""
    Path("pack.py").write_text(SCORER.format(wanted=wanted))


def state(folder: str = "runs") -> dict[str, Any]:
    """Everything that can be seen of a folder from outside, times included."""
    return {
        str(path): (
            path.lstat().st_mtime_ns,
            path.lstat().st_ino,
            None if path.is_dir() else hashlib.sha256(path.read_bytes()).hexdigest(),
        )
        for path in [Path(folder), *sorted(Path(folder).rglob("*"))]
    }


def save(number: int, scenario: str = "agree", *, answer: str = "75 orders.", **more: Any) -> Path:
    """Save run `number`, in which the agent said `answer`."""
    turns = [user(), assistant(answer)]
    return save_run(Path("runs"), number, scenario=scenario, turns=turns, **more)


def document(*arguments: str, code: int = 0) -> dict[str, Any]:
    """The document, which must be what its model says and be written as any other is."""
    ran = wt("rescore", "--json", *arguments)
    assert ran.code == code, ran.err
    found: dict[str, Any] = json.loads(ran.out)
    assert msgspec.convert(found, Rescore, strict=True).as_document() == found
    assert ran.out == json.dumps(found, indent=2, ensure_ascii=False) + "\n"
    return found


def sidecar(trace: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(sidecar_path(trace).read_text("utf-8"))
    return found


def summary(**counts: int) -> str:
    names = ("traces", "changed", "new_gate_failures", "invalid", "unresolved", "errors", "written",
             "skipped")  # fmt: skip
    return "summary: " + " ".join(f"{name}={counts.get(name, 0)}" for name in names)


# --- the whole way


def test_a_scorer_edit_shows_the_flips_and_touches_nothing_until_it_is_told_to() -> None:
    """Run, edit the scorer, look, write; the tables then read the new scores and say so."""
    write_scorer("yes")
    assert wt("run", "--pack-source", "pack.py:PACK", "--runs", "2").code == 1
    agree, refuse = traces()[:2], traces()[2:]
    before = state()

    write_scorer("ok")
    ran = wt("rescore", *ALL)
    assert (ran.code, ran.err) == (1, "")
    *lines, last = ran.out.splitlines()
    rest = "trajectory PASS -> PASS | constraint PASS -> PASS | integrity PASS -> PASS"
    assert lines == [
        f"{agree[0]}: scenario=agree outcome FAIL -> PASS | {rest} | metrics outcome.length=2",
        f"{agree[1]}: scenario=agree outcome FAIL -> PASS | {rest} | metrics outcome.length=2",
        f"{refuse[0]}: scenario=refuse outcome FAIL -> FAIL | {rest}",
        f"{refuse[1]}: scenario=refuse outcome FAIL -> FAIL | {rest}",
    ]
    assert last == summary(traces=4, changed=2, new_gate_failures=2)
    assert wt("rescore", *ALL, "--json").code == 1
    comment = wt("rescore", *ALL, "--format", "markdown")
    assert comment.code == 1
    assert [line.split("|")[4:5] for line in comment.out.splitlines()[2:4]] == [
        [" **FAIL to PASS** "]
    ] * 2
    assert "**2 of 4 trace(s) changed**: 2 do not pass now" in comment.out
    assert state() == before

    ran = wt("rescore", *ALL, "--scenario", "agree", "--write")
    assert ran.code == 0
    assert [line.endswith(" [sidecar written]") for line in ran.out.splitlines()] == [1, 1, 0]
    assert ran.out.endswith(summary(traces=4, changed=2, written=2, skipped=2) + "\n")
    after = state()
    changed = {path for path in after if after[path] != before.get(path) and Path(path).is_file()}
    assert changed == {str(sidecar_path(path)) for path in agree}

    shown = json.loads(wt("results", "--json").out)["results"]
    by_name = {one["scenario_id"]: one for one in shown}
    assert (by_name["agree"]["verdict"], by_name["agree"]["rescored"]) == ("PASS", True)
    assert (by_name["agree"]["passed"], by_name["agree"]["tier"]) == (2, "regression")
    assert (by_name["refuse"]["verdict"], by_name["refuse"]["rescored"]) == ("FAIL", False)
    assert ", rescored]" in wt("results", "--scenario", "agree").out
    assert [row["verdict"] for row in ledger()] == ["FAIL", "FAIL"]


def test_a_new_reading_of_answers_flips_only_what_it_is_about() -> None:
    """Traces of before keep their verdict where the sentence says the same to a person."""
    Path("pack.py").write_text(
        "from windtunnel.api import NumberFact, Scenario, ScenarioPack\n"
        "PACK = ScenarioPack('desk', [Scenario('agree', 'p', target_numbers=[NumberFact(75, 'orders')],"
        " forbidden_facts=['shipped'])])\n"
    )
    answers = {
        "75 orders are open.": "PASS",
        "There are 75 of them.": "PASS",
        "75 orders; none was shipped.": "PASS",
        "Order 75 is open.": "FAIL",  # an order's number
        "75 orders, shipped with no issues.": "FAIL",  # the denial is of issues
    }
    for number, answer in enumerate(answers):
        save(number, answer=answer)  # with a score that passed
    found = document(*ALL, code=1)
    flips = {one["trace"]: one["verdict"]["new"] for one in found["traces"] if one["changed"]}
    assert [one["verdict"]["new"] for one in found["traces"]] == list(answers.values())
    assert list(flips.values()) == ["FAIL", "FAIL"]


def test_comparisons_read_the_new_scores() -> None:
    """A regression that only a scorer made is gone with it, and the ledger is as it was."""
    write_scorer("ok")
    assert wt("run", *ALL[2:], "--scenario", "agree", "--label", "base").code == 0
    write_scorer("yes")
    asked = (*ALL[2:], "--scenario", "agree", "--label", "new", *DECLARED)
    assert wt("run", *asked).code == 1
    rows = Path("runs/ledger.ndjsonl").read_bytes()
    compared = wt("compare", "--labels", "base", "new", "--json")
    assert (compared.code, json.loads(compared.out)["regression"]) == (1, True)
    write_scorer("ok")
    assert wt("rescore", *ALL, "--label", "new", "--write").code == 0
    compared = wt("compare", "--labels", "base", "new", "--json")
    assert (compared.code, json.loads(compared.out)["regression"]) == (0, False)
    assert json.loads(compared.out)["scenarios"][0]["verdicts"] == {"base": "PASS", "new": "PASS"}
    assert Path("runs/ledger.ndjsonl").read_bytes() == rows


def test_a_written_score_has_every_block_that_a_live_one_has() -> None:
    """With the origin in addition; written again it is the same but for its time."""
    write_scorer("ok")
    assert wt("run", "--pack-source", "pack.py:PACK", "--scenario", "agree").code == 0
    (trace,) = traces()
    live, recorded = sidecar(trace), trace.read_bytes()
    assert wt("rescore", "--trace", str(trace), *ALL[2:], "--write").code == 0
    again = sidecar(trace)
    assert [*live, "origin"] == list(again)
    assert {key: again[key] for key in live} == live
    assert list(again["origin"]) == ["kind", "source_trace", "rescored_at", "trace_unchanged"]
    assert (again["origin"]["kind"], again["origin"]["trace_unchanged"]) == ("rescore", True)
    assert again["origin"]["source_trace"] == str(trace)
    assert trace.read_bytes() == recorded


def test_the_document_says_what_was_and_what_is() -> None:
    """Per trace each layer, the verdict and the metrics, with both details."""
    write_scorer("75")
    trace = save(1, gates=("outcome",), layers={"outcome": False}, metrics={"length": 9})
    found = document(*ALL)
    assert list(found) == ["windtunnel_rescore", "traces", "summary"]
    (entry,) = found["traces"]
    layers = entry.pop("layers")
    assert entry == {
        "status": "ok",
        "trace": str(trace),
        "scenario_id": "agree",
        "label": "candidate",
        "run_id": run_id(1),
        "changed": True,
        "verdict": {"old": "FAIL", "new": "PASS"},
        "metrics": {"old": {"outcome.length": 9}, "new": {"outcome.length": 10}},
        "metrics_changed": True,
        "written": False,
    }
    assert list(layers) == list(SCORE_LAYER_ORDER)
    assert layers["outcome"] == {
        "old": "FAIL",
        "new": "PASS",
        "changed": True,
        "old_detail": "outcome",
        "detail": "it said 75 orders.",
    }
    assert found["summary"] == {
        **dict.fromkeys(found["summary"], 0),
        "traces": 1,
        "changed": 1,
    }


# --- what is scored


def test_labels_and_patterns_choose_traces() -> None:
    """What was not asked for is counted as skipped and has no entry."""
    write_scorer("many")
    for number, (scenario, label) in enumerate(
        [("agree", "one"), ("agree", "two"), ("refuse", "one"), ("agree", "one")]
    ):
        save(number, scenario, label=label)
    assert document(*ALL, "--label", "one", code=1)["summary"]["skipped"] == 1
    found = document(*ALL, "--label", "one", "--scenario", "ag*", code=1)
    assert [one["run_id"] for one in found["traces"]] == [run_id(0), run_id(3)]
    assert (found["summary"]["traces"], found["summary"]["skipped"]) == (4, 2)


def test_a_label_that_is_not_there_is_named_with_those_that_are() -> None:
    """With others it is only said; alone it is refused, and nothing is printed or written."""
    write_scorer("ok")
    save(1, "agree", label="one")
    ran = wt("rescore", *ALL, "--label", "onne", "--label", "one", "--json")
    assert ran.code in {0, 1}
    assert "no traces with label(s): onne; labels present: one" in ran.err
    before = state()
    ran = wt("rescore", *ALL, "--label", "onne", "--json", "--write")
    assert (ran.code, ran.out) == (2, "")
    assert "no traces with label(s): onne; labels present: one" in ran.err
    assert state() == before


def test_a_definition_that_was_filtered_out_skips_its_traces() -> None:
    """They are none of what was asked for; only what nobody defines is a problem."""
    write_scorer("ok")
    write_pack("other.py", name="other", scenarios=[("theirs", "ok", ["x"])])
    save(1, "agree")
    save(2, "theirs")
    both = (*ALL, "--pack-source", "other.py:PACK")
    assert len(document(*both, code=1)["traces"]) == 2
    for limits in (("--pack", "other"), ("--tag", "x")):
        found = document(*both, *limits, code=1)
        assert [one["scenario_id"] for one in found["traces"]] == ["theirs"]
        assert (found["summary"]["skipped"], found["summary"]["unresolved"]) == (1, 0)
    found = document(*ALL, code=2)
    assert [one["status"] for one in found["traces"]] == ["ok", "unresolved"]
    assert list(found["traces"][1]) == [
        *("status", "trace", "scenario_id", "label", "run_id", "error"),
    ]
    assert "no pack defines 'theirs'" in found["traces"][1]["error"]
    assert "ERROR no pack defines 'theirs'" in wt("rescore", *ALL).out


def test_the_named_source_stands_before_a_built_in_of_the_same_name() -> None:
    """Copying a built-in scenario and working on the copy is how many begin."""
    write_pack(scenarios=[("lookup_before_action", "never said", [])])
    save(1, "lookup_before_action")
    found = document(*ALL, code=1)["traces"]
    assert "never said" in found[0]["layers"]["outcome"]["detail"]
    ran = wt("rescore", *ALL, "--pack", "tool_affordance", "--pack", "demo")
    assert (ran.code, ran.out) == (2, "")
    assert "ambiguous" in ran.err
    assert "'lookup_before_action' of 'tool_affordance', 'demo'" in ran.err


def test_given_traces_are_scored_in_the_order_in_which_they_are_named() -> None:
    """Several behind one option, or the option again; one that is named twice counts once."""
    write_scorer("many")
    paths = [str(save(number, "agree")) for number in range(4)]
    asked = ["--trace", paths[2], paths[0], "--pack-source", "pack.py:PACK", "--trace", paths[3],
             paths[0]]  # fmt: skip
    found = document(*asked, code=1)
    assert [one["trace"] for one in found["traces"]] == [paths[2], paths[0], paths[3]]


def test_a_broken_run_stays_invalid_whatever_its_scorer_says_today() -> None:
    """The agent was not heard to the end, so there is nothing to score."""
    write_scorer("ok")
    runtime = write_plugin(send="raise RuntimeError('gone')")
    assert wt("run", *ALL[2:], "--scenario", "agree", "--runtime", runtime).code == 1
    (entry,) = document(*ALL, code=1)["traces"]
    assert (entry["verdict"], entry["changed"]) == ({"old": "INVALID", "new": "INVALID"}, False)
    for layer in entry["layers"].values():
        assert (layer["old"], layer["new"]) == ("FAIL", "FAIL")
        assert "gone" in layer["detail"]
    assert summary(traces=1, invalid=1) in wt("rescore", *ALL).out


def test_a_probe_is_scored_without_what_it_only_replayed() -> None:
    """As it was live."""
    write_scorer("ok")
    assert wt("run", *ALL[2:], "--scenario", "agree").code == 0
    (first,) = traces()
    ran = wt("run", *ALL[2:], "--from-trace", str(first), "--label", "probe", *DECLARED)
    assert ran.code == 0, ran.err
    found = document(*ALL, "--label", "probe")
    assert found["traces"][0]["verdict"] == {"old": "PASS", "new": "PASS"}


def test_replays_stay_out_of_tables_after_they_were_scored_again() -> None:
    """They were flown outside of any scenario; a definition that came later changes no part of that."""
    write_scorer("75")
    trace = save(1, "agree", origin="replay")
    save(2, "agree")
    wt("rescore", *ALL, "--write")
    assert sidecar(trace)["origin"]["kind"] == "replay"
    assert "rescored_at" in sidecar(trace)["origin"]
    ran = wt("results", "--json")
    assert json.loads(ran.out)["results"][0]["runs"] == 1
    assert "1 run(s) of selftests and replays are not counted" in ran.err


def test_a_run_without_a_score_gets_one() -> None:
    """A process that was killed in between left it so. What it said before is unknown."""
    write_scorer("many")
    trace = save(1, "agree")
    sidecar_path(trace).unlink()
    (entry,) = document(*ALL, "--write", code=1)["traces"]
    assert (entry["verdict"]["old"], entry["changed"], entry["written"]) == ("UNKNOWN", False, True)
    assert entry["metrics"]["old"] is None
    assert sidecar(trace)["verdict"] == entry["verdict"]["new"]


# --- what is asked


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "exactly one of --runs DIR and --trace PATH... is required"),
        (("--runs", "runs", "--trace", "x.json"), "exactly one of"),
        (("x.json",), "unexpected extra argument"),
        (("--trace", "gone.json"), "trace file not found: 'gone.json' (No such file"),
        (("--trace", "runs"), "trace file not found: 'runs' (it is a folder"),
        (("--runs", "gone"), "runs directory not found: 'gone'"),
        (("--runs", "3"), "--runs names a directory here"),
        (("--runs", "empty"), "no trace files found under 'empty'"),
        (("--runs", "foreign"), "no trace files found under 'foreign'"),
        (("--runs", "runs", "--pack", "nope"), "no scenario definitions found"),
        (("--runs", "runs", "--pack", "tool_afordance"), "did you mean tool_affordance?"),
        (
            ("--runs", "runs", "--pack-source", "gone.py:PACK"),
            "could not load scenario pack source",
        ),
        (("--runs", "runs", "--scenario", "agre"), "unknown scenario(s): agre"),
    ],
)
def test_what_cannot_be_answered_is_refused(arguments: tuple[str, ...], said: str) -> None:
    """Exit 2, nothing on stdout, and what is wrong."""
    write_scorer("ok")
    save(1, "agree")
    for folder in ("empty", "foreign"):
        Path(folder).mkdir()
    Path("foreign/package.json").write_text('{"name": "x"}')
    before = state()
    for more in ((), ("--json", "--write")):
        ran = wt("rescore", *arguments, *more)
        assert (ran.code, ran.out) == (2, ""), ran.err
        assert said in ran.err
    assert state() == before


def test_help_is_printed() -> None:
    """On stdout, without an error."""
    ran = wt("rescore", "--help")
    assert (ran.code, ran.err) == (0, "")
    assert "--trace PATH..." in ran.out


# --- what stands in a directory


def foreign_files(folder: Path) -> None:
    """Files of other tools, all of which have the name of a trace."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in {
        "rows.json": "[]",
        "package.json": '{"name": "x"}',
        "broken.json": '{"name": ',
        "number.json": "3",
        "binary.json": "\xff\xfe",
    }.items():
        (folder / name).write_text(text, "latin-1")


def test_files_of_other_tools_are_skipped_and_counted() -> None:
    """Also a document that `--out` put there."""
    write_scorer("many")
    save(1, "agree")
    foreign_files(Path("runs/extra"))
    ran = wt("rescore", *ALL)
    assert ran.code == 1
    assert summary(traces=6, new_gate_failures=1, changed=1, skipped=5) in ran.out
    assert "5 file(s) are no traces: runs/extra/binary.json" in ran.err


def torn(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-40])


def of_a_later_version(path: Path) -> None:
    edit_json(path, windtunnel_trace=7)


def without_turns(path: Path) -> None:
    edit_json(path, turns=None)


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (torn, "it is not JSON"),
        (of_a_later_version, "unsupported windtunnel_trace 7"),
        (without_turns, "turns is missing"),
    ],
)
def test_a_trace_that_cannot_be_read_is_named_and_the_rest_is_scored(spoil: Any, why: str) -> None:
    """Exit 2, since the answer is not complete; its score is left as it is."""
    write_scorer("many")
    broken = save(1, "agree")
    save(2, "agree")
    spoil(broken)
    before = sidecar_path(broken).read_bytes()
    found = document(*ALL, "--write", code=2)
    assert [one["status"] for one in found["traces"]] == ["error", "ok"]
    assert list(found["traces"][0]) == ["status", "trace", "error"]
    assert why in found["traces"][0]["error"]
    assert (found["summary"]["errors"], found["summary"]["written"]) == (1, 1)
    assert sidecar_path(broken).read_bytes() == before
    ran = wt("rescore", "--trace", str(broken), *ALL[2:])
    assert (ran.code, ran.out.count("ERROR")) == (2, 1)


def test_a_torn_trace_without_a_telling_name_is_no_strangers_file() -> None:
    """It says itself what it was."""
    write_scorer("ok")
    save(1, "agree")
    save_trace(a_trace(user(), assistant(), scenario_id="agree"), "runs/copy.json")
    torn(Path("runs/copy.json"))
    assert [one["status"] for one in document(*ALL, code=2)["traces"]] == ["ok", "error"]


def test_a_score_that_is_named_instead_of_its_trace_is_recognised() -> None:
    """The two lie side by side."""
    write_scorer("ok")
    trace = save(1, "agree")
    ran = wt("rescore", "--trace", str(sidecar_path(trace)), *ALL[2:])
    assert ran.code == 2
    assert f"ERROR this is the score of a run; its trace is {trace}" in ran.out


@pytest.mark.parametrize("text", ["", '{"windtunnel_score": 2, "ou', "[]", '{"outcome": 3}'])
def test_a_score_that_cannot_be_read_is_named_and_replaced(text: str) -> None:
    """What it said is unknown; that is no reason to leave it broken."""
    write_scorer("many")
    trace = save(1, "agree")
    sidecar_path(trace).write_text(text)
    ran = wt("rescore", *ALL)
    assert "outcome UNKNOWN -> FAIL" in ran.out
    assert (
        f"1 score(s) cannot be read, so what they said is unknown: {sidecar_path(trace)}" in ran.err
    )
    wt("rescore", *ALL, "--write")
    assert sidecar(trace)["origin"]["kind"] == "rescore"


def test_the_score_of_a_later_version_is_not_replaced() -> None:
    """It may hold what this version would lose."""
    write_scorer("many")
    trace = save(1, "agree")
    sidecar_path(trace).write_text('{"windtunnel_score": 3, "news": 1}')
    assert document(*ALL, code=1)["traces"][0]["verdict"]["old"] == "UNKNOWN"
    found = document(*ALL, "--write", code=2)
    assert "a later version of wt wrote it" in found["traces"][0]["error"]
    assert sidecar_path(trace).read_text() == '{"windtunnel_score": 3, "news": 1}'


def test_a_score_behind_a_link_is_named_and_left_alone() -> None:
    """The rest goes on, and the exit code says that it is not everything."""
    write_scorer("many")
    linked = save(1, "agree")
    other = save(2, "agree")
    kept = sidecar_path(linked).rename("kept.json")
    before = kept.read_bytes()
    sidecar_path(linked).symlink_to(kept.resolve())
    found = document(*ALL, code=1)["traces"]
    assert [one["verdict"]["old"] for one in found] == ["PASS", "PASS"]
    found = document(*ALL, "--write", code=2)
    assert [one["status"] for one in found["traces"]] == ["error", "ok"]
    assert "it is a link" in found["traces"][0]["error"]
    assert (kept.read_bytes(), sidecar_path(linked).is_symlink()) == (before, True)
    assert "origin" in sidecar(other)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_takes_no_file_is_named() -> None:
    """As a full disk would be."""
    write_scorer("many")
    closed = save(1, "agree", label="closed")
    save(2, "agree", label="open")
    closed.parent.chmod(0o500)
    found = document(*ALL, "--write", code=2)
    closed.parent.chmod(0o700)
    assert [one["status"] for one in found["traces"]] == ["error", "ok"]
    assert "Permission denied" in found["traces"][0]["error"]


# --- foreign code and foreign text


@pytest.mark.parametrize("raised", ["SystemExit(0)", "RuntimeError('\\x1b[31mno')"])
def test_a_scorer_that_raises_spoils_its_own_traces_alone(raised: str) -> None:
    """Also one that calls exit; nothing is written for it that was not judged."""
    Path("pack.py").write_text(
        SCORER.format(wanted="ok").replace("answer = ", f"raise {raised}\n    answer = ", 1)
    )
    save(1, "agree")
    save(2, "refuse")
    ran = wt("rescore", *ALL)
    assert ran.code in {1, 2}
    assert len(ran.out.splitlines()) == 3
    assert "\x1b" not in ran.out + ran.err


def test_what_packs_and_scorers_print_is_no_part_of_the_document() -> None:
    """They may; stdout is data all the same."""
    Path("pack.py").write_text(
        "print('loading')\n"
        + SCORER.format(wanted="ok").replace("answer = ", "print('scoring')\n    answer = ", 1)
    )
    save(1, "agree")
    ran = wt("rescore", *ALL, "--json")
    assert json.loads(ran.out)["summary"]["traces"] == 1
    assert "loading" in ran.err
    assert "scoring" in ran.err


def test_nothing_that_an_agent_wrote_moves_the_cursor() -> None:
    """Neither in a line nor in the document; a log takes none of it for a command."""
    write_pack(scenarios=[("a\x1b[2J\nb", "never", [])])
    save(1, "a\x1b[2J\nb", label="l\u202e", metrics={"k\x9b": "v\x07"})
    save(2, "gone\x1b[31m\n::error::x")
    for more in ((), ("--json",), ("--format", "markdown")):
        ran = wt("rescore", *ALL, *more)
        assert ran.code == 2
        assert not set(ran.out + ran.err) & set("\x1b\x9b\x07\u202e")
        assert not any(line.startswith("::") for line in ran.out.splitlines())
    assert len(wt("rescore", *ALL).out.splitlines()) == 3


def test_half_a_surrogate_pair_is_no_reason_to_stop() -> None:
    """Agents send such text; UTF-8 cannot hold it."""
    write_scorer("\ud83d")
    Path("pack.py").write_text(SCORER.format(wanted="x").replace("'x'", "'\\ud83d'"))
    trace = save(1, "agree")
    document_ = json.loads(trace.read_text())
    document_["turns"].append({"role": "assistant", "content": "\ud83d!"})
    trace.write_text(json.dumps(document_))
    found = document(*ALL, "--write")
    assert found["traces"][0]["verdict"]["new"] == "PASS"
    assert sidecar(trace)["verdict"] == "PASS"


# --- streams


def test_a_reader_that_goes_away_does_not_leave_half_of_the_scores_old() -> None:
    """`| head` ends a look; what is to be written is written."""
    write_scorer("many")
    paths = [save(number, "agree") for number in range(400)]
    for more, written in (((), 0), (("--write",), len(paths))):
        process = subprocess.Popen(
            [*WT, "rescore", *ALL, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr is not None
        err = process.stderr.read()
        process.stderr.close()
        assert process.wait(timeout=60) == 1
        assert b"Traceback" not in err
        assert sum("origin" in sidecar(path) for path in paths) == written


def test_the_row_of_the_ledger_gives_way_where_a_score_is_newer() -> None:
    """And the group is marked; the row itself stays."""
    write_scorer("75")
    trace = save(1, "agree", layers={"outcome": False},
                     gates=("outcome",))  # fmt: skip
    document_ = json.loads(trace.read_text())
    document_["turns"].append({"role": "assistant", "content": "75 orders."})
    trace.write_text(json.dumps(document_))
    save_row(Path("runs"), [1], scenario="agree", verdict="FAIL")
    before = Path("runs/ledger.ndjsonl").read_bytes()
    assert wt("rescore", *ALL, "--write").code == 0
    (one,) = json.loads(wt("results", "--json").out)["results"]
    assert (one["verdict"], one["rescored"], one["sweep_id"]) == ("PASS", True, "9c1d0e77ab42")
    assert Path("runs/ledger.ndjsonl").read_bytes() == before
