"""The simulated soaks are what their laws say, and the tables what was judged."""

from pathlib import Path

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from bench.modes import soak
from bench.soak import answers, courses, dips, scale
from bench.soak.memory import BENEATH, HEALTHY, MOST_BESIDE, RECYCLED, drawn
from loadrig.judgement.soak.mix import explains


@pytest.mark.parametrize("law", [*HEALTHY, *RECYCLED])
def test_a_soak_of_a_law_is_the_same_for_the_same_seed(law: str) -> None:
    first, other = drawn(law, 3), drawn(law, 3)
    assert first.served.requests[-1] == pytest.approx(100_000, rel=0.05)
    assert len(first.readings) == len(other.readings) >= first.workers
    assert all(np.array_equal(a.level, b.level) for a, b in zip(first.readings, other.readings, strict=True))


@pytest.mark.parametrize("law", ["steady", "cache", "heap"])
def test_what_leaks_is_what_was_asked_for(law: str) -> None:
    leaking = drawn(law, 5, leak=1_000.0)
    grown = sum(float(reading.level[-50:].min() - reading.level[:50].min()) for reading in leaking.readings)
    wanted = 1_000.0 * leaking.served.requests[-1]
    assert 0.9 * wanted <= grown <= (1.1 + MOST_BESIDE) * wanted


def test_a_part_of_a_soak_is_its_begin() -> None:
    whole, part = drawn("cache", 4), drawn("cache", 4, share=0.5)
    assert part.served.t_s[-1] <= 0.5 * whole.seconds
    n = part.readings[0].level.size
    assert np.array_equal(part.readings[0].level, whole.readings[0].level[:n])


def test_beneath_every_leak_is_a_law_that_there_is() -> None:
    assert set(BENEATH) <= {*HEALTHY, *RECYCLED}


@pytest.mark.parametrize("cause", ["logins", "gc_pause", ""])
def test_a_case_has_its_dips_and_two_decoys(cause: str) -> None:
    soaked = dips.drawn(cause, 2)
    assert dips.named(soaked) == cause


def test_only_the_route_of_a_law_drifts() -> None:
    soaked = courses.drawn("step", 2)
    drifts, of_mix = courses.drift_reports(soaked)
    assert soaked.route in {each.route for each in drifts}
    assert of_mix is not None
    assert not explains(of_mix)


def test_the_tables_say_what_the_rows_hold(snapshot: SnapshotAssertion) -> None:
    row = {"law": "steady", "seed": 1, "leak": 1_000.0, "lives": 0}
    hit = {**row, "word": "leaks", "value": 1_000.0, "low": 900.0, "high": 1_100.0}
    miss = {**row, "word": "level", "value": 10.0, "low": 0.0, "high": 20.0}
    section = {
        "leaks": [hit, hit, hit, miss],
        "beside": [miss],
        "healthy": [{**miss, "leak": 0.0}] * 60,
        "early": [
            {
                "law": "steady",
                "seed": 1,
                "leak": 0.0,
                "ended": 0.4,
                "word": "harmless",
                "wrong": False,
                "held": True,
            }
        ],
        "dipping": [{"cause": "logins", "seed": 1, "said": "logins"}],
        "dip_free": [{"seed": 1, "said": ""}],
        "drifting": [
            {
                "law": "step",
                "seed": 1,
                "false": 0,
                "found": True,
                "word": "step",
                "held": True,
                "off_s": 60.0,
                "mix": False,
            }
        ],
    }
    text = "\n".join(soak.tables(soak.summarise(section)))
    assert text == snapshot


def test_a_few_of_each_are_judged() -> None:
    assert {row["law"] for row in answers.leaks(1)} == set(BENEATH)
    assert len(answers.healthy(3)) == 3


def test_a_small_soak_goes_through_the_writer_and_its_answer_is_made(tmp_path: Path) -> None:
    written = scale.write(tmp_path / "soak", 40 / 3600, 3, 12)
    assert set(written["files_mb"]) >= {"frames.jsonl", "latency.hlog", "series.arrow"}
    sealed = scale.seal(tmp_path / "soak")
    assert set(sealed["files_mb"]) >= {"frames.jsonl", "latency.hlog", "series.parquet", "SEALED"}
    figures = scale.soak(tmp_path / "soak")
    assert figures["headline"]
