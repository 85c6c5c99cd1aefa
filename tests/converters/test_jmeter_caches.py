"""Cache managers of JMeter are the cache that each user of a plan has."""

from pathlib import Path

import pytest

from loadrig.base.units import Count
from loadrig.converters import convert_files
from loadrig.converters._jmx_groups import TEXTS
from loadrig.plan.load import load
from loadrig.plan.model import DEFAULT_ENTRIES, MOST_ENTRIES, Cache
from tests.converters.jmx import JMETER, converted, document, element, group, sampler


def caches(enabled: str = "true", **properties: str) -> str:
    by_thread = properties.pop("by_thread", None)
    names = {"CacheManager__controlledByThread": by_thread} if by_thread else {}
    return element("CacheManager", "cache", enabled=enabled, **properties, **names)


def cache_of(fresh: str = "validate", lasts: str = "user", entries: int = DEFAULT_ENTRIES) -> Cache:
    return Cache(fresh=fresh, lasts=lasts, entries=Count(entries))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("properties", "same_user", "cache"),
    [
        ({}, "true", cache_of()),
        ({"useExpires": "true"}, "true", cache_of("reuse")),
        ({"useExpires": "true", "maxSize": "20"}, "true", cache_of("reuse", entries=20)),
        ({"maxSize": "999999999"}, "true", cache_of(entries=MOST_ENTRIES)),
        ({"clearEachIteration": "true"}, "true", cache_of(lasts="loop")),
        ({"clearEachIteration": "true"}, "false", cache_of(lasts="loop")),
        ({"clearEachIteration": "true", "by_thread": "true"}, "true", cache_of()),
        ({"by_thread": "true"}, "false", cache_of(lasts="loop")),
        ({}, "false", cache_of()),
    ],
)
def test_a_manager_is_the_cache_of_the_users(
    properties: dict[str, str], same_user: str, cache: Cache, tmp_path: Path
) -> None:
    below = caches(**properties) + sampler("a")
    conversion = converted(group(below, same_user_on_next_iteration=same_user), tmp_path)
    assert conversion.plan.cache == cache
    assert dict(conversion.carried)["HTTP Cache Manager"] == 1
    assert not conversion.dropped
    says = TEXTS.fresh_by_standard in [part.how for part in conversion.altered]
    assert says == (cache.fresh == "reuse")


def test_a_test_without_a_manager_has_no_cache(tmp_path: Path) -> None:
    for below in ("", caches(enabled="false"), caches(maxSize="0")):
        assert converted(group(below + sampler("a")), tmp_path).plan.cache is None
    dropped = converted(group(caches(maxSize="0") + sampler("a")), tmp_path).dropped
    assert [part.why for part in dropped] == [TEXTS.cache_of_nothing]


def test_the_innermost_manager_holds_and_other_kinds_are_listed(tmp_path: Path) -> None:
    inner = caches(useExpires="true")
    below = caches() + sampler("a", below=inner) + sampler("b", below=inner) + sampler("c")
    conversion = converted(group(below), tmp_path)
    assert conversion.plan.cache == cache_of("reuse")
    assert [part.how for part in conversion.altered].count(TEXTS.another_cache) == 1


def test_a_cache_of_some_requests_is_that_of_all_and_listed(tmp_path: Path) -> None:
    conversion = converted(group(sampler("a", below=caches()) + sampler("b")), tmp_path)
    assert conversion.plan.cache == cache_of()
    assert TEXTS.cache_for_all in [part.how for part in conversion.altered]


@pytest.mark.parametrize(
    ("properties", "text"),
    [
        ({}, "  cache: validate\n"),
        ({"useExpires": "true"}, "  cache: reuse\n"),
        ({"useExpires": "true", "maxSize": "7"}, "  cache: {entries: 7}\n"),
        ({"clearEachIteration": "true"}, "  cache: {fresh: validate, lasts: loop}\n"),
    ],
)
def test_the_plan_that_is_written_has_the_cache(
    properties: dict[str, str], text: str, tmp_path: Path
) -> None:
    source = tmp_path / "test.jmx"
    source.write_text(document(group(caches(**properties) + sampler("a"))), encoding="utf-8")
    conversion = convert_files([source], JMETER, tmp_path / "plan.yaml")
    assert text in conversion.path.read_text(encoding="utf-8")
    cache = load(conversion.path).workload.cache
    assert cache is not None
    assert cache == converted(group(caches(**properties) + sampler("a")), tmp_path).plan.cache
