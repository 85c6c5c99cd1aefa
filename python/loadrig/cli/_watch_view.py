"""The screen of `loadrig watch`: all that a page tells of a run that goes on, in 24 lines of 80 letters."""

from collections.abc import Callable, Sequence
from datetime import datetime

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from loadrig.base.printable import in_one_line
from loadrig.base.units import show_duration, show_number, show_share, show_size
from loadrig.cli._lines import plotted
from loadrig.cli._trial_state import PHASES
from loadrig.following.course import RunCourse
from loadrig.following.document import LightDocument, RunNewsDocument, SecondDocument, TierDocument
from loadrig.language.choice import texts_of
from loadrig.language.en.pages import PagesTexts
from loadrig.language.en.terminal import TerminalTexts

TEXTS, PAGES = texts_of(TerminalTexts), texts_of(PagesTexts)

FULL_SHARE = 0.85
"""Share of its cores from which on a component is marked as nearly full: requests begin to queue there."""

FAILED_SHARE = 0.01
"""Share of failed requests from which on their number is marked."""

LEAST_PLOT, MOST_PLOT = 4, 12
"""Lines of a chart, least and most."""

BAR = 10
"""Letters of the bar of a component."""

RATE_COLOURS = ("dim", "cyan", "red")
VERDICTS = {"valid": TEXTS.valid, "disturbed": TEXTS.disturbed, "void": TEXTS.void}

TIME_COLOURS = ("green", "yellow", "red")


