"""Where traces are stored: one folder per identity, and never outside of the base."""

from __future__ import annotations

import os
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.traces import a_trace, texts

from wt_git.api.trace import is_trace_json_path, storage_path


def test_a_trace_is_stored_under_its_identity(tmp_path):
    """Scenario, agent, label, model and quantisation are folders; time and id the name."""
    assert storage_path(a_trace(), tmp_path) == (
        tmp_path / "lookup_order/agent/baseline/some-model/q4/20260102T120000123456Z_abcd1234.json"
    )


def test_nothing_is_created(tmp_path):
    """Asking for the place does not make it."""
    storage_path(a_trace(), tmp_path / "runs")
    assert list(tmp_path.iterdir()) == []


def test_the_default_base_is_runs_in_the_working_directory(tmp_path, monkeypatch):
    """The path is relative, so it follows the working directory."""
    monkeypatch.chdir(tmp_path)
    path = storage_path(a_trace())
    assert path.parts[:2] == ("runs", "lookup_order")
    assert storage_path(a_trace(), "elsewhere").parts[0] == "elsewhere"


@pytest.mark.parametrize(
    ("text", "folder"),
    [
        ("a/b c", "a_b_c"),
        ("org/m:1+2", "org_m_1_2"),
        ("größe-1.5_x", "größe-1.5_x"),
        ("", "_"),
        (".", "_"),
        ("..", "__"),
        ("...", "..."),
        ("../..", ".._.."),
        ("a\\b\0c\nd", "a_b_c_d"),
        ("\ud800", "_"),
        ("😀", "_"),
    ],
)
@pytest.mark.parametrize("field", ["scenario_id", "agent_id", "variant_id", "model", "quant"])
def test_folders_are_made_safe(tmp_path, field, text, folder):
    """Letters, digits, `-`, `.` and `_` stay; the rest becomes `_`, and so do ways up."""
    path = storage_path(a_trace(**{field: text}), tmp_path)
    position = ["scenario_id", "agent_id", "variant_id", "model", "quant"].index(field)
    assert path.relative_to(tmp_path).parts[position] == folder


@pytest.mark.parametrize(
    ("run_id", "part"),
    [
        ("../../etc/passwd", "______et"),
        ("a.b.c.d.", "a_b_c_d_"),
        ("", "_"),
        ("..", "__"),
        ("short", "short"),
        ("1234567890", "12345678"),
    ],
)
def test_the_part_of_the_id_is_made_safe(tmp_path, run_id, part):
    """It loses its dots as well, since a trace's name has only one."""
    path = storage_path(a_trace(run_id=run_id), tmp_path)
    assert path.name == f"20260102T120000123456Z_{part}.json"


def test_times_are_written_in_utc(tmp_path, monkeypatch):
    """A naive time is UTC already, wherever the machine stands."""
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        moment = datetime(2026, 1, 2, 3, 4, 5)  # noqa: DTZ001 - naive on purpose
        naive = storage_path(a_trace(started_at=moment), tmp_path)
    finally:
        monkeypatch.undo()
        time.tzset()
    assert naive.name.startswith("20260102T030405000000Z_")
    east = datetime(2026, 1, 2, 3, 4, 5, 7, tzinfo=timezone(timedelta(hours=5)))
    zoned = storage_path(a_trace(started_at=east), tmp_path)
    assert zoned.name.startswith("20260101T220405000007Z_")


@given(parts=st.lists(texts(), min_size=6, max_size=6))
def test_no_identity_leads_out_of_the_base(parts):
    """Whatever an agent calls itself, its trace is a trace and lies six levels below."""
    names = ("scenario_id", "agent_id", "variant_id", "model", "quant", "run_id")
    path = storage_path(a_trace(**dict(zip(names, parts, strict=True))), "/base")
    assert len(path.parts) == len(Path("/base").parts) + 6
    assert Path(os.path.normpath(path)) == path
    assert is_trace_json_path(path)


def test_a_link_that_leads_out_is_refused(tmp_path):
    """A folder of the base may itself be a link; then nothing is stored through it."""
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "lookup_order").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ValueError, match="leads out"):
        storage_path(a_trace(), tmp_path / "runs")


def test_a_base_that_is_a_link_is_fine(tmp_path):
    """The base is where the user says it is."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert storage_path(a_trace(), tmp_path / "link").is_relative_to(tmp_path / "link")


def test_a_relative_base_is_judged_where_one_stands(tmp_path, monkeypatch):
    """The same relative base may be sound in one working directory and not in another."""
    (tmp_path / "good").mkdir()
    (tmp_path / "bad" / "runs").mkdir(parents=True)
    (tmp_path / "bad" / "runs" / "lookup_order").symlink_to(tmp_path)
    monkeypatch.chdir(tmp_path / "good")
    storage_path(a_trace())
    monkeypatch.chdir(tmp_path / "bad")
    with pytest.raises(ValueError, match="leads out"):
        storage_path(a_trace())
