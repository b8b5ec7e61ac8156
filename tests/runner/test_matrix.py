"""The sampling matrix: one batch per cell."""

from __future__ import annotations

from kit.agents import RecordingRuntime, RecordingToolServer

from wt_git.api.scenario import Scenario
from wt_git.runner.batch import run_matrix
from wt_git.spi import AgentConfig, ModelSpec, SamplingConfig

SCENARIO = Scenario("a", "hi")


def test_each_variant_is_a_batch_of_its_own_with_its_own_label():
    """The base is cloned, never changed; the sampling lands in the traces."""
    base = AgentConfig("me", "base", model=ModelSpec("m"))
    runtime = RecordingRuntime()
    variants = [("cold", SamplingConfig(temperature=0.0)), ("hot", SamplingConfig(temperature=1.5))]
    server = RecordingToolServer()
    results = run_matrix(
        SCENARIO,
        runtime,
        [server],
        base_config=base,
        sampling_variants=variants,
        runs_per_cell=2,
    )
    assert list(results) == ["cold", "hot"]
    assert [config.variant_id for config in runtime.configs] == ["base__cold", "base__hot"]
    assert [run.trace.sampler for run in results["hot"].runs] == [{"temperature": 1.5}] * 2
    assert all(config.model is base.model for config in runtime.configs)
    assert base == AgentConfig("me", "base", model=ModelSpec("m"))
    assert server.log.count("start tools") == server.log.count("stop tools") == 2


def test_without_variants_there_is_one_default_cell():
    """With the base's own sampling."""
    runtime = RecordingRuntime()
    sampling = SamplingConfig(top_p=0.5)
    results = run_matrix(SCENARIO, runtime, base_config=AgentConfig(sampling=sampling))
    assert list(results) == ["default"]
    assert runtime.configs[0].variant_id == "default__default"
    assert runtime.configs[0].sampling is sampling


def test_a_base_without_a_label_gives_the_cell_its_own():
    """No separator stands in front of nothing."""
    runtime = RecordingRuntime()
    run_matrix(SCENARIO, runtime, base_config=AgentConfig(variant_id=""))
    assert runtime.configs[0].variant_id == "default"


def test_a_repeated_label_keeps_the_later_cell():
    """Both are flown."""
    runtime = RecordingRuntime()
    variants = [("x", SamplingConfig(temperature=0.0)), ("x", SamplingConfig(temperature=1.0))]
    results = run_matrix(SCENARIO, runtime, sampling_variants=variants)
    assert [config.sampling.temperature for config in runtime.configs] == [0.0, 1.0]
    assert results["x"].runs[0].trace.sampler == {"temperature": 1.0}
