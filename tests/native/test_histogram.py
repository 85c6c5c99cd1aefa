"""The histogram that the engine and Python share."""

import base64
import math
import pickle
import zlib

import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given
from hypothesis import strategies as st

from loadrig._native import Histogram
from tests.strategies import histogram_of_ns, histograms, times_ns

HOUR_NS = 3_600_000_000_000
DIGITS = 1e-3
"""Three significant digits: what a value may be off by, as a share of it."""

quantiles = st.floats(0, 1)


@given(histograms(), histograms())
def test_merging_loses_nothing(a: Histogram, b: Histogram) -> None:
    both = a.copy()
    both.add(b)
    other_way = b.copy()
    other_way.add(a)
    assert both.count == a.count + b.count
    assert both == other_way


@given(st.lists(times_ns), st.lists(times_ns))
def test_merged_counts_are_the_counts_of_all_values(a: list[int], b: list[int]) -> None:
    merged = histogram_of_ns(a)
    merged.add(histogram_of_ns(b))
    assert merged == histogram_of_ns(a + b)


@given(histograms())
def test_a_histogram_comes_back_from_its_text(histogram: Histogram) -> None:
    text = histogram.encode()
    assert Histogram.decode(text) == histogram
    assert Histogram.decode(text).encode() == text


@given(histograms())
def test_a_histogram_survives_pickling(histogram: Histogram) -> None:
    assert pickle.loads(pickle.dumps(histogram)) == histogram


@given(st.lists(times_ns, min_size=1), quantiles)
def test_another_implementation_reads_the_same_text(values: list[int], q: float) -> None:
    ours = histogram_of_ns(values)
    theirs = HdrHistogram.decode(ours.encode())
    assert theirs.get_total_count() == ours.count
    assert theirs.get_max_value() == ours.max_ns
    assert theirs.get_min_value() == ours.min_ns
    for value in values:
        at = theirs.get_count_at_value(value)
        assert ours.count_between(value, value) == at
    # They round the rank of a quantile to the nearest, we upwards: between the two there is at
    # most one value.
    rank = math.ceil(q * len(values))
    near = sorted(values)[max(0, rank - 2) : rank + 1]
    for quantile in (ours.quantile_ns(q), theirs.get_value_at_percentile(q * 100)):
        assert any(abs(quantile - value) <= value * DIGITS + 1 for value in near)


@given(st.lists(times_ns, min_size=1))
def test_we_read_what_another_implementation_writes(values: list[int]) -> None:
    theirs = HdrHistogram(1, HOUR_NS, 3)
    for value in values:
        theirs.record_value(value)
    assert Histogram.decode(theirs.encode().decode()) == histogram_of_ns(values)


@given(st.lists(st.integers(1, 60_000), min_size=1))
def test_a_text_with_other_buckets_is_recounted(values_ms: list[int]) -> None:
    theirs = HdrHistogram(1, 60_000, 2)
    for value in values_ms:
        theirs.record_value(value)
    ours = Histogram.decode(theirs.encode().decode())
    assert ours.count == len(values_ms)
    assert abs(ours.max_ns - max(values_ms)) <= max(values_ms) * 1e-2 + 1


@given(st.lists(times_ns, min_size=1))
def test_figures_agree_with_those_of_the_values(values: list[int]) -> None:
    histogram = histogram_of_ns(values)
    mean = math.fsum(values) / len(values)
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
    assert histogram.min_ns == pytest.approx(min(values), rel=DIGITS)
    assert histogram.max_ns == pytest.approx(max(values), rel=DIGITS)
    assert histogram.mean_ns == pytest.approx(mean, rel=DIGITS, abs=1)
    # A value may be off by a share of itself, so the spread by that share of the largest value.
    assert histogram.stdev_ns == pytest.approx(spread, abs=max(values) * DIGITS + 1)


