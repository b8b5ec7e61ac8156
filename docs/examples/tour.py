"""See Wind Tunnel work: five scenarios against the example agent, driven in two ways.

Exits 0 when the verdicts are the expected ones: hours_on_saturday fails, because the agent has a bug
planted for the tutorial (docs/getting-started.md), and the others pass. After you have mended it,
`--mended` expects them all to pass.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "agent"))
from child import Child

ROOT = Path(__file__).resolve().parents[2]
PLANTED = "hours_on_saturday"
SCENARIOS = (
    "hours_on_tuesday",
    PLANTED,
    "shelf_then_copies",
    "renew_a_loan",
    "ask_before_renewing",
)
PACK = "docs/examples/agent/pack.py:PACK"
PLUGIN = "docs/examples/agent/plugin.py:PLUGIN"


def main() -> int:
    """Run the tour and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mended", action="store_true", help="expect every scenario to pass")
    mended = parser.parse_args().mended
    os.chdir(ROOT)
    for name in [name for name in os.environ if name.startswith("AGENT_")]:
        del os.environ[name]  # the tour is about the rules, whatever your shell has set
    runs = _new_folder(Path("runs/tour"))

    say("The example agent is the desk of a town library. It answers questions with four tools.")
    say(
        "",
        "1. The agent as an HTTP endpoint. Its tools are its own; what it called, it says itself.",
    )
    agent = Child()
    try:
        os.environ["WT_INJECT_URL"] = agent.url
        endpoint = fly("http_inject", runs / "endpoint")
    finally:
        agent.stop()
    say("", "2. The agent started by a plugin, with tools of the bench, which see every call.")
    plugin = fly(PLUGIN, runs / "plugin")
    return report(endpoint, plugin, runs, mended=mended)


def fly(runtime: str, runs: Path) -> dict[str, str]:
    """Run the pack on `runtime` and return the verdict of each scenario."""
    out = runs / "verdicts.json"
    shown = f"wt run --runtime {runtime} --pack-source {PACK} --runs-dir {runs}"
    say("", f"$ {shown}")
    command = [sys.executable, "-m", "wt_git", *shown.split()[1:]]
    ended = subprocess.run([*command, "--format", "json", "--out", str(out)], check=False)
    if not out.exists():
        raise SystemExit(f"wt run ended with {ended.returncode} and without verdicts")
    return {row["scenario_id"]: row["verdict"] for row in json.loads(out.read_text("utf-8"))}


def report(endpoint: dict[str, str], plugin: dict[str, str], runs: Path, *, mended: bool) -> int:
    """Say what the verdicts mean, and return 0 when they are the expected ones."""
    expected = dict.fromkeys(SCENARIOS, "PASS")
    if not mended:
        expected[PLANTED] = "FAIL"
    say("", f"{'':24}{'endpoint':12}{'plugin':12}expected")
    for name in dict.fromkeys((*SCENARIOS, *endpoint, *plugin)):
        row = (endpoint.get(name, "-"), plugin.get(name, "-"), expected.get(name, "-"))
        say(f"  {name:22}{row[0]:12}{row[1]:12}{row[2]}")
    if not endpoint == plugin == expected:
        say("", "These are not the verdicts that this tour expects.")
        if set(endpoint.values()) == set(plugin.values()) == {"PASS"}:
            say("If you have mended the rule: well done! Then it is `tour.py --mended`.")
        return 1
    say("", "As expected.")
    if not mended:
        explain(runs / "plugin")
    return 0


def explain(runs: Path) -> None:
    """Tell why the planted bug is one, from the trace of its run."""
    path = next(path for path in runs.glob(f"{PLANTED}/**/*.json") if ".score" not in path.name)
    trace = json.loads(path.read_text("utf-8"))
    asked, answered = trace["turns"]
    looked_up = ", ".join(call["tool_name"] for call in trace["mcp_calls"]) or "nothing"
    say("", f"Look at {PLANTED}:")
    say(f"  asked:     {asked['content']}")
    say(f"  answered:  {answered['content']}")
    say(f"  looked up: {looked_up}")
    say(
        "The answer is right, today. But the agent did not look, so it is a guess: that is the bug."
    )
    say("docs/getting-started.md shows how to read this from the files, mend it, and see it pass.")


def say(*lines: str) -> None:
    """Print at once, so that lines stay in order with those of the commands."""
    print(*lines, sep="\n", flush=True)


def _new_folder(parent: Path) -> Path:
    """Make the first free of parent/1, parent/2, ...: every tour begins without a past."""
    number = 1
    while (parent / str(number)).exists():
        number += 1
    (parent / str(number)).mkdir(parents=True)
    return parent / str(number)


if __name__ == "__main__":
    sys.exit(main())
