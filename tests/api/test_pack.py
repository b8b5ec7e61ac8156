"""Packs hold scenarios and their wiring."""

from __future__ import annotations

from wt_git.api.pack import ScenarioPack
from wt_git.api.scenario import Scenario


def test_a_name_is_enough_for_a_pack():
    """Nothing else is needed, and no two packs share a default."""
    pack = ScenarioPack("invoices")
    assert pack == ScenarioPack("invoices", [], None, None, False, None, {})
    pack.scenarios.append(Scenario("a", "b"))
    pack.metadata["team"] = "billing"
    assert ScenarioPack("invoices") == ScenarioPack("invoices", [], None, None, False, None, {})


def test_a_factory_may_be_installed_later():
    """A runtime plugin that starts the fixture sets it on the pack before the first run."""
    pack = ScenarioPack("invoices")
    pack.state_probe_factory = lambda scenario: None
    assert pack.state_probe_factory(Scenario("a", "b")) is None
