"""CPU time of programs by class of work: the document under `cpu_time` in a trial's result."""

from collections.abc import Sequence

from msgspec.structs import replace

from loadrig.profilers._classes import OTHER, OWN, Folded, StackWork, name_of
from loadrig.profilers._cpu_document import (
    VERSION,
    ClassTime,
    ComponentTime,
    CpuTimeDocument,
    FunctionTime,
    ProfiledStretch,
    ProfileGap,
    ThreadTime,
)
from loadrig.profilers._origin import Own
from loadrig.profilers._recorded import KeptProfile, profiles_of
from loadrig.profilers._shares import classes_of
from loadrig.profilers._stacks import Profile, StackFrame
from loadrig.recording.event_facts import NoteFacts, facts_of
from loadrig.recording.reader import Recording

MOST_FUNCTIONS = 10
"""Functions that are reported, at most."""

MOST_THREADS = 5
"""Threads that are reported, at most; threads of a pool look alike, so the first few tell what they do."""

PLACES = 4
"""Digits behind the point of a share, so that a single sample of 10,000 shows."""


def cpu_time_of(recording: Recording) -> CpuTimeDocument | None:
    """Return the document of a recording; None where nothing was profiled and nothing is missing."""
    components: dict[str, ComponentTime] = {}
    for profile in profiles_of(recording):
        # Of two profiles of a component the one that the plan asks for is longer, and it comes first.
        if profile.load == "high" and profile.component not in components and profile.folded is not None:
            components[profile.component] = _component(profile, profile.folded, recording)
    gaps = tuple(
        ProfileGap(event.component, event.text, facts.code, facts.mend)
        for event in recording.events
        if event.kind == "note" and event.subject == "burst"
        for facts in (facts_of(event, NoteFacts),)
    )
    return CpuTimeDocument(VERSION, components, gaps) if components or gaps else None


def _component(kept_profile: KeptProfile, folded: Folded, recording: Recording) -> ComponentTime:
    start_ns = recording.start_ns
    seen_cores = folded.total_ns / 1e9 / kept_profile.duration_s if kept_profile.duration_s else 0.0
    classes = tuple(_rounded(row) for row in classes_of(kept_profile))
    profile = kept_profile.profile
    return ComponentTime(
        profiler=kept_profile.profiler,
        why=kept_profile.why,
        bursts=tuple(
            ProfiledStretch(
                round((part.window.from_ns - start_ns) / 1e9, 3),
                round((part.window.to_ns - start_ns) / 1e9, 3),
            )
            for part in kept_profile.bursts
        ),
        sentence=sentence(kept_profile.component, classes),
        samples=sum(folded.samples.values()),
        seen_cores=round(seen_cores, PLACES),
        used_cores=None if kept_profile.used_cores is None else round(kept_profile.used_cores, PLACES),
        classes=classes,
        functions=_functions(kept_profile, folded),
        threads=threads_of(profile, kept_profile.own) if profile is not None else (),
        unnamed_share=round(folded.unnamed_ns / folded.total_ns, PLACES) if folded.total_ns else 0.0,
    )


def _rounded(row: ClassTime) -> ClassTime:
    low, high = row.interval
    return replace(
        row,
        share=round(row.share, PLACES),
        interval=(round(low, PLACES), round(high, PLACES)),
        names=tuple(replace(part, share=round(part.share, PLACES)) for part in row.names),
    )


def _functions(kept_profile: KeptProfile, folded: Folded) -> tuple[FunctionTime, ...]:
    """Return the functions in which the program was most, each under the class with most of its time."""
    spent: dict[StackFrame, int] = {}
    works: dict[StackFrame, dict[StackWork, int]] = {}
    for (frame, work), time_ns in folded.functions.items():
        spent[frame] = spent.get(frame, 0) + time_ns
        works.setdefault(frame, {})[work] = time_ns
    first = sorted(spent, key=lambda frame: (-spent[frame], frame.function))[:MOST_FUNCTIONS]
    return tuple(
        FunctionTime(
            function=frame.function,
            place=frame.file or name_of(frame, kept_profile.own),
            work=max(works[frame], key=lambda work: works[frame][work]).work,
            share=round(spent[frame] / folded.total_ns, PLACES),
        )
        for frame in first
    )


def threads_of(profile: Profile, own: Own) -> tuple[ThreadTime, ...]:
    """Return the threads of a profile, most time first; empty where the profiler does not know threads."""
    spent: dict[tuple[str, int], dict[StackFrame, int]] = {}
    for stack, weight in profile.stacks.items():
        if stack.thread:
            innermost = stack.frames[-1]
            # Lines of a function are added up: a function has a single place.
            place = StackFrame(innermost.function, innermost.file, 0, innermost.module)
            functions = spent.setdefault((stack.thread, stack.pid), {})
            functions[place] = functions.get(place, 0) + weight.time_ns
    whole = max(1, profile.time_ns)
    threads = [
        ThreadTime(
            thread, pid, round(sum(functions.values()) / whole, PLACES), most.function,
            most.file or name_of(most, own),
        )
        for (thread, pid), functions in spent.items()
        for most in (max(functions, key=lambda frame: functions[frame]),)
    ]  # fmt: skip
    return tuple(sorted(threads, key=lambda row: (-row.share, row.thread, row.pid))[:MOST_THREADS])


def sentence(name: str, classes: Sequence[ClassTime], most: int = 4) -> str:
    """Return a line on a component: "CPU of api: 41 % serialising (json), 22 % own code, 37 % the rest"."""
    shown = [row for row in classes if row.share >= 0.005][:most]
    parts = [f"{_percent(row.share)} {class_words(row)}" for row in shown]
    rest = 1.0 - sum(row.share for row in shown)
    if rest >= 0.005:
        parts.append(f"{_percent(rest)} the rest")
    return f"CPU of {name}: {', '.join(parts)}"


def class_words(row: ClassTime) -> str:
    """Return a class in a reader's words, with what most of it is: "serialising (json)"."""
    names = [part.name for part in row.names if part.name != row.words]
    if not names or row.work == OWN:
        return row.words
    shown = ", ".join(names[: 2 if row.work == OTHER else 1])
    return f"{row.words} ({shown})"


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %"
