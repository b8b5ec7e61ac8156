"""`wt run` as a user meets it: verdicts, files, exit codes."""

from __future__ import annotations

import json
import os
import xml.etree.ElementTree as ET
from pathlib import Path

from kit.commands import DECLARED, events, experiments, ledger, traces, write_pack, write_plugin, wt


def test_a_sweep_prints_one_verdict_line_per_scenario_and_why_it_failed() -> None:
    """Verdicts are data on stdout; why something failed, and where to look, is talk on stderr."""
    ran = wt("run", "--pack-source", write_pack(), "--runs", "3")
    assert ran.code == 1
    assert ran.out == (
        "  PASS    passes                                    (3/3 pass, rate=100%)\n"
        "  FAIL    fails                                     (0/3 pass, rate=0%)\n"
    )
    assert "wt run: running only demo (from --pack-source); --all-packs" in ran.err
    assert "wt run: regression sweep" in ran.err
    assert "fails: 3 of 3 run(s) did not pass" in ran.err
    assert "something else" in ran.err
    shown = next(line for line in ran.err.splitlines() if "trace: " in line).split("trace: ")[1]
    assert json.loads(Path(shown).read_text())["scenario_id"] == "fails"


def test_a_passing_sweep_exits_0_and_leaves_every_file_it_promises() -> None:
    """Trace, sidecar, row, record and events, all about the same runs and the same sweep."""
    ran = wt("run", "--pack-source", write_pack(), "--scenario", "passes", "--label", "base")
    assert ran.code == 0
    (trace,) = traces()
    assert trace.parts[:4] == ("runs", "passes", "wt-cli", "base")
    document = json.loads(trace.read_text())
    sidecar = json.loads(trace.with_name(trace.stem + ".score.json").read_text())
    assert sidecar["verdict"] == "PASS"
    assert sidecar["score"]["outcome"] == sidecar["outcome"]
    assert sidecar["scenario"]["target_facts"] == [["ok"]]
    (row,) = ledger()
    assert row["run_ids"] == [document["run_id"]]
    assert (row["verdict"], row["label"], row["pack"], row["owner"]) == (
        "PASS",
        "base",
        "demo",
        None,
    )
    assert row["experiment"]["tier"] == "focused"
    assert row["experiment"]["interrupted"] is False
    (record,) = experiments()
    assert (record["outcome"], record["status"], record["exit_code"]) == ("pass", "completed", 0)
    assert [event["event"] for event in events()] == [
        "sweep_started",
        "run_started",
        "run_finished",
        "scenario_finished",
        "sweep_finished",
    ]
    assert {event["sweep_id"] for event in events()} == {row["sweep_id"], record["sweep_id"]}
    assert Path(events()[2]["trace"]) == trace


def test_row_keys_are_sorted_and_events_lead_with_their_version() -> None:
    """Rows diff well when a file is versioned; events read well when they are followed."""
    wt("run", "--pack-source", write_pack(), "--scenario", "passes")
    row = Path("runs/ledger.ndjsonl").read_text()
    assert list(json.loads(row)) == sorted(json.loads(row))
    event = Path("runs/events.ndjsonl").read_text().splitlines()[0]
    assert list(json.loads(event))[:5] == [
        "windtunnel_event",
        "ts",
        "event",
        "sweep_id",
        "label",
    ]


def test_a_new_runs_directory_ignores_itself() -> None:
    """What the bench writes must not become part of what is under test."""
    wt("run", "--pack-source", write_pack())
    assert Path("runs/.gitignore").read_text() == "*\n"


def test_an_existing_runs_directory_is_left_as_it_is() -> None:
    """Somebody may want to commit one."""
    Path("kept").mkdir()
    wt("run", "--pack-source", write_pack(), "--runs-dir", "kept")
    assert not Path("kept/.gitignore").exists()
    assert ledger("kept")


def test_json_output_holds_the_rows_in_selection_order() -> None:
    """Also when the scenarios finish in another order."""
    write_plugin(send="time.sleep(0.3 if 'slow' in messages[-1]['content'] else 0)")
    Path("pack.py").write_text(
        "from windtunnel.api import Scenario, ScenarioPack\n"
        "PACK = ScenarioPack('p', [Scenario('slow', 'slow', [['ok']]),"
        " Scenario('quick', 'quick', [['ok']])])\n"
    )
    ran = wt(
        *("run", "--pack-source", "pack.py:PACK", "--runtime", "plugin.py:PLUGIN"),
        *("--scheduler", "concurrent", "--format", "json", "--out", "new/folder/out.json"),
    )
    assert ran.code == 0
    assert [row["scenario_id"] for row in ledger()] == ["quick", "slow"]
    rows = json.loads(Path("new/folder/out.json").read_text())
    assert [row["scenario_id"] for row in rows] == ["slow", "quick"]
    assert list(rows[0])[:3] == ["windtunnel_ledger", "ts", "scenario_id"]
    assert Path("runs/.wt-outputs").read_text().strip() == str(
        Path("new/folder/out.json").resolve()
    )


