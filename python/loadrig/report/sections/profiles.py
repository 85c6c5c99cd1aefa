"""Section on what components spend their CPU time on, by class and by function, and what it cost to know."""

from collections.abc import Iterator

from loadrig.base.series import Event
from loadrig.base.units import show_share
from loadrig.language.choice import texts_of
from loadrig.language.en.report.sections import ProfilesSectionTexts
from loadrig.profilers import KeptProfile, profiles_of, throughput_change
from loadrig.profilers._cpu_document import CpuTimeDocument
from loadrig.profilers._cpu_time import cpu_time_of
from loadrig.report import numbers, top_frames
from loadrig.report.figures import cpu_time, flame_graph
from loadrig.report.model import Block, Paragraph, PerView, Section, present
from loadrig.report.run import Run, TrialView

TEXTS = texts_of(ProfilesSectionTexts)

ORDER = 75
TITLE = "Profiles"

SEEN_ENOUGH = 0.85
"""Share of the used CPU time from which on a profile needs no remark: attaching and rounding cost a part."""


UNNAMED = 0.25
"""Share of code without symbols from which on the absence of a class says nothing."""


def build(run: Run) -> Section | None:
    """Return classes, top functions and a flame graph of each profiled component; None where none was.

    Of what the rig has profiled by itself a terminal shows one line a component.
    """
    views = [view for view in run.views if profiles_of(view.recording) or _notes(view)]
    if not views:
        return None
    first = run.views[0]
    terminal = None if _is_asked(first) else _lines(first)
    pictures = sum(1 for view in views for profile in profiles_of(view.recording) if profile.load == "high")
    most_nodes = flame_graph.MOST_NODES // max(1, pictures // 2)
    return Section(
        "profiles",
        TITLE,
        (PerView({view.id: _blocks(view, max(300, most_nodes)) for view in run.views}),),
        lead=TEXTS.lead,
        in_text=run.study is None if terminal is None else bool(terminal),
        terminal=terminal,
    )


def _is_asked(view: TrialView) -> bool:
    """Return whether the plan has asked for profiles."""
    return any(not profile.why for profile in profiles_of(view.recording)) or any(
        event.subject == "profile" for event in _missing(view)
    )


def _lines(view: TrialView) -> tuple[Paragraph, ...]:
    """Return a sentence for each component, and what could not be profiled."""
    return (
        *_sentences(cpu_time_of(view.recording)),
        *(Paragraph(f"{note}.", size="note") for note in _notes(view)),
    )


def _blocks(view: TrialView, most_nodes: int) -> tuple[Block, ...]:
    profiles = profiles_of(view.recording)
    blocks: list[Block] = []
    document = cpu_time_of(view.recording)
    figure = cpu_time.draw(view.id, document) if document is not None else None
    if document is not None and figure is not None:
        blocks += [*_sentences(document), figure, *_doubts(document)]
    for high in (profile for profile in profiles if profile.load == "high"):
        # Only profiles of one profiler compare: another one sees other frames, which would seem to grow.
        kind = ("low", high.component, high.profiler)
        lows = (p for p in profiles if (p.load, p.component, p.profiler) == kind)
        blocks += _profile(view, high, next(lows, None), most_nodes)
    if not blocks and not _notes(view):
        blocks.append(Paragraph(TEXTS.trial_not_profiled, size="note"))
    return (*blocks, *(Paragraph(f"{note}.", size="note") for note in _notes(view)))


def _profile(view: TrialView, high: KeptProfile, low: KeptProfile | None, most_nodes: int) -> list[Block]:
    """Return the top functions of a profile, its cost, and its flame graph."""
    if high.summary is None:
        return [Paragraph(TEXTS.profile_cannot_read(high.component, high.path.name), "warn")]
    return present(
        Paragraph(f"{top_frames.heading(high)}."),
        top_frames.table(high.summary, caption=TEXTS.caption(top_frames.named(high.component))),
        Paragraph(_cost(high, view), size="note"),
        Paragraph(_cost(low, view), size="note") if low is not None else None,
        flame_graph.draw(view.id, high, low, most_nodes),
    )


def _notes(view: TrialView) -> list[str]:
    """Return what could not be profiled, and why."""
    return [event.text for event in _missing(view)]


def _missing(view: TrialView) -> list[Event]:
    return [
        event
        for event in view.recording.events
        if event.kind == "note" and event.subject in ("profile", "burst")
    ]


def _sentences(document: CpuTimeDocument | None) -> Iterator[Paragraph]:
    """Yield a sentence for each component, with its largest classes."""
    for component in document.components.values() if document is not None else ():
        yield Paragraph(f"{component.sentence}.")


def _doubts(document: CpuTimeDocument) -> Iterator[Paragraph]:
    """Yield a sentence for each component much of whose time lies in code without symbols."""
    for name, component in document.components.items():
        if component.unnamed_share >= UNNAMED:
            share = show_share(component.unnamed_share)
            yield Paragraph(TEXTS.cpu_time_code(share, name), tone="warn", size="note")


def _cost(profile: KeptProfile, view: TrialView) -> str:
    """Return what a profile is made of, and what it cost."""
    assert profile.summary is not None
    average = profile.summary.time_ns / 1e9 / profile.duration_s if profile.duration_s else 0.0
    is_cpu = profile.profile is None or profile.profile.kind == "cpu"
    what = TEXTS.cores_busy if is_cpu else TEXTS.threads_once
    counts = TEXTS.samples_average(f"{profile.summary.samples:,}", numbers.amount(average, ""), what)
    watched = numbers.amount(profile.duration_s, "s")
    texts = [TEXTS.load_watched(profile.load, profile.profiler, watched, counts)]
    if profile.used_cores is not None and is_cpu and average < SEEN_ENOUGH * profile.used_cores:
        texts.append(TEXTS.all_rest_time(numbers.amount(profile.used_cores, "")))
    effect = throughput_change(
        view.recording, profile.window, [other.window for other in profiles_of(view.recording)]
    )
    if effect is None:
        texts.append(TEXTS.what_cost_server)
    else:
        texts.append(
            TEXTS.while_did_throughput(
                numbers.change(effect.ratio), numbers.change_span(*effect.ratio_interval)
            )
        )
    if profile.cpu_s is None:
        texts.append(TEXTS.works_within_server)
    else:
        texts.append(TEXTS.own_programs_used(numbers.amount(profile.cpu_s, "s")))
    return " ".join(texts)
