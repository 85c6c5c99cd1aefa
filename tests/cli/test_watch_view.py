"""The screen of `loadrig watch`: it fits, says what a page says, and needs no colour."""

import io
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from loadrig.cli._lines import plotted
from loadrig.cli._watch_view import draw, line_of
from loadrig.following.course import RunCourse
from loadrig.following.document import (
    HappeningDocument,
    LightDocument,
    OverDocument,
    RunNewsDocument,
    SecondDocument,
    TierDocument,
    TrialNewsDocument,
)


def second(number: int, **more: Any) -> SecondDocument:
    values: dict[str, Any] = {"planned": 60.0, "due": 60.0, "ok": 59.0 + number % 3, "failed": 1.0}
    values |= {"p50_s": 0.01, "p95_s": 0.02, "p99_s": 0.03, "lag_s": 1e-4, "busy_share": 0.1}
    values |= {"in_flight": 3, "users": 0}
    return SecondDocument(t_s=1_790_000_000.0 + number, **{**values, **more})


def news(seconds: int, first: int = 0, **more: Any) -> RunNewsDocument:
    trial = TrialNewsDocument(
        number=1,
        seconds=tuple(second(number) for number in range(first, first + seconds)),
        outcomes={"ok": 59, "http_5xx": 1},
        tiers=(
            TierDocument(name="server", kind="gunicorn", cores=0.97, cores_most=1.0, memory_bytes=6e7),
            TierDocument(name="host", kind="host", cores=1.1, cores_most=2.0),
        ),
        lights=(LightDocument(name="lag", check="G2", level="fine", value=4e-5, limit=1e-4),),
        sentence="Of 21.4 ms: " + "18.9 ms waiting inside the server, " * 6,
        happenings=tuple(
            HappeningDocument(t_s=1.0, kind="note", component="server", text="long " * 60) for _ in range(9)
        ),
    )
    whole: dict[str, Any] = {"title": "loadrig run shop", "is_running": True, "phase": "measuring"}
    whole |= {"phase_s": 3.0, "expected_s": 10.0, "done": 3, "total": 9, "left_s": 70.0}
    whole |= {"setting": "workers=4", "trial": trial, "notes": ("it was short of ports",)}
    return RunNewsDocument(**{**whole, **more})


def screen(course: RunCourse, width: int, height: int, colour: bool = False) -> list[str]:
    console = Console(
        file=io.StringIO(), width=width, height=height, force_terminal=True,
        color_system="truecolor" if colour else None,
    )  # fmt: skip
    with console.capture() as capture:
        console.print(draw(course, width, height))
    return capture.get().rstrip("\n").split("\n")


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 40), (200, 60), (80, 25)])
@pytest.mark.parametrize("seconds", [0, 1, 5, 700])
def test_it_fits_into_the_terminal_and_says_what_is_to_be_seen(width: int, height: int, seconds: int) -> None:
    course = RunCourse()
    course.take(news(seconds))
    lines = screen(course, width, height)
    assert len(lines) <= height
    assert max(map(len, lines)) <= width
    text = "\n".join(lines)
    for word in ("loadrig run shop", "measuring", "trial 4 of 9", "workers=4", "server", "97 % of 1"):
        assert word in text
    assert ("answered 60/s" in text or "answered 59/s" in text or "answered 61/s" in text) == (seconds > 0)
    # What is nearly full is marked by a sign, and not by a colour alone.
    assert [line[0] for line in lines if "cores " in line and "of" in line] == ["!", " "]


@pytest.mark.parametrize(("level", "is_marked"), [("fine", False), ("disturbed", True), ("grave", True)])
def test_a_light_of_the_rig_that_is_not_fine_is_marked_with_its_figure(level: str, is_marked: bool) -> None:
    course, shown = RunCourse(), news(3)
    light = LightDocument(name="steal", check="G4", level=level, value=0.12, limit=0.01)  # type: ignore[arg-type]
    assert shown.trial is not None
    trial = msgspec.structs.replace(shown.trial, lights=(light,))
    course.take(msgspec.structs.replace(shown, trial=trial))
    marked = [line for line in screen(course, 80, 24) if line.startswith("! ") and "12 %" in line]
    assert bool(marked) is is_marked


def test_before_anything_is_known_it_says_so() -> None:
    (line,) = screen(RunCourse(), 80, 24)
    assert line.strip()


def test_a_trial_that_begins_takes_the_place_of_the_one_before() -> None:
    course = RunCourse()
    course.take(news(5))
    first = news(2)
    assert first.trial is not None
    over = (OverDocument(number=1, setting="workers=2", validity="valid", ok_rps=10.0, p99_s=0.1),)
    course.take(
        msgspec.structs.replace(first, trial=msgspec.structs.replace(first.trial, number=2), over=over * 2)
    )
    assert (len(course.seconds), course.trial, len(course.happenings)) == (2, (2, False), 9)
    assert any("trial 1  workers=2  10/s  valid" in line for line in screen(course, 100, 40))


def test_hostile_texts_stay_on_their_line() -> None:
    course = RunCourse()
    course.take(news(3, title="a\nb\x1b[2J[red]c[/red]", notes=("x\x07\r\ny",)))
    text = "\n".join(screen(course, 80, 24))
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "[red]c[/red]" in text


@given(
    values=st.lists(st.none() | st.floats(0, 1e9) | st.just(float("inf")), max_size=300),
    width=st.integers(1, 60),
    height=st.integers(1, 12),
)
def test_a_line_has_a_dot_in_every_column_in_which_it_has_a_value(
    values: list[float | None], width: int, height: int
) -> None:
    top = max((value for value in values if value is not None and value < float("inf")), default=0.0)
    (rows,) = plotted([values], width, height, top)
    assert [len(row) for row in rows] == [width] * height
    drawn = {column for row in rows for column, letter in enumerate(row) if letter != " "}
    has_value = any(value is not None and value < float("inf") for value in values[-2 * width :])
    assert bool(drawn) == has_value
    if len(values) > 2 * width and all(value is not None and value < float("inf") for value in values):
        assert drawn == set(range(width))


def test_the_greatest_value_is_at_the_upper_edge_and_zero_at_the_lower() -> None:
    (rows,) = plotted([[0.0] * 40 + [8.0] * 40], 40, 3, 8.0)
    assert rows[-1][0] == "\u28c0"
    assert rows[0][-1] == "\u2809"


def test_a_second_is_a_line() -> None:
    line = line_of(replace_second(second(1), p99_s=None, failed=0.0))
    assert "answered 60/s of 60" in line
    assert "p99 –" in line
    assert "failed" not in line


def replace_second(document: SecondDocument, **more: Any) -> SecondDocument:
    return msgspec.structs.replace(document, **more)
