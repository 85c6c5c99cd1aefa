"""Hypothesis strategies shared by the tests of several rooms."""

from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

from loadrig._native import Histogram
from loadrig.recording.frame_document import LiveFrameDocument
from loadrig.recording.hlog import Tag
from loadrig.testing.engine_frames import engine_frame, row

NS = 1_000_000_000
OUTCOMES = (
    "ok", "http_4xx", "http_5xx", "check_failed", "grpc_error", "timeout", "connect_refused", "reset",
    "stream_reset",
)  # fmt: skip

times_ns = st.integers(min_value=1, max_value=3_600_000_000_000)
"""Times that a histogram can count without saturating."""

names = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=12)
"""Names that a person may give to a route, awkward ones among them."""

words = st.from_regex(r"[a-z][a-z0-9_.:/-]{0,15}", fullmatch=True)
"""Names of probes, metrics and subjects."""


def histograms(max_size: int = 30) -> st.SearchStrategy[Histogram]:
    """Return histograms of a few times, empty ones among them."""
    return st.lists(times_ns, max_size=max_size).map(histogram_of_ns)


def histogram_of_ns(values: Sequence[int]) -> Histogram:
    """Return the histogram of these times."""
    histogram = Histogram()
    for value in values:
        histogram.record(value)
    return histogram


def tags() -> st.SearchStrategy[Tag]:
    """Return tags of histograms of routes, and of the generator's own."""
    own = st.sampled_from(["lag", "wait", "connect", "session"]).map(lambda kind: Tag("-", "", kind))
    routes = st.builds(Tag, names, st.sampled_from(OUTCOMES), st.sampled_from(["response", "service"]))
    return st.one_of(own, routes)


@st.composite
def frame_rows(draw: Callable[..., Any], routes: Sequence[str] = ("search", "order")) -> list[dict[str, Any]]:
    """Return rows of one frame: some routes, some outcomes, a few times each."""
    keys = draw(
        st.lists(st.tuples(st.sampled_from(routes), st.sampled_from(OUTCOMES)), unique=True, max_size=4)
    )
    times = st.lists(st.floats(1e-6, 60.0), min_size=1, max_size=8)
    return [row(outcome, draw(times), route=route) for route, outcome in keys]


@st.composite
def frame_runs(draw: Callable[..., Any], max_frames: int = 12) -> list[LiveFrameDocument]:
    """Return frames as a generator sends them, one after the other without a gap, starting at 0.

    Lengths differ. Whoever writes them adds the instant at which the recording began.
    """
    frames, t_ns = [], 0
    for n in range(draw(st.integers(1, max_frames))):
        len_ns = draw(st.integers(1_000_000, 2 * NS))
        frames.append(engine_frame(n, t_ns, len_ns, draw(frame_rows()), unsent=draw(st.integers(0, 3))))
        t_ns += len_ns
    return frames
