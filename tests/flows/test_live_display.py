"""On a terminal a sweep shows what it is doing; in a pipe it does not."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import time
from pathlib import Path

from kit.commands import WT, write_pack, write_plugin, wt

SCENARIOS = [("first", "ok", []), ("second", "ok", []), ("third", "no", [])]
USAGE = "return {'content': 'ok', 'usage': {'input_tokens': 1200, 'output_tokens': 34}}"


def _on_a_terminal(*arguments: str, stdout_too: bool = True, **env: str) -> tuple[int, str, str]:
    """Run `wt` with stderr (and stdout) on a terminal; return its code, the screen and stdout."""
    controller, terminal = pty.openpty()
    process = subprocess.Popen(
        [*WT, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=terminal if stdout_too else subprocess.PIPE,
        stderr=terminal,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120", "LINES": "30", **env},
    )
    os.close(terminal)
    screen = b""
    limit = time.monotonic() + 60
    while time.monotonic() < limit:
        ready, _, _ = select.select([controller], [], [], 0.1)
        if ready:
            try:
                chunk = os.read(controller, 65536)
            except OSError:
                break
            if not chunk:
                break
            screen += chunk
        elif process.poll() is not None:
            break
    os.close(controller)
    out, _ = process.communicate(timeout=10)
    return process.returncode, screen.decode(), (out or b"").decode()


def _shown(screen: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen)


def test_a_terminal_sees_what_runs_how_far_it_is_and_what_it_used() -> None:
    """Scenario and run, runs done of all, elapsed and remaining time, tokens so far."""
    write_pack(scenarios=SCENARIOS)
    write_plugin(send=f"time.sleep(0.3); {USAGE}")
    code, screen, _ = _on_a_terminal(
        *("run", "--pack-source", "pack.py:PACK", "--runtime", "plugin.py:PLUGIN", "--runs", "2")
    )
    shown = _shown(screen)
    assert code == 1
    assert "first run 1/2 · 0/6 runs · 0:00" in shown
    assert "second run 2/2 · 3/6 runs" in shown
    assert re.search(r"about 0:0[01] left", shown)
    assert "3,600 in / 102 out tokens" in shown
    for line in ("  PASS    first ", "  PASS    second ", "  FAIL    third "):
        assert line in shown
    assert "wt run: third: 2 of 2 run(s) did not pass" in shown


def test_verdicts_go_to_stdout_also_while_a_live_line_is_shown() -> None:
    """`wt run > verdicts` keeps data and talk apart."""
    write_pack(scenarios=SCENARIOS)
    code, screen, out = _on_a_terminal("run", "--pack-source", "pack.py:PACK", stdout_too=False)
    assert code == 1
    assert [line.split()[:2] for line in out.splitlines()] == [
        ["PASS", "first"],
        ["PASS", "second"],
        ["FAIL", "third"],
    ]
    assert "\x1b" not in out
    assert "  PASS " not in _shown(screen)


def test_several_scenarios_in_flight_share_the_line() -> None:
    """The first two by name, the others counted."""
    write_pack(scenarios=[(f"s{n}", "ok", []) for n in range(4)])
    write_plugin(send="time.sleep(0.6)")
    _, screen, _ = _on_a_terminal(
        *("run", "--pack-source", "pack.py:PACK", "--runtime", "plugin.py:PLUGIN"),
        *("--scheduler", "concurrent", "--max-concurrency", "4"),
    )
    assert re.search(r"s\d run 1/1, s\d run 1/1 and 2 more", _shown(screen))


def test_a_pipe_gets_plain_lines() -> None:
    """No escape sequence, no carriage return."""
    source = write_pack(scenarios=SCENARIOS)
    ran = wt("run", "--pack-source", source)
    assert not set("\x1b\r") & set(ran.out + ran.err)


def test_no_color_is_honoured() -> None:
    """Also by the live line."""
    write_pack(scenarios=SCENARIOS)
    _, screen, _ = _on_a_terminal("run", "--pack-source", "pack.py:PACK", NO_COLOR="1")
    assert not re.search(r"\x1b\[[0-9;]*m", screen.replace("\x1b[0m", "").replace("\x1b[m", ""))


def test_a_scenario_name_cannot_draw_on_the_terminal() -> None:
    """Escape sequences in a name are shown, not obeyed."""
    Path("pack.py").write_text(
        "from windtunnel.api import Scenario, ScenarioPack\n"
        "PACK = ScenarioPack('p', [Scenario('s\\x1b[2J\\x07', 's', [['no\\x1b[31m']])])\n"
    )
    _, screen, _ = _on_a_terminal("run", "--pack-source", "pack.py:PACK")
    assert "\x1b[2J" not in screen
    assert "\x07" not in screen
    assert "s\\x1b[2J\\x07" in _shown(screen)
