"""Figures of dips and leaks, as data."""

import json
from dataclasses import replace

import numpy as np
import pytest

from loadrig.report.figures import _time, dips, leak, outcomes_over_time, users_in_flight
from loadrig.report.model import Figure
from loadrig.report.strips import StripBand
from loadrig.report.timeline import GeneratorUse, Heat, Timeline, TimelineLevels, TimelineRates, TimelineTimes
from loadrig.testing.cases import ACase
from tests.stats.noises import pulses

N = 90
LOW = pulses(N, 12, 2, 5)
TIME = Timeline(
    tuple(float(n) for n in range(N)), float(N), 1, TimelineRates(), TimelineLevels(), GeneratorUse(),
    TimelineTimes(), Heat((), ()), {}, (), (), (), (10.0, N),
)  # fmt: skip


def dipping() -> ACase:
    ok = np.random.default_rng(1).normal(400, 8, N) * np.where(LOW, 0.6, 1.0)
    return ACase(seconds=N, warm_up=10, users=20, ok=ok, logins=np.where(LOW, 40.0, 0.0)).tier("server")


def shown(figure: Figure | None, kind: str) -> Figure:
    assert figure is not None
    assert figure.kind == kind
    json.dumps(figure.data, allow_nan=False)
    assert figure.about.endswith(".")
    return figure


def test_the_loss_and_the_streams_stand_on_one_axis() -> None:
    figure = shown(dips.draw("v", dipping().build(), TIME), "time")
    titles = [panel["title"] for panel in figure.data["panels"]]
    assert titles == ["Throughput", "Lost", "Logins"]
    for panel in figure.data["panels"]:
        for line in panel["lines"]:
            assert len(line["values"]) == N
            assert line["values"][:10] == [None] * 10  # the warm-up has no level
    lost = figure.data["panels"][1]["lines"][0]["values"]
    assert [n for n, value in enumerate(lost) if value and value > 100] == np.flatnonzero(LOW)[2:].tolist()


def test_columns_of_several_seconds_hold_their_mean() -> None:
    wide = replace(TIME, t_s=tuple(float(n) for n in range(0, N, 3)), merged=3)
    figure = shown(dips.draw("v", dipping().build(), wide), "time")
    assert all(len(panel["lines"][0]["values"]) == N // 3 for panel in figure.data["panels"])


def test_dips_and_bursts_are_lanes_with_the_same_moments() -> None:
    figure = shown(dips.lanes("v", dipping().build()), "lanes")
    first, second = figure.data["lanes"]
    assert [lane["name"] for lane in (first, second)] == ["dips", "logins"]
    assert first["ticks"] == second["ticks"]
    assert first["ticks"][0] == [17, 2]
    assert len(first["heights"]) == len(first["texts"]) == len(first["ticks"]) == 7


def test_one_period_shows_where_in_it_throughput_is_low() -> None:
    figure = shown(dips.folded("v", dipping().build()), "intervals")
    rows = figure.data["rows"]
    assert len(rows) == 12
    assert sum(row["at"] < 0.5 for row in rows) == 2


def test_without_a_period_it_shows_what_is_around_the_bursts() -> None:
    at = np.zeros(N, dtype=bool)
    at[[14, 23, 41, 47, 70, 78]] = True
    ok = np.random.default_rng(1).normal(400, 8, N) * np.where(at, 0.3, 1.0)
    case = ACase(seconds=N, users=20, ok=ok, logins=np.where(at, 40.0, 0.0)).tier("server").build()
    figure = shown(dips.folded("v", case), "intervals")
    assert figure.title == "Around logins"
    least = min(figure.data["rows"], key=lambda row: row["at"])
    assert least["label"] == "then"


def test_without_dips_there_is_nothing_to_draw() -> None:
    case = ACase(seconds=N, users=20, ok=400.0).build()
    assert dips.draw("v", case, TIME) is dips.lanes("v", case) is dips.folded("v", case) is None
    assert leak.draw("v", case, TIME) is None


def growing(limit: float | None = None) -> ACase:
    level = 40e6 + 4096 * 300 * np.arange(N) + np.random.default_rng(1).normal(0, 1e5, N)
    case = ACase(seconds=N, rate=300.0, ok=300.0).tier("server", kind="gunicorn", runtime="cpython")
    case.gauge("server", "process.pss_bytes", "pid:1", level, "B")
    return case if limit is None else case.gauge("server", "cgroup.memory_limit_bytes", "leaf", limit, "B")


def test_a_leak_is_drawn_with_its_line_and_a_limit_that_is_near() -> None:
    figure = shown(leak.draw("v", growing(200e6).build(), TIME), "time")
    (panel,) = figure.data["panels"]
    level, line = panel["lines"]
    assert line["values"][-1] == pytest.approx(level["values"][-1], rel=0.01)
    assert line["low"][-1] <= line["values"][-1] <= line["high"][-1]
    assert panel["limits"] == [[200e6, "its memory limit"]]
    assert "200 MB" in figure.about
    assert figure.table is not None
    assert figure.table.rows[0][1].text.endswith("kB")


def test_a_limit_that_is_far_away_is_told_and_not_drawn() -> None:
    figure = shown(leak.draw("v", growing(50e9).build(), TIME), "time")
    assert "limits" not in figure.data["panels"][0]
    assert "50 GB" in figure.about


def test_a_panel_of_which_nothing_was_seen_is_left_out() -> None:
    nothing = StripBand((0.0,) * N, (0.0,) * N, (0.0,) * N)
    time = replace(TIME, levels=TimelineLevels(*[nothing] * 5), rates=TimelineRates(opened=nothing))
    # A page's script ends at a panel without a line, and no figure after it is drawn.
    for is_told, panels in ((True, 1), (False, 0)):
        figure = shown(users_in_flight.draw("v", time, is_own=is_told), "time")
        assert [len(panel["lines"]) for panel in figure.data["panels"]] == [1] * panels


def test_only_a_chart_that_draws_what_merging_hides_speaks_of_its_pale_band() -> None:
    some = StripBand((1.0,) * N, (0.0,) * N, (2.0,) * N)
    time = replace(
        TIME, t_s=tuple(float(n) for n in range(0, N, 3)), merged=3, levels=TimelineLevels(*[some] * 5),
        rates=TimelineRates(opened=some), failures={"reset": some},
    )  # fmt: skip
    note = _time.merged_note(time)
    assert note
    assert note in users_in_flight.draw("v", time).about
    without = (
        outcomes_over_time.draw("v", time),
        dips.draw("v", dipping().build(), time),
        leak.draw("v", growing().build(), time),
    )
    assert [note in shown(figure, "time").about for figure in without] == [False] * 3
