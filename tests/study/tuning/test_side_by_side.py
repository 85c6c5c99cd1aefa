"""A tuning on several nodes: what may run at once, and what waits for the trials that run."""

from dataclasses import replace
from pathlib import Path

import pytest

from loadrig.study.space import key
from loadrig.study.strategies import tune
from loadrig.study.trials import done
from loadrig.study.tuning.tunes import Tunes
from loadrig.trial.spec import TrialSpec
from tests.study.fakes import FakeServers, cores, plan

from .test_stages import SPACE, more


def begun(seed: int = 1) -> Tunes:
    strategy = tune.strategy(plan(*SPACE, strategy="tune", seed=seed), tune.Options())
    assert isinstance(strategy, Tunes)
    return strategy


@pytest.mark.parametrize("count", [1, 3])
def test_a_tuning_on_several_nodes_ends_and_confirms_the_best(count: int) -> None:
    strategy, servers = begun(), FakeServers(cores(4), more=more)
    running: dict[int, TrialSpec] = {}
    index, most = 0, 0
    stages: list[tuple[str, bool]] = []
    while True:
        # Each node has a block of its own, and what ends first is what began first.
        for block, specs in strategy.ahead(list(running.values())).items():
            if len(running) < count and block not in running:
                index += 1
                running[block] = replace(specs[0], index=index)
        if not running:
            break
        most = max(most, len(running))
        ground = strategy.ground
        assert len({ground.stage_of(block) for block in running}) == 1
        searched = [key(spec.setting) for spec in running.values() if not spec.is_base]
        if ground.stage_of(next(iter(running))) == "search":
            assert len({*searched}) == len(searched)
        block = next(iter(running))
        spec = running.pop(block)
        stages.append((str(ground.stage_of(block)), spec.is_base))
        strategy.tell(done(spec, servers(spec), 30.0, Path()))
    assert most == count
    answer = strategy.answer()
    assert answer.setting is not None
    assert servers.truth(answer.setting) == 400.0
    ground = strategy.ground
    assert sum(stage == "search" and not is_base for stage, is_base in stages) <= ground.sizes.search
    assert sum(stage == "search" and is_base for stage, is_base in stages) <= ground.blocks["search"]


def test_one_after_the_other_the_first_block_ahead_is_what_is_asked() -> None:
    strategy, servers = begun(), FakeServers(cores(4), more=more)
    while asked := strategy.ask():
        assert next(iter(strategy.ahead(()).values())) == asked
        strategy.tell(done(asked[0], servers(asked[0]), 30.0, Path()))
