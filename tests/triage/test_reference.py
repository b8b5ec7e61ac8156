"""How often the rules agree with people: twelve failed runs with their labels, in reference/."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
import tomli

from wt_git.api.score import score_from_dict
from wt_git.api.trace import load_trace
from wt_git.records.runs.scored_scenario import scored_scenario
from wt_git.triage import RuleBasedClassifier

HERE = Path(__file__).parent / "reference"
LABELS = tomli.loads((HERE / "labels.toml").read_text("utf-8"))
HIGH = 0.9


def classified(name):
    trace = load_trace(HERE / f"{name}.json")
    sidecar = json.loads((HERE / f"{name}.score.json").read_text("utf-8"))
    scenario = scored_scenario(sidecar["scenario"], trace)
    return RuleBasedClassifier().classify(scenario, trace, score_from_dict(sidecar))


@pytest.fixture(scope="module")
def answers():
    """What the rules say of each run."""
    return {name: classified(name) for name in LABELS}


def test_the_set_is_what_it_is_said_to_be():
    """Twelve failed runs that are valid, of eight categories; each says why it has its label."""
    assert {path.name for path in HERE.glob("*.score.json")} == {f"{n}.score.json" for n in LABELS}
    for name in LABELS:
        sidecar = json.loads((HERE / f"{name}.score.json").read_text("utf-8"))
        assert sidecar["verdict"] == "FAIL"
        assert LABELS[name]["why"]
    assert Counter(label["category"] for label in LABELS.values()) == {
        "tool_affordance": 2,
        "clarification": 2,
        "side_effect_safety_violation": 2,
        "template_corruption": 2,
        "policy": 1,
        "memory": 1,
        "recovery": 1,
        "sampler_variance": 1,
    }


def test_the_rules_agree_with_people(answers):
    """In four of five runs at least."""
    agreed = [name for name in LABELS if answers[name].category == LABELS[name]["category"]]
    assert len(agreed) / len(LABELS) >= 0.8, set(LABELS) - set(agreed)


def test_confidence_means_something(answers):
    """High-confidence answers agree no less often than others; and there are others."""

    def agreement(names):
        return sum(answers[n].category == LABELS[n]["category"] for n in names) / len(names)

    high = [name for name in LABELS if answers[name].confidence >= HIGH]
    low = [name for name in LABELS if name not in high]
    assert agreement(high) >= agreement(low)
