"""What each component spends its CPU time on, by class and by function, and what it cost to know."""

from collections.abc import Iterator, Mapping
from typing import Any

from loadrig.base.series import Event
from loadrig.base.units import show_share
from loadrig.profilers import Kept, cpu_time_of, kept, throughput_change
from loadrig.report import numbers, top_frames
from loadrig.report.figures import cpu_time, flame_graph
from loadrig.report.model import Block, Paragraph, PerView, Section
from loadrig.report.run import Run, TrialView

ORDER = 75
TITLE = "Profiles"

SEEN_ENOUGH = 0.85
"""Share of the CPU time used that a profile may miss the rest of without a word: attaching, rounding."""


UNNAMED = 0.25
"""Share of code without symbols from which on a class that is not there says nothing."""


def build(run: Run) -> Section | None:
    """Classes, top functions and a flame graph of each component that was profiled; None where none was.

    Of what the rig has profiled by itself a terminal shows one line a component.
    """
    views = [view for view in run.views if kept(view.recording) or _notes(view)]
    if not views:
        return None
    first = run.views[0]
    told = None if _is_asked(first) else _lines(first)
    pictures = sum(1 for view in views for one in kept(view.recording) if one.load == "high")
    most_nodes = flame_graph.MOST_NODES // max(1, pictures // 2)
    return Section(
        "profiles",
        TITLE,
        (PerView({view.id: _blocks(view, max(300, most_nodes)) for view in run.views}),),
        lead="Which functions take the CPU time: looked at some hundred times a second while the load ran.",
        in_text=run.study is None if told is None else bool(told),
        told=told,
    )


def _is_asked(view: TrialView) -> bool:
    """Whether the plan has asked for profiles."""
    return any(not one.why for one in kept(view.recording)) or any(
        event.subject == "profile" for event in _missing(view)
    )


def _lines(view: TrialView) -> tuple[Paragraph, ...]:
    """A sentence a component, and what could not be profiled."""
    return (
        *_sentences(cpu_time_of(view.recording)),
        *(Paragraph(f"{note}.", size="note") for note in _notes(view)),
    )


def _blocks(view: TrialView, most_nodes: int) -> tuple[Block, ...]:
    profiles = kept(view.recording)
    blocks: list[Block] = []
    document = cpu_time_of(view.recording)
    figure = cpu_time.draw(view.id, document)
    if figure is not None:
        blocks += [*_sentences(document), figure, *_doubts(document)]
    for high in (one for one in profiles if one.load == "high"):
        # Of the same profiler: another sees other frames, and each would seem to have grown.
        kind = (high.component, high.profiler)
        lows = (one for one in profiles if one.load == "low" and (one.component, one.profiler) == kind)
        low = next(lows, None)
        if high.summary is None:
            blocks.append(
                Paragraph(f"The profile of {high.component} cannot be read: {high.path.name}.", "warn")
            )
            continue
        blocks.append(Paragraph(f"{top_frames.heading(high)}."))
        blocks.append(
            top_frames.table(high.summary, caption=f"Top functions of {top_frames.named(high.component)}")
        )
        blocks += [Paragraph(_cost(one, view), size="note") for one in (high, low) if one is not None]
        drawn = flame_graph.draw(view.id, high, low, most_nodes)
        if drawn is not None:
            blocks.append(drawn)
    if not blocks and not _notes(view):
        blocks.append(Paragraph("This trial was not profiled.", size="note"))
    return (*blocks, *(Paragraph(f"{note}.", size="note") for note in _notes(view)))


def _notes(view: TrialView) -> list[str]:
    """What could not be profiled, and why."""
    return [event.text for event in _missing(view)]


def _missing(view: TrialView) -> list[Event]:
    return [
        event
        for event in view.recording.events
        if event.kind == "note" and event.subject in ("profile", "burst")
    ]


def _sentences(document: Mapping[str, Any]) -> Iterator[Paragraph]:
    """A sentence a component, with its largest classes."""
    for one in (document.get("components") or {}).values():
        yield Paragraph(f"{one['sentence']}.")


def _doubts(document: Mapping[str, Any]) -> Iterator[Paragraph]:
    """Components much of whose time lies in code without symbols."""
    for name, one in document["components"].items():
        if one["unnamed_share"] >= UNNAMED:
            text = f"{show_share(one['unnamed_share'])} of the CPU time of {name} is in code without symbols."
            yield Paragraph(text, tone="warn", size="note")


def _cost(one: Kept, view: TrialView) -> str:
    """What a profile is made of, and what it cost."""
    assert one.summary is not None
    seen = one.summary.time_ns / 1e9 / one.duration_s if one.duration_s else 0.0
    is_cpu = one.profile is None or one.profile.kind == "cpu"
    what = "cores busy" if is_cpu else "threads at once"
    told = f"{one.summary.samples:,} samples, {numbers.amount(seen, '')} {what} on average"
    said = [f"At {one.load} load, {one.profiler} watched for {numbers.amount(one.duration_s, 's')}: {told}."]
    if one.used_cores is not None and is_cpu and seen < SEEN_ENOUGH * one.used_cores:
        said.append(
            f"In all {numbers.amount(one.used_cores, '')} were: the rest is time that it does not see."
        )
    effect = throughput_change(view.recording, one.window, [each.window for each in kept(view.recording)])
    if effect is None:
        said.append(
            "What it cost the server cannot be said: the load was not even around it for long enough."
        )
    else:
        said.append(
            f"While it did, throughput was {numbers.change(effect.ratio)} against just before and after "
            f"(95 %: {numbers.change_span(*effect.ratio_interval)})."
        )
    if one.cpu_s is None:
        said.append("It works within the server, so its CPU time is part of the server's.")
    else:
        said.append(f"Its own programs used {numbers.amount(one.cpu_s, 's')} of CPU time.")
    return " ".join(said)