@given(st.lists(times_ns, min_size=1), quantiles)
def test_a_quantile_is_a_value_with_that_share_at_or_below_it(values: list[int], q: float) -> None:
    histogram = histogram_of_ns(values)
    quantile = histogram.quantile_ns(q)
    below = sum(value <= quantile for value in values)
    assert below >= q * len(values) * (1 - 1e-9)
    assert any(abs(quantile - value) <= value * DIGITS + 1 for value in values)


@given(histograms(), times_ns, times_ns)
def test_counts_between_bounds_add_up(histogram: Histogram, a: int, b: int) -> None:
    low, high = sorted((a, b))
    inside = histogram.count_between(low, high)
    assert inside <= histogram.count
    assert histogram.count_between(0, HOUR_NS) == histogram.count
    assert histogram.count_between(high, low) in (0, inside)


@given(histograms(), st.integers(1, 50))
def test_buckets_hold_every_value_once(histogram: Histogram, per_decade: int) -> None:
    buckets = histogram.buckets(per_decade)
    assert sum(count for _, _, count in buckets) == histogram.count
    assert all(count > 0 for _, _, count in buckets)
    edges = [edge for low, high, _ in buckets for edge in (low, high)]
    assert edges == sorted(edges)
    for low, high, _ in buckets:
        assert high / low == pytest.approx(10 ** (1 / per_decade))


@given(times_ns, st.integers(1, 50))
def test_a_value_lies_in_its_bucket(value: int, per_decade: int) -> None:
    [(low, high, count)] = histogram_of_ns([value]).buckets(per_decade)
    assert low * (1 - DIGITS) <= value <= high * (1 + DIGITS)
    assert count == 1


@given(times_ns, st.integers(1, 1_000_000))
def test_a_value_can_be_counted_many_times_at_once(value: int, count: int) -> None:
    histogram = Histogram()
    histogram.record(value, count)
    assert histogram.count == count
    assert histogram.count_between(value, value) == count


@given(st.text())
def test_what_is_no_histogram_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a histogram"):
        Histogram.decode(text)


def test_a_torn_text_is_refused() -> None:
    text = histogram_of_ns([1, 1_000, 1_000_000]).encode()
    for end in range(0, len(text) - 4, 4):
        with pytest.raises(ValueError, match="not a histogram"):
            Histogram.decode(text[:end])


def test_a_text_that_is_not_deflated_is_read() -> None:
    histogram = histogram_of_ns([5, 50, 500])
    packed = base64.b64decode(histogram.encode())
    plain = base64.b64encode(zlib.decompress(packed[8:])).decode()
    assert Histogram.decode(plain) == histogram


def test_an_empty_histogram_has_no_figures() -> None:
    empty = Histogram()
    assert (empty.count, empty.min_ns, empty.max_ns, empty.mean_ns, empty.stdev_ns) == (0, 0, 0, 0, 0)
    assert empty.quantile_ns(0.5) == 0
    assert empty.buckets(10) == []
    assert Histogram.decode(empty.encode()) == empty


def test_a_value_above_an_hour_counts_as_an_hour() -> None:
    histogram = histogram_of_ns([10 * HOUR_NS])
    assert histogram.count == 1
    assert histogram.max_ns == pytest.approx(HOUR_NS, rel=DIGITS)


def test_a_copy_is_another_histogram() -> None:
    first = histogram_of_ns([7])
    copy = first.copy()
    copy.record(8)
    assert (first.count, copy.count) == (1, 2)
    assert first != copy
    assert first != "a histogram"


def test_arguments_out_of_range_are_refused() -> None:
    histogram = Histogram()
    for q in (-0.1, 1.1, math.nan):
        with pytest.raises(ValueError, match="between 0 and 1"):
            histogram.quantile_ns(q)
    with pytest.raises(ValueError, match="at least 1"):
        histogram.buckets(0)
    with pytest.raises(OverflowError):
        histogram.record(-1)
    with pytest.raises(TypeError):
        hash(histogram)
