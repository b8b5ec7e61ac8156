"""`wt replay`, as a user meets it: what was said to one agent is said to another, and saved."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from kit.commands import start_wt, traces, write_pack, write_plugin, wt
from kit.lock_process import LockProcess
from kit.traces import a_trace, assistant, user

from wt_git.api.trace import Trace, Turn, save_trace
from wt_git.records.layout import sidecar_path

if TYPE_CHECKING:
    from collections.abc import Callable

SAVED = re.compile(r"^replayed trace saved: (.+)$", re.MULTILINE)
PACK = ("--pack-source", "pack.py:PACK")
TALK = a_trace(
    Turn("system", "be kind", [], [], 0.0),
    user("first"),
    assistant("one"),
    user("second"),
    assistant("two"),
    scenario_id="passes",
    variant_id="base",
)
TRACE = ("--trace", "talk.json")
RECORDING = "open('sent', 'a').write(f'{messages[-1]}\\n')"


def save(trace: Trace = TALK) -> None:
    save_trace(trace, "talk.json")


def replayed(*arguments: str, code: int = 0) -> tuple[dict[str, Any], dict[str, Any]]:
    """The trace and the score that a replay saved."""
    ran = wt("replay", *TRACE, *arguments)
    assert ran.code == code, ran.err
    found = SAVED.search(ran.out)
    assert found is not None, ran.out
    path = Path(found[1])
    return json.loads(path.read_text()), json.loads(sidecar_path(path).read_text())


def until(what: Callable[[], Any], timeout_s: float = 20) -> None:
    limit = time.monotonic() + timeout_s
    while not what():
        assert time.monotonic() < limit, "it never happened"
        time.sleep(0.002)


# --- what is played


def test_all_that_the_user_said_is_said_again_and_nothing_else() -> None:
    """Live, in one conversation: none of it is history that the agent only gets told."""
    write_pack()
    save()
    runtime = write_plugin(send=RECORDING)
    trace, _ = replayed(*PACK, "--runtime", runtime)
    assert [(turn["role"], turn["content"]) for turn in trace["turns"]] == [
        ("user", "first"),
        ("assistant", "ok"),
        ("user", "second"),
        ("assistant", "ok"),
    ]
    assert len(Path("sent").read_text().splitlines()) == 2
    assert trace["worker_warnings"] == []
    assert trace["run_id"] != TALK.run_id
    assert (trace["agent_id"], trace["variant_id"]) == ("agent", f"replay_{runtime}")
    assert trace["scenario_id"] == "passes"


def test_the_source_is_named_before_the_run_and_the_result_after_it() -> None:
    """On stdout, for both are data; the rest is talk."""
    write_pack()
    save()
    ran = wt("replay", *TRACE, *PACK)
    source, result = ran.out.splitlines()
    assert source == (
        f"source: run {TALK.run_id} scenario=passes label=base agent=agent model=some-model "
        "quant=q4 started=2026-01-02T12:00:00.123456+00:00"
    )
    (saved,) = traces()
    assert result == f"replayed trace saved: {saved}"
    assert str(saved).startswith("runs/passes/agent/replay_in_memory/")


def test_a_probe_is_replayed_whole() -> None:
    """Turns that it only replayed are said live now."""
    write_pack()
    save(
        a_trace(
            *TALK.turns, scenario_id="passes", worker_warnings=["replay_prefix: source=x turns=3"]
        )
    )
    trace, _ = replayed(*PACK)
    assert [turn["content"] for turn in trace["turns"]] == ["first", "ok", "second", "ok"]
    assert trace["worker_warnings"] == []


def test_the_files_of_the_agent_reach_it() -> None:
    """As with `wt run`."""
    write_pack()
    save()
    Path("soul.md").write_text("be brief")
    Path("notes.md").write_text("n")
    runtime = write_plugin(
        provision="open('got', 'w').write(f'{config.system_prompt} {config.persona_doc}')",
        build="open('built', 'w').write(f'{runtime_name} {label} {soul_path}')",
    )
    replayed(*PACK, "--runtime", runtime, "--soul", "soul.md", "--agents", "notes.md")
    assert Path("got").read_text() == "be brief notes.md"
    assert Path("built").read_text() == f"{runtime} replay_{runtime} soul.md"


# --- who judges it


def test_the_definition_of_today_judges_it_and_the_run_counts() -> None:
    """As any run without a row does; nothing else is recorded."""
    write_pack(scenarios=[("passes", "never said", [])])
    save()
    _, sidecar = replayed(*PACK)
    assert (sidecar["verdict"], "origin" in sidecar) == ("FAIL", False)
    assert sidecar["scenario"]["target_facts"] == [["never said"]]
    assert sidecar["scenario"]["user_turns"] == ["first", "second"]
    (one,) = json.loads(wt("results", "--json").out)["results"]
    assert (one["label"], one["verdict"]) == ("replay_in_memory", "FAIL")
    assert one["selection"] == "all_traces"
    left = {path.name for path in Path("runs").iterdir()}
    assert left == {"passes", ".gitignore"}


def test_without_a_definition_nothing_is_expected_and_no_table_shows_it() -> None:
    """It would pass, whatever the agent said."""
    save()
    ran = wt("replay", *TRACE)
    assert ran.code == 0
    assert "no definition of 'passes' was found" in ran.err
    (saved,) = traces()
    sidecar = json.loads(sidecar_path(saved).read_text())
    assert sidecar["verdict"] == "PASS"
    assert sidecar["origin"] == {"kind": "replay", "source_trace": "talk.json"}
    for arguments in (("results",), ("results", "--label", "replay_in_memory")):
        ran = wt(*arguments)
        assert ran.code == 2
        assert "1 run(s) of selftests and replays are not counted" in ran.err


def test_a_definition_that_was_filtered_out_does_not_judge() -> None:
    """The pack that was asked for does not have it."""
    write_pack()
    save()
    _, sidecar = replayed(*PACK, "--pack", "tool_affordance")
    assert sidecar["origin"]["kind"] == "replay"
    _, sidecar = replayed(*PACK, "--pack", "demo")
    assert "origin" not in sidecar


def test_the_pack_that_is_named_stands_before_a_built_in() -> None:
    """And a name of two packs that are named has to be chosen."""
    save(a_trace(user("say it"), scenario_id="lookup_before_action"))
    write_pack(scenarios=[("lookup_before_action", "ok", [])])
    _, sidecar = replayed(*PACK)
    assert sidecar["scenario"]["target_facts"] == [["ok"]]
    write_pack("two.py", name="two", scenarios=[("lookup_before_action", "ok", [])])
    ran = wt("replay", *TRACE, *PACK, "--pack-source", "two.py:PACK")
    assert (ran.code, ran.out) == (2, "")
    assert "ambiguous" in ran.err


def test_it_is_said_when_the_scenario_has_other_words_today() -> None:
    """Its expectations may be about those."""
    write_pack()
    note = "its user does not say what the scenario's says today"
    save()
    assert note in wt("replay", *TRACE, *PACK).err
    save(a_trace(user("say it"), assistant("ok"), scenario_id="passes"))
    assert note not in wt("replay", *TRACE, *PACK).err


PROBED = """
from windtunnel.api import Policy, Scenario, ScenarioPack


