"""Caches of a plan: read in both forms, and handed to the generator where there are any."""

import pytest

from loadrig.base.errors import PlanError
from loadrig.base.running import Address
from loadrig.engine.compile import compile_config
from loadrig.engine.config import Json
from loadrig.plan.explain import sentences
from loadrig.plan.load import read

PLAN = (
    "loadrig: 1\ntarget: {{external: http://127.0.0.1:1}}\nworkload: {{users: 1, {}requests: [{{get: /}}]}}\n"
)


def compiled(cache: str) -> Json:
    plan = read(PLAN.format(cache), "plan.yaml")
    return compile_config(plan, Address("127.0.0.1", 1), seed=1, cpus=(), frame_s=1.0).plain()


@pytest.mark.parametrize(
    ("written", "cache"),
    [
        ("reuse", {"fresh": "reuse", "lasts": "user", "entries": 5000}),
        ("validate", {"fresh": "validate", "lasts": "user", "entries": 5000}),
        ("{lasts: loop}", {"fresh": "reuse", "lasts": "loop", "entries": 5000}),
        ("{entries: 2k}", {"fresh": "reuse", "lasts": "user", "entries": 2000}),
    ],
)
def test_the_generator_is_told_of_the_cache(written: str, cache: Json) -> None:
    assert compiled(f"cache: {written}, ")["cache"] == cache


def test_a_load_without_a_cache_is_what_it_was() -> None:
    assert "cache" not in compiled("")


@pytest.mark.parametrize("written", ["maybe", "{entries: 0}", "{lasts: day}", "{size: 3}"])
def test_what_is_no_cache_is_refused_at_its_place(written: str) -> None:
    with pytest.raises(PlanError) as error:
        read(PLAN.format(f"cache: {written}, "), "plan.yaml")
    assert all(problem.where is not None for problem in error.value.problems)


def test_a_plan_with_a_cache_says_one_sentence_more() -> None:
    plain, cached = (read(PLAN.format(text), "plan.yaml") for text in ("", "cache: reuse, "))
    assert len(sentences(cached)) == len(sentences(plain)) + 1
