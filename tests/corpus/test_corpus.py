"""Judged answers: the verdict of a person and the verdict of the scoring. README.md has the format."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from unicodedata import normalize

import pytest
from kit.traces import a_trace, assistant

from wt_git.api.scenario import NumberFact, Scenario
from wt_git.runner.scoring import score_saved

FOLDER = Path(__file__).parent
FILES = sorted(FOLDER.glob("answers*.jsonl"))
MOST_FALSE_FAILS = 0.02


def lines_of(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def scenario_of(judged):
    fields = dict(judged["scenario"])
    numbers = [
        NumberFact(one["value"], one.get("unit")) for one in fields.pop("target_numbers", [])
    ]
    return Scenario(name=judged["id"], prompt="?", target_numbers=numbers, **fields)


def verdict_of(judged):
    """The verdict on the answer, and the reason, by the scoring of saved runs."""
    trace = a_trace(turns=[assistant(judged["answer"])])
    outcome = score_saved(trace, scenario_of(judged)).outcome
    return ("PASS" if outcome.passed else "FAIL"), outcome.detail


def table(counts):
    """The confusion table of each file, and of all."""
    rows = [*counts.items(), ("all", sum(counts.values(), Counter()))]
    lines = ["", f"{'answers':32} right pass  right fail  FALSE PASS  false fail"]
    for name, count in rows:
        cells = [
            count["PASS", "PASS"],
            count["FAIL", "FAIL"],
            count["FAIL", "PASS"],
            count["PASS", "FAIL"],
        ]
        lines.append(f"{name:32}" + "".join(f"{cell:>11}" for cell in cells))
    return "\n".join(lines)


def test_the_scoring_agrees_with_a_person(capsys):
    """No answer that a person fails passes, and few that a person passes fail: each has its argument."""
    argued = {
        one["id"] for one in lines_of(FOLDER / "false_fails.jsonl") if one["argument"].strip()
    }
    counts, wrong = {}, {}
    for path in FILES:
        counts[path.name] = Counter()
        for judged in lines_of(path):
            verdict, detail = verdict_of(judged)
            counts[path.name][judged["verdict"], verdict] += 1
            if verdict != judged["verdict"]:
                wrong[judged["id"]] = (
                    f"{judged['id']}: {judged['verdict']} by a person, {verdict}: {detail}"
                )
    with capsys.disabled():
        print(table(counts))
    every = sum(counts.values(), Counter())
    unargued = [said for name, said in wrong.items() if name not in argued]
    assert not unargued, "\n".join(unargued)
    assert argued <= set(wrong), f"no longer wrong: {sorted(argued - set(wrong))}"
    assert every["FAIL", "PASS"] == 0
    assert every["PASS", "FAIL"] <= MOST_FALSE_FAILS * (
        every["PASS", "FAIL"] + every["PASS", "PASS"]
    )


def test_the_corpus_is_wide(subtests):
    """Ids are unique; verdicts, languages and lines are enough to mean something."""
    every = [judged for path in FILES for judged in lines_of(path)]
    assert len({judged["id"] for judged in every}) == len(every) >= 260
    assert len({judged["lang"] for judged in every}) >= 12
    assert {judged["verdict"] for judged in every} == {"PASS", "FAIL"}
    for judged in every:
        with subtests.test(id=judged["id"]):
            assert judged["reason"].strip()


SET_IN_TYPE = (
    lambda text: text.replace("'", "\N{RIGHT SINGLE QUOTATION MARK}"),
    lambda text: normalize("NFD", text),
    lambda text: text.replace(" ", "\N{NO-BREAK SPACE}"),
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_typography_changes_no_verdict(path):
    """Every answer of the corpus, with the spaces, apostrophes and composition of a typesetter."""
    changed = [
        judged["id"]
        for judged in lines_of(path)
        for set_in_type in SET_IN_TYPE
        if verdict_of({**judged, "answer": set_in_type(judged["answer"])})[0]
        != verdict_of(judged)[0]
    ]
    assert not changed
