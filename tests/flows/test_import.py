"""`wt import` as a stranger meets it: import, run what it says, review, run again."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from kit.commands import WT, ledger, traces, wt
from kit.conversations import call, envelope, message, response, said, write_envelope

FILES = ["IMPORTED.md", "fixture.universe.json", "scenario.py", "scorer.py"]
PLACEHOLDER = "TODO_REPLACE_WITH_REVIEWED_OUTCOME_FACT"
AGENT = '''
"""An agent that looks orders up with the tools it is given and says what it found."""

import asyncio
import json

from mcp import Client


async def call(url, client):
    async with Client(url) as connection:
        answer = await connection.call_tool("order_query", {"client": client})
        return json.loads(answer.content[0].text)


class Handle:
    def __init__(self, mcps):
        self.url = mcps[0].url

    def send(self, messages, session_id):
        found = asyncio.run(call(self.url, messages[-1]["content"].split()[-1]))
        content = f"There are {found.get('open')} open orders."
        return {"choices": [{"message": {"role": "assistant", "content": content}}]}

    def reset_state(self):
        pass

    def teardown(self):
        pass


class Runtime:
    accepts_runner_managed_mcps = True

    def provision(self, config, mcps=None):
        return Handle(mcps)


class Plugin:
    def build(self, runtime_name, label, soul_path):
        return Runtime()


PLUGIN = Plugin()
'''


def conversation(*, client="ACC-LSPN-001", **sections):
    """A conversation that the agent above can have again."""
    return envelope(
        said("user", "How many open orders are there of ACC-LSPN-001"),
        message("assistant", call("c1", "order_query", client=client)),
        message("tool", response("c1", {"open": 75})),
        said("assistant", "There are 75 open orders."),
        **sections,
    )


def import_it(*options, document=None, out="imported"):
    """Import a document; the default is the conversation above."""
    trace = write_envelope(conversation() if document is None else document)
    return wt("import", "--trace", trace, "--out", out, *options)


def printed_command(text):
    """The `wt run` in what was printed or written."""
    found = re.search(r"^ +wt (run .*)$", text, re.MULTILINE)
    assert found is not None
    return shlex.split(found[1])


def with_agent(command):
    """A command, with the runtime that it says to add."""
    Path("agent.py").write_text(AGENT)
    return [command[0], "--runtime", "agent.py:PLUGIN", *command[1:]]


def names(folder):
    """What is in a folder."""
    return sorted(path.name for path in Path(folder).iterdir())


def review():
    """Do what the note asks for."""
    scenario = Path("imported/scenario.py")
    text = scenario.read_text("utf-8").replace(f'"{PLACEHOLDER}"', '"75"')
    scenario.write_text(text.replace("# must_call", "must_call"), "utf-8")


def test_an_import_is_run_and_fails_until_it_is_reviewed():
    """The agent repeats the recorded call, and the recorded answer comes back to it."""
    ran = import_it()
    assert (ran.code, ran.out) == (0, "")
    assert "wt import: wrote: imported\n" in ran.err
    command = printed_command(ran.err)
    assert printed_command(Path("imported/IMPORTED.md").read_text("utf-8")) == command
    unreviewed = wt(*with_agent(command))
    assert unreviewed.code == 1
    assert PLACEHOLDER in unreviewed.out + traces()[0].with_suffix(".score.json").read_text()
    (saved,) = [json.loads(path.read_text("utf-8")) for path in traces()]
    (made,) = saved["mcp_calls"]
    assert (made["tool_name"], made["result"]) == ("order_query", {"open": 75})
    assert saved["turns"][-1]["content"] == "There are 75 open orders."
    review()
    assert wt(*with_agent(command)).code == 0
    assert [row["verdict"] for row in ledger()] == ["FAIL", "PASS"]
    assert {(row["pack"], row["scenario_id"]) for row in ledger()} == {("imported", "imported")}


def test_a_call_that_was_not_recorded_is_a_recorded_miss():
    """The answer that the agent gets says so, and the run shows where it left the recording."""
    import_it(document=conversation(client="ACC-PORT-001"))
    review()
    ran = wt("run", *with_agent(["--pack-source=imported/scenario.py:PACK"]))
    assert ran.code == 1
    missed = "universe_divergence: tool=order_query policy=fail_call"
    assert f"wt run: warning: imported: {missed}\n" in ran.err
    (saved,) = [json.loads(path.read_text("utf-8")) for path in traces()]
    assert saved["mcp_calls"][0]["result"]["error"] == "no_recorded_result"
    assert [one for one in saved["worker_warnings"] if one.startswith("universe_divergence")] == [
        "universe_divergence: tool=order_query policy=fail_call"
    ]


def test_the_built_in_runtime_runs_an_import_too():
    """It answers ok to everything, without tools: enough to see that the folder loads."""
    ran = wt(*printed_command(import_it(out="it's a $folder").err))
    assert ran.code == 1
    assert "it_s_a_folder" in ran.out
    assert "FAIL" in ran.out


def test_force_replaces_the_four_files_and_leaves_others():
    """Without it, an import that somebody has reviewed is safe."""
    import_it()
    before = Path("imported/scenario.py").read_bytes()
    Path("imported/scenario.py").write_text("reviewed")
    Path("imported/notes.txt").write_text("mine")
    refused = import_it()
    assert refused.code == 2
    assert "not empty" in refused.err
    assert Path("imported/scenario.py").read_text() == "reviewed"
    assert import_it("--force").code == 0
    assert Path("imported/scenario.py").read_bytes() == before
    assert Path("imported/notes.txt").read_text() == "mine"
    assert names("imported") == sorted([*FILES, "notes.txt"])


def test_an_empty_folder_is_as_good_as_none():
    """Somebody made it for this."""
    Path("imported").mkdir()
    assert import_it().code == 0
    assert names("imported") == FILES


NO_TOOLS_TWICE = conversation(tool_definitions=[{"name": "a"}, {"name": "a"}])


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ({}, "talk.wtin.json: windtunnel_interchange must be a positive integer"),
        (conversation() | {"windtunnel_interchange": 2}, "unsupported windtunnel_interchange 2"),
        (envelope(message("user", {"type": "image"})), "messages[0].parts[0].type must be one of"),
        (NO_TOOLS_TWICE, "talk.wtin.json: its tools cannot be served: tools[1].name"),
    ],
    ids=["no envelope", "newer", "unknown part", "universe"],
)
def test_a_document_that_cannot_be_imported_makes_nothing(document, told):
    """The place in it is named."""
    ran = import_it(document=document, out="a/imported")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("wt import: ")
    assert told in ran.err
    assert ran.err.count("\n") == 1
    assert names(".") == ["talk.wtin.json"]


def test_what_is_no_json_is_refused_in_one_line():
    """Whatever its bytes are."""
    for data in (b"", b"\xff\x00", b"[" * 200_000):
        Path("x").write_bytes(data)
        ran = wt("import", "--trace", "x", "--out", "imported")
        assert ran.code == 2
        assert "x: invalid JSON: " in ran.err
        assert ran.err.count("\n") == 1
        assert not Path("imported").exists()


def test_a_missing_trace_is_refused():
    """A folder is none either."""
    Path("folder").mkdir()
    for name in ("nothing.json", "folder"):
        ran = wt("import", "--trace", name, "--out", "imported")
        assert (ran.code, ran.err) == (2, f"wt import: file not found: '{name}'\n")
    assert names(".") == ["folder"]


@pytest.mark.parametrize("kind", ["file", "dangling link"])
def test_what_is_no_folder_stays_as_it_is(kind):
    """With --force too."""
    if kind == "file":
        Path("imported").write_text("mine")
    else:
        Path("imported").symlink_to("nowhere")
    for options in ([], ["--force"]):
        ran = import_it(*options)
        assert (ran.code, ran.out) == (2, "")
        assert "--out 'imported' exists and is not a folder" in ran.err
    assert not Path("nowhere").exists()


def test_a_folder_that_cannot_be_written_is_refused():
    """With the reason, and nothing is left behind."""
    ran = import_it(out=f"a/{'n' * 300}")
    assert (ran.code, ran.out) == (2, "")
    assert "cannot be written: File name too long" in ran.err
    assert not Path("a").exists()
    Path("parent").write_text("a file")
    ran = import_it(out="parent/imported")
    assert ran.code == 2
    assert "cannot be written: Not a directory" in ran.err


def test_what_was_written_before_the_disk_was_full_is_taken_away_again():
    """A limit on the size of files fails in the middle, as a full disk does."""
    write_envelope(envelope(said("user", "a long question " * 2000)))
    command = f"ulimit -f 16; {' '.join(WT)} import --trace talk.wtin.json --out a/imported"
    done = subprocess.run(["bash", "-c", command], check=False, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == "wt import: --out 'a/imported' cannot be written: File too large\n"
    assert names(".") == ["talk.wtin.json"]


def test_a_folder_in_the_place_of_a_file_is_refused():
    """Nothing is replaced then."""
    import_it()
    Path("imported/scorer.py").unlink()
    Path("imported/scorer.py").mkdir()
    Path("imported/scenario.py").write_text("reviewed")
    ran = import_it("--force")
    assert ran.code == 2
    assert "'imported/scorer.py'" in ran.err
    assert Path("imported/scenario.py").read_text() == "reviewed"


def test_options_are_required():
    """Usage, exit 2."""
    for arguments in ([], ["--trace", "x"], ["--out", "x"]):
        ran = wt("import", *arguments)
        assert ran.code == 2
        assert "Missing option" in ran.err


def test_names_cannot_move_the_cursor():
    """What is printed about a file was named by somebody else."""
    odd = "\x1b[2J\nwt import: wrote: fake"
    Path("talk.wtin.json").write_text(json.dumps(conversation()))
    ran = wt("import", "--trace", "talk.wtin.json", "--out", odd)
    assert ran.code == 0
    assert "\x1b" not in ran.err
    assert [line for line in ran.err.split("\n") if line.startswith("wt import: wrote")] == [
        "wt import: wrote: \\x1b[2J\\nwt import: wrote: fake"
    ]
    ran = wt("import", "--trace", f"{odd}.json", "--out", "x")
    assert "\x1b" not in ran.err
    assert ran.err.count("\n") == 1