def draw(course: RunCourse, width: int, height: int) -> RenderableType:
    """Return the screen, at most `height` lines of `width` letters."""
    news = course.news
    if news is None:
        return Text(TEXTS.waiting_for_run)
    head = [*_head(news, width), *_numbers(course, width), *_rig(course)]
    account = _account(course, width)
    tiers = _tiers(course.tiers)[: max(2, height // 4)]
    room = height - len(head) - len(account) - len(tiers) - 2
    plot = min(MOST_PLOT, max(LEAST_PLOT, room - 3))
    foot = _foot(course)[: max(0, room - plot)]
    return Group(*head, _charts(course, width, plot), *account, *tiers, *foot)


def _head(news: RunNewsDocument, width: int) -> list[RenderableType]:
    phase = PHASES.get(news.phase, TEXTS.between_trials if news.is_running else TEXTS.over)
    if news.is_gone:
        phase = TEXTS.folder_gone
    times = show_duration(float(int(news.phase_s))) if news.phase else ""
    if news.expected_s >= 2:
        times += TEXTS.of_at_most(show_duration(news.expected_s))
    parts = [phase, times]
    if news.total > 1:
        parts.append(TEXTS.trial_of(str(min(news.done + news.is_running, news.total)), str(news.total)))
        parts.append(in_one_line(news.setting))
    if news.is_running and news.left_s >= 1:
        parts.append(TEXTS.time_left(show_duration(float(int(news.left_s)))))
    line = Text("  ".join(part for part in parts if part), no_wrap=True, overflow="ellipsis")
    lines: list[RenderableType] = [
        Text(in_one_line(news.title), style="bold", no_wrap=True, overflow="ellipsis"), line,
    ]  # fmt: skip
    if news.expected_s >= 2:
        bar = Table.grid()  # a bar by itself ends no line
        bar.add_row(ProgressBar(news.expected_s, min(news.phase_s, news.expected_s), width=width))
        lines.append(bar)
    return lines


def _numbers(course: RunCourse, width: int) -> list[RenderableType]:
    if not course.seconds or course.latest is None:
        return []
    now, outcomes = course.seconds[-1], course.latest.outcomes
    ended = sum(outcomes.values())
    failed = (ended - outcomes.get("ok", 0)) / ended if ended else 0.0
    pairs = [
        (TEXTS.answered, TEXTS.rate_of_due(show_number(now.ok), show_number(now.due)), ""),
        (TEXTS.failed, show_share(failed), "red" if failed >= FAILED_SHARE else ""),
        *((name, _time(value), "") for name, value in _times(now)),
        (TEXTS.in_flight, f"{now.in_flight:,}", ""),
        (TEXTS.generator, show_share(now.busy_share), "red" if now.busy_share > FULL_SHARE else ""),
    ]
    line = Text(no_wrap=True, overflow="ellipsis")
    for name, value, style in pairs:
        if len(line) + len(name) + len(value) + 3 > width:
            break
        line.append(f"{name} ", "dim").append(value, f"bold {style}".strip()).append("  ")
    return [line]


def _rig(course: RunCourse) -> list[Text]:
    """Return one line on the rig itself: what disturbs now, else that nothing has."""
    lights = course.latest.lights if course.latest is not None else ()
    bad = [light for light in lights if light.level in ("disturbed", "grave")]
    if not bad:
        return [_line(f"  {PAGES.lights_fine}", "dim")] if lights else []
    figures = ", ".join(f"{getattr(PAGES, f'light_{light.name}')} {_light_value(light)}" for light in bad)
    return [_line(f"! {PAGES.lights_bad.format(figures)}", "bold yellow")]


def _light_value(light: LightDocument) -> str:
    show = show_duration if light.name == "lag" else show_share
    return "" if light.value is None else show(light.value)


def _times(second: SecondDocument) -> list[tuple[str, float | None]]:
    return [("p50", second.p50_s), ("p95", second.p95_s), ("p99", second.p99_s)]


def _time(value: float | None) -> str:
    return "–" if value is None else show_duration(value)


def _charts(course: RunCourse, width: int, height: int) -> RenderableType:
    """Return the rate and the response times side by side."""
    seconds, half = list(course.seconds), (width - 2) // 2
    rates = [[getattr(each, name) for each in seconds] for name in ("due", "ok", "failed")]
    times = [[getattr(each, name) for each in seconds] for name in ("p50_s", "p95_s", "p99_s")]
    left = _chart(TEXTS.rates_title, rates, RATE_COLOURS, half, height, lambda top: f"{show_number(top)}/s")
    right = _chart("p50, p95, p99", times, TIME_COLOURS, half, height, show_duration)
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_row(left, right)
    return table


def _chart(
    title: str,
    lines: Sequence[Sequence[float | None]],
    colours: Sequence[str],
    width: int,
    height: int,
    show: Callable[[float], str],
) -> Group:
    values = [value for line in lines for value in list(line)[-2 * width :] if value is not None]
    top = max(values, default=0.0)
    layers = plotted(lines, width, height, top)
    head = Text(f"{title}  ", "dim", no_wrap=True).append(TEXTS.up_to(show(top)) if top else "", "dim")
    rows = [head]
    for place in range(height):
        row = Text(no_wrap=True)
        for column in range(width):
            # The line that was named last lies on top.
            layer = next((n for n in reversed(range(len(layers))) if layers[n][place][column] != " "), None)
            row.append(" " if layer is None else layers[layer][place][column], colours[layer or 0])
        rows.append(row)
    return Group(*rows)


def _account(course: RunCourse, width: int) -> list[RenderableType]:
    """Return where a request's time goes, on at most two lines."""
    sentence = course.latest.sentence if course.latest is not None else ""
    if not sentence:
        return []
    lines = Text(in_one_line(sentence)).wrap(None, width)  # type: ignore[arg-type]  # asks the console nothing
    return list(lines[:2])


def _tiers(tiers: Sequence[TierDocument]) -> list[Text]:
    """Return a line for each component: its light, cores, how full they are, memory."""
    lines = []
    longest = max((len(tier.name) for tier in tiers), default=0)
    for tier in tiers:
        share = tier.cores / tier.cores_most if tier.cores is not None and tier.cores_most else None
        is_full = share is not None and share >= FULL_SHARE
        line = Text(
            "! " if is_full else "  ", "bold red" if is_full else "", no_wrap=True, overflow="ellipsis"
        )
        line.append(f"{in_one_line(tier.name):<{longest}}  ", "bold")
        cores = "–" if tier.cores is None else TEXTS.cores(show_number(tier.cores))
        line.append(f"{cores:<12}")
        if share is not None:
            filled = round(min(1.0, share) * BAR)
            line.append("█" * filled + "░" * (BAR - filled), "red" if is_full else "cyan")
            line.append(TEXTS.share_of(show_share(share), show_number(tier.cores_most or 0.0)))
        if tier.memory_bytes is not None:
            line.append(f"  {show_size(tier.memory_bytes)}", "dim")
        lines.append(line)
    return lines


def _foot(course: RunCourse) -> list[Text]:
    """Return the newest notes, events and trials that are over, the newest first."""
    notes = course.news.notes[-2:] if course.news else ()
    lines = [_line(TEXTS.noted(note), "yellow") for note in reversed(notes)]
    for trial in reversed(course.over[-3:] if len(course.over) > 1 else []):
        rate = f"{show_number(trial.ok_rps)}/s" if trial.ok_rps is not None else "–"
        verdict = VERDICTS.get(trial.validity, trial.validity)
        lines.append(_line(TEXTS.trial_over(str(trial.number), trial.setting, rate, verdict)))
    for event in reversed(course.happenings):
        at = datetime.fromtimestamp(event.t_s).strftime("%H:%M:%S")
        line = _line(f"{at} ", "dim").append(f"{in_one_line(event.component or event.kind)} ", "bold")
        lines.append(line.append(in_one_line(event.text)))
    return lines


def _line(text: str, style: str = "") -> Text:
    return Text(in_one_line(text), style, no_wrap=True, overflow="ellipsis")


def line_of(second: SecondDocument) -> str:
    """Return a second of the load as a line of text."""
    at = datetime.fromtimestamp(second.t_s).strftime("%H:%M:%S")
    times = "  ".join(f"{name} {_time(value)}" for name, value in _times(second))
    failed = TEXTS.failed_rate(show_number(second.failed)) if second.failed else ""
    answered, due = show_number(second.ok), show_number(second.due)
    return TEXTS.second(at, answered, due, failed, times, f"{second.in_flight:,}")