def test_junit_output_holds_every_selected_scenario() -> None:
    """Those that broke, whose world was wrong, and that never started are errors, not absent."""
    Path("pack.py").write_text(
        "from windtunnel.api import Scenario, ScenarioPack\n"
        "names = ['fine', 'wrong', 'world', 'broken1', 'broken2', 'broken3', 'never']\n"
        "PACK = ScenarioPack('p', [Scenario(n, n, [['ok' if n != 'wrong' else 'no']],"
        " requires_files=['/absent'] if n == 'world' else []) for n in names])\n"
    )
    runtime = write_plugin(
        reset="pass",
        provision="pass",
        more=(
            "def pre_run(self, runtime, scenarios, name):\n"
            "        made = runtime.provision\n"
            "        order = iter(s.name for s in scenarios)\n"
            "        def provision(config, mcps=None):\n"
            "            if next(order).startswith('broken'):\n"
            "                raise RuntimeError('no \\x1b[31m backend')\n"
            "            return made(config, mcps)\n"
            "        runtime.provision = provision\n"
        ),
    )
    ran = wt(
        *("run", "--pack-source", "pack.py:PACK", "--runtime", runtime),
        *("--format", "junit", "--out", "out.xml"),
    )
    assert ran.code == 1
    assert "  ERROR   broken1" in ran.out
    assert "  WORLD   world" in ran.out
    assert "aborting after 3 consecutive scenario errors" in ran.err
    suite = ET.parse("out.xml").getroot().find("testsuite")
    assert suite is not None
    assert dict(suite.attrib) | {"time": ""} == {
        "name": "p",
        "tests": "7",
        "failures": "1",
        "errors": "5",
        "time": "",
    }
    found = {case.get("name"): [child.get("type") for child in case] for case in suite}
    assert found == {
        "fine": [],
        "wrong": ["windtunnel.FAIL"],
        "world": ["world_mismatch"],
        "broken1": ["error"],
        "broken2": ["error"],
        "broken3": ["error"],
        "never": ["not_started"],
    }
    assert "\x1b" not in ran.out + ran.err + Path("out.xml").read_text()
    assert events()[-1]["status"] == "aborted"
    assert experiments()[0]["not_started"] == ["never"]


def test_a_second_sweep_may_overwrite_its_own_output_and_nothing_else() -> None:
    """What `wt` wrote it may write again; somebody's source file it may not."""
    source = write_pack(scenarios=[("passes", "ok", [])])
    arguments = ("run", "--pack-source", source, *DECLARED, "--format", "json", "--out")
    assert wt(*arguments, "out.json").code == 0
    assert wt(*arguments, "out.json").code == 0
    before = Path("pack.py").read_text()
    ran = wt(*arguments, "pack.py")
    assert ran.code == 2
    assert "no earlier wt command" in ran.err
    assert Path("pack.py").read_text() == before


def test_the_soul_reaches_the_agent_and_the_notes_too() -> None:
    """The text of --soul is the system prompt, the path of --agents the persona document."""
    Path("soul.md").write_text("Be ünusual.")
    Path("notes.md").write_text("notes")
    runtime = write_plugin(
        provision="import json; open('seen.json', 'w').write("
        "json.dumps([config.system_prompt, str(config.persona_doc), config.variant_id]))"
    )
    ran = wt(
        *("run", "--pack-source", write_pack(scenarios=[("passes", "ok", [])])),
        *("--runtime", runtime, "--soul", "soul.md", "--agents", "notes.md", "--label", "l"),
    )
    assert ran.code == 0
    assert json.loads(Path("seen.json").read_text()) == ["Be ünusual.", "notes.md", "l"]


def test_a_transport_only_failure_is_shown_and_does_not_count() -> None:
    """The verdict is about a condition the model never saw."""
    Path("pack.py").write_text(
        "from windtunnel.api import Scenario, ScenarioPack\n"
        "PACK = ScenarioPack('p', [Scenario('s', 's', [['no']])], transport_only=True)\n"
    )
    ran = wt("run", "--pack-source", "pack.py:PACK")
    assert ran.code == 0
    assert "FAIL" in ran.out
    assert "transport-only" in ran.out


def test_a_fact_that_the_agent_only_denies_is_a_warning() -> None:
    """The verdict is as ever, and the author learns which field would make it a failure."""
    Path("pack.py").write_text(
        "from windtunnel.api import Scenario, ScenarioPack\n"
        "PACK = ScenarioPack('p', [Scenario('denies', 'Say it.', [['ok']])])\n"
    )
    runtime = write_plugin(send="return {'content': 'That is not ok.'}")
    ran = wt("run", "--pack-source", "pack.py:PACK", "--runtime", runtime, "--runs", "2")
    assert (ran.code, ran.out[:8]) == (0, "  PASS  ")
    (warning,) = [line for line in ran.err.splitlines() if "warning" in line]
    assert "denies: ['ok'] is only denied" in warning
    assert "facts_must_be_asserted" in warning


def test_an_agent_that_breaks_gets_no_verdict_and_fails_the_sweep() -> None:
    """An execution error is not the agent's failure, but the sweep did not answer its question."""
    runtime = write_plugin(send="raise RuntimeError('boom')")
    source = write_pack(scenarios=[("passes", "ok", [])])
    ran = wt("run", "--pack-source", source, "--runtime", runtime)
    assert ran.code == 1
    assert ran.out.startswith("  INVALID")
    assert "EXECUTION ERROR" in ran.out
    assert "execution error: boom" in ran.err
    assert ledger()[0]["experiment"]["counts_as_failure"] is True


def test_python_m_and_the_alias_are_the_same_program() -> None:
    """`python -m windtunnel.cli` is what scripts in the field call."""
    import subprocess  # noqa: PLC0415
    import sys  # noqa: PLC0415

    for module in ("wt_git", "wt_git.cli", "windtunnel.cli"):
        done = subprocess.run(
            [sys.executable, "-m", module, "--version"],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ,
        )
        assert done.stdout.startswith("wt ")