class Probe:
    def capture(self):
        return {"desk": {"tickets": 3}}

    def reset(self):
        open("reset", "a").write("x")


PACK = ScenarioPack(
    name="demo",
    state_probe_factory=lambda scenario: Probe(),
    scenarios=[
        Scenario(name="passes", prompt="x", policies=[
            Policy("three tickets", lambda t: t.observations["desk"]["tickets"] == 3)]),
    ],
)
"""


def test_the_world_of_the_pack_is_watched() -> None:
    """The state probe is reset before and asked after, as in a sweep."""
    Path("pack.py").write_text(PROBED)
    save()
    trace, sidecar = replayed(*PACK)
    assert trace["observations"] == {"desk": {"tickets": 3}}
    assert (sidecar["verdict"], Path("reset").read_text()) == ("PASS", "x")


# --- refusals


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot load --trace 'talk.json': No such file or directory"),
        ("", "it is not JSON"),
        ("{}", "scenario_id is missing"),
        ("[]", "must be an object"),
        ('{"windtunnel_trace": 4, "turns": []}', "unsupported windtunnel_trace 4"),
    ],
)
def test_what_is_no_trace_is_refused(content: str | None, said: str) -> None:
    """Exit 2, and nothing is left behind."""
    if content is not None:
        Path("talk.json").write_text(content)
    ran = wt("replay", *TRACE)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert "Traceback" not in ran.err
    assert not Path("runs").exists()


@pytest.mark.parametrize(
    ("trace", "said"),
    [
        (a_trace(assistant("hello")), "has no user turns"),
        (a_trace(user("hi"), user(" ")), "says nothing in user turn 2"),
        (a_trace(user("hi"), scenario_id=""), "the trace cannot be played: a scenario's name"),
    ],
)
def test_a_trace_in_which_there_is_nothing_to_play_is_refused(trace: Trace, said: str) -> None:
    """Before anything is built."""
    save(trace)
    ran = wt("replay", *TRACE)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert not Path("runs").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--runtime", "in_memry"), "did you mean in_memory?"),
        (("--soul", "gone.md"), "--soul file not found: 'gone.md'"),
        (("--pack-source", "gone.py:PACK"), "could not load scenario pack source"),
        (("--runs-dir", "talk.json"), "cannot write to the runs directory 'talk.json'"),
    ],
)
def test_what_it_names_has_to_be_there(arguments: tuple[str, ...], said: str) -> None:
    """Exit 2, before anything is built or written."""
    save()
    ran = wt("replay", *TRACE, *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert not Path("runs").exists()


def test_a_score_in_place_of_its_trace_is_recognised() -> None:
    """The line below names the trace."""
    save()
    Path("talk.score.json").write_text("{}")
    ran = wt("replay", "--trace", "talk.score.json")
    assert ran.code == 2
    assert "this is the score of a run; its trace is talk.json" in ran.err


def test_nothing_that_a_trace_says_moves_the_cursor() -> None:
    """Its names are foreign text."""
    foreign = {"scenario_id": "a\x1b[2J\n::error::", "model": "m\x9b", "agent_id": "\u202e"}
    save(a_trace(*TALK.turns, **foreign))
    ran = wt("replay", *TRACE)
    assert ran.code == 0
    assert not set(ran.out + ran.err) & set("\x1b\x9b\u202e")
    assert len(ran.out.splitlines()) == 2


# --- when something goes wrong


@pytest.mark.parametrize(
    ("broken", "code", "said"),
    [
        (
            {"build": "raise RuntimeError('no port')"},
            2,
            "could not be built: RuntimeError: no port",
        ),
        (
            {"more": "def pre_run(self, *a): raise RuntimeError('no disk')"},
            1,
            "pre_run of runtime 'plugin.py:PLUGIN' failed: RuntimeError: no disk",
        ),
        (
            {"provision": "raise RuntimeError('no agent')"},
            1,
            "the trace could not be played on 'plugin.py:PLUGIN': RuntimeError: no agent",
        ),
        ({"reset": "raise OSError('stuck')"}, 1, "OSError: stuck"),
        ({"provision": "raise SystemExit(0)"}, 1, "it called exit(0)"),
        ({"provision": "{}['x']"}, 1, "KeyError: 'x'"),
    ],
)
def test_an_agent_that_does_not_come_up_saves_nothing(
    broken: dict[str, str], code: int, said: str
) -> None:
    """The cause is named; only a bug shows its stack."""
    write_pack()
    save()
    runtime = write_plugin(**broken)
    ran = wt("replay", *TRACE, *PACK, "--runtime", runtime)
    assert ran.code == code
    assert said in ran.err
    is_a_bug = any(name in said for name in ("exit(0)", "KeyError"))
    assert ("Traceback" in ran.err) == is_a_bug
    assert "replayed trace saved" not in ran.out
    assert traces() == []


def test_an_agent_that_breaks_while_it_answers_is_saved_as_it_is() -> None:
    """What happened is in the trace; it is INVALID, and the command did its work."""
    write_pack()
    save()
    runtime = write_plugin(send="raise RuntimeError('gone')")
    trace, sidecar = replayed(*PACK, "--runtime", runtime)
    assert sidecar["verdict"] == "INVALID"
    assert trace["worker_warnings"][0].startswith("runner_error: ")


def test_the_runtime_is_cleaned_up_after_and_its_failure_is_said() -> None:
    """The run is saved all the same."""
    write_pack()
    save()
    runtime = write_plugin(
        more="def post_run(self, runtime, scenarios, name):\n"
        "        open('cleaned', 'w').write(scenarios[0].name)\n"
        "        raise RuntimeError('still there')"
    )
    replayed(*PACK, "--runtime", runtime, code=1)
    assert Path("cleaned").read_text() == "passes"


def test_a_world_that_is_not_as_required_stops_it() -> None:
    """The agent is asked nothing."""
    write_pack()
    pack = Path("pack.py")
    pack.write_text(pack.read_text().replace("tags=tags", "requires_files=['gone.txt']"))
    save()
    ran = wt("replay", *TRACE, *PACK)
    assert ran.code == 1
    assert "the world is not as 'passes' requires, so nothing was played" in ran.err
    assert "gone.txt" in ran.err
    assert traces() == []


# --- the run lock


def test_it_waits_for_a_runtime_that_is_in_use_and_its_place_is_that_of_a_small_experiment(
    tmp_path: Path,
) -> None:
    """Behind a probe, before a regression; the lock names the command that holds it."""
    write_pack()
    save()
    locks = tmp_path / "locks"
    runtime = write_plugin(
        max_concurrency="1",
        more="def lock_key(self, name): return 'bench'",
        send="import pathlib; [open('held', 'w').write(p.read_text()) for p in "
        "pathlib.Path(__import__('os').environ['WT_LOCK_DIR']).glob('*.lock')]",
    )
    environment = {"WT_LOCK_DIR": str(locks)}
    asked = ("replay", *TRACE, *PACK, "--runtime", runtime)
    with LockProcess(locks, "bench") as other:
        other.until("held")
        busy = wt(*asked, "--no-wait", env=environment)
        assert busy.code == 75
        assert "runtime 'bench' is in use, held by pid" in busy.err
        assert traces() == []
        waiting = start_wt(*asked, env={**os.environ, **environment})
        until(lambda: list(locks.glob("*.queue/*.ticket")))
        (ticket,) = locks.glob("*.queue/*.ticket")
        assert ticket.name.startswith("1-")
        other.say("release")
        out, err = waiting.communicate(timeout=20)
    assert waiting.returncode == 0, err
    assert "waiting for it to finish" in err
    assert "runtime 'bench' acquired after" in err
    assert SAVED.search(out)
    holder = json.loads(Path("held").read_text())
    assert holder["pid"] == waiting.pid
    assert holder["command"] == " ".join(["wt", *asked])
    assert holder["label"] == f"replay_{runtime}"
    assert not Path("runs/events.ndjsonl").exists()


def test_a_signal_while_it_waits_leaves_the_queue(tmp_path: Path) -> None:
    """It has nothing to finish."""
    write_pack()
    save()
    locks = tmp_path / "locks"
    runtime = write_plugin(max_concurrency="1", more="def lock_key(self, name): return 'bench'")
    with LockProcess(locks, "bench") as other:
        other.until("held")
        waiting = start_wt(
            *("replay", *TRACE, *PACK, "--runtime", runtime),
            env={**os.environ, "WT_LOCK_DIR": str(locks)},
        )
        until(lambda: list(locks.glob("*.queue/*.ticket")))
        waiting.send_signal(signal.SIGTERM)
        _, err = waiting.communicate(timeout=20)
        assert waiting.returncode == 143
        assert "ended before anything was played" in err
        assert list(locks.glob("*.queue/*.ticket")) == []
    assert traces() == []


SLOW = "open('in_flight', 'w').close(); time.sleep(0.6)"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_one_signal_lets_the_run_end_and_cleans_up(number: int, code: int) -> None:
    """What was played is saved, and the runtime is given back as it was."""
    write_pack()
    save()
    runtime = write_plugin(
        send=SLOW, more="def post_run(self, *args): open('cleaned', 'w').close()"
    )
    process = start_wt("replay", *TRACE, *PACK, "--runtime", runtime)
    until(Path("in_flight").exists)
    process.send_signal(number)
    out, err = process.communicate(timeout=20)
    assert process.returncode == code
    assert "wt replay: ending after the runs in flight" in err
    assert SAVED.search(out)
    assert len(traces()) == 1
    assert Path("cleaned").exists()


def test_a_second_signal_ends_it_at_once() -> None:
    """Also when the agent never answers."""
    write_pack()
    save()
    runtime = write_plugin(send="open('in_flight', 'w').close(); time.sleep(600)")
    process = start_wt("replay", *TRACE, *PACK, "--runtime", runtime)
    until(Path("in_flight").exists)
    process.send_signal(signal.SIGINT)
    until(lambda: "ending after" in os.read(process.stderr.fileno(), 4096).decode())  # type: ignore[union-attr]
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=10)
    assert process.returncode == 130
    assert traces() == []
