"""Units: what people type is what it says, and what is shown is what was measured, to three digits."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base import units

UNITS_NS = {"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("300ms", 0.3), ("10s", 10.0), ("1m30s", 90.0), ("2h", 7200.0), ("1.5h", 5400.0), (".5s", 0.5),
     ("1h1m1s", 3661.0), ("100us", 1e-4), ("100µs", 1e-4), ("100μs", 1e-4), ("7ns", 7e-9), ("0", 0.0),
     (" 5s ", 5.0)],
)  # fmt: skip
def test_a_duration_is_read_as_go_does(text: str, seconds: float) -> None:
    assert units.parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "5", "s", "5 s", "-5s", "1,5s", "5sec", "1e3s", "٣s", "5s5", "ms"])
def test_what_is_no_duration_is_refused_with_examples(text: str) -> None:
    with pytest.raises(ValueError, match="write 300ms"):
        units.parse_duration(text)


@given(st.lists(st.tuples(st.integers(0, 10**6), st.sampled_from(sorted(UNITS_NS))), min_size=1, max_size=5))
def test_the_parts_of_a_duration_add_up_exactly(parts: list[tuple[int, str]]) -> None:
    text = "".join(f"{number}{unit}" for number, unit in parts)
    exact = Fraction(sum(number * UNITS_NS[unit] for number, unit in parts), 10**9)
    assert units.parse_duration(text) == float(exact)


@pytest.mark.parametrize(
    ("text", "count"),
    [("200", 200), ("10k", 10_000), ("10K", 10_000), ("1m", 1_000_000), ("1.5m", 1_500_000), ("2.3k", 2300),
     ("1.001k", 1001), ("1_000", 1000), ("0", 0)],
)  # fmt: skip
def test_a_count_is_exact(text: str, count: int) -> None:
    assert units.parse_count(text) == count


@pytest.mark.parametrize("text", ["", "k", "1.5", "1.0001k", "-1", "1e3", "10kk", "ten"])
def test_what_is_no_count_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a count"):
        units.parse_count(text)


@pytest.mark.parametrize(
    ("text", "rate"),
    [("1000", 1000.0), ("1000/1s", 1000.0), ("1000/s", 1000.0), ("50/1m", 50 / 60), ("50/m", 50 / 60),
     ("10k/s", 10_000.0), ("10k", 10_000.0), ("0", 0.0), ("infinity", 0.0), ("max", 0.0), ("2.5", 2.5),
     ("10/.5s", 20.0), ("1 / 10ms", 100.0), ("3600/1h", 1.0)],
)  # fmt: skip
def test_a_rate_is_per_second(text: str, rate: float) -> None:
    assert units.parse_rate(text) == pytest.approx(rate, rel=1e-15)


@pytest.mark.parametrize(
    "text", ["", "/s", "10/", "10/0", "10/0s", "-1", "10s", "10/x", "nan", "inf", "1/2/3"]
)
def test_what_is_no_rate_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a rate"):
        units.parse_rate(text)


@pytest.mark.parametrize(
    ("text", "share"),
    [("0.1%", 0.001), ("5 %", 0.05), ("0.001", 0.001), ("100%", 1.0), ("1", 1.0), ("0", 0.0), ("7%", 0.07),
     ("1e-3", 0.001)],
)  # fmt: skip
def test_a_share_is_from_nothing_to_all(text: str, share: float) -> None:
    assert units.parse_share(text) == share


@pytest.mark.parametrize("text", ["", "%", "101%", "5", "-1%", "1.0001", "nan", "1%%", "1e999999999"])
def test_what_is_no_share_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a share"):
        units.parse_share(text)


@pytest.mark.parametrize(
    ("text", "size"),
    [("512", 512), ("512B", 512), ("64kB", 64_000), ("64KB", 64_000), ("64 KiB", 65_536), ("1MiB", 1 << 20),
     ("1.5GB", 1_500_000_000), ("1.001kB", 1001), ("2GiB", 1 << 31)],
)  # fmt: skip
def test_a_size_is_exact(text: str, size: int) -> None:
    assert units.parse_size(text) == size


@pytest.mark.parametrize("text", ["", "B", "64k", "-1", "1.5B", "1 TB", "64kb", "10s"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a size"):
        units.parse_size(text)


@pytest.mark.parametrize(
    "parse",
    [units.parse_duration, units.parse_count, units.parse_rate, units.parse_share, units.parse_size],
    ids=["duration", "count", "rate", "share", "size"],
)
@given(text=st.text(alphabet="0123456789.eEkKmMGiBsuh%/+-_ µn", max_size=12))
def test_a_text_is_read_or_refused_and_never_a_fault(parse: object, text: str) -> None:
    assert callable(parse)
    try:
        value = parse(text)
    except ValueError:
        return
    assert value >= 0
    assert math.isfinite(value)


# --- as read ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (0.00123, "0.00123"), (0.001234, "0.00123"), (4.56, "4.56"), (4.5, "4.5"), (45.62, "45.6"),
     (99.99, "100"), (123.4, "123"), (1234.5, "1,234"), (-1234567, "-1,234,567"), (1e-9, "0.000000001"),
     (math.inf, "inf")],
)  # fmt: skip
def test_a_number_has_three_digits_and_whole_thousands(value: float, text: str) -> None:
    assert units.show_number(value) == text


@given(st.floats(1e-9, 1e12))
def test_a_shown_number_is_within_half_a_percent(value: float) -> None:
    assert float(units.show_number(value).replace(",", "")) == pytest.approx(value, rel=0.00501)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (850e-9, "850 ns"), (1.25e-3, "1.25 ms"), (0.0009996, "1 ms"), (41.2, "41.2 s"),
     (99.4, "99.4 s"), (99.6, "1 min 40 s"), (180, "3 min"), (200, "3 min 20 s"), (3599.7, "1 h"),
     (3900, "1 h 5 min"), (7200, "2 h"), (90061, "25 h 1 min"), (-2, "-2 s"), (math.inf, "inf")],
)  # fmt: skip
def test_a_duration_is_shown_in_the_units_that_people_say(seconds: float, text: str) -> None:
    assert units.show_duration(seconds) == text


@given(st.floats(0, 1e7))
def test_a_shown_duration_reads_back_to_what_it_was(seconds: float) -> None:
    shown = units.show_duration(seconds).replace(" min", "m").replace(" ", "").replace(",", "")
    read = units.parse_duration(shown) if shown != "0s" else 0.0
    assert read == pytest.approx(seconds, rel=0.01, abs=5e-12)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [(0.5, "s", "500 ms"), (64_000, "B", "64 kB"), (512, "B", "512 B"), (1.25e9, "B", "1.25 GB"),
     (0.00123, "1", "0.123 %"), (1234.5, "1/s", "1,234/s"), (1.5, "cores", "1.5 cores"), (2, "", "2")],
)  # fmt: skip
def test_a_value_is_shown_with_its_unit(value: float, unit: str, text: str) -> None:
    assert units.show(value, unit) == text
