"""What programs spend their CPU time on, by class, as plain data: the key `cpu_time` of a trial's result."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from loadrig.profilers._classes import OTHER, OWN, Folded, Work, fold, name_of, table
from loadrig.profilers._kept import Kept, kept
from loadrig.profilers._threads import threads_of
from loadrig.recording.reader import Recording

VERSION = 1
"""Version of the document: it changes when a field changes its meaning or is left out."""

FIELDS: Mapping[str, str] = {
    "version": "version of this document",
    "components": "by name, those that were profiled under high load",
    "components.NAME.profiler": "which profiler saw it",
    "components.NAME.why": "what was nearly full when the rig took bursts; empty where the plan asked for it",
    "components.NAME.bursts": "`from_s` and `to_s` of each profile, in seconds since the load began",
    "components.NAME.sentence": "the largest classes in words",
    "components.NAME.samples": "looks at a thread that ran, in all bursts",
    "components.NAME.seen_cores": "CPU time that was seen, over the time of the bursts: cores on average",
    "components.NAME.used_cores": "cores that it used meanwhile by its own counters, or null",
    "components.NAME.classes": "most first: `class`, `words`, `share` of the time seen, its 95 % `interval`,"
    " `samples`, and `names`: what of that class, each with its `share` of the whole",
    "components.NAME.functions": "functions in which it was most: `function`, `place`, `class`, `share`",
    "components.NAME.threads": "threads that used most of it: `thread`, `pid`, `share`, and the `function` in"
    " which it was most, with its `place`; empty where the profiler does not tell threads apart",
    "components.NAME.unnamed_share": "share of the time in code without symbols, of which no class is known",
    "gaps": "what was nearly full and could not be profiled: `component`, `text`, `code`, `mend`",
}
"""Every field of the document, with its meaning."""

MOST_NAMES = 5
"""Names that are reported within a class, at most: a reader takes in no more."""

MOST_FUNCTIONS = 10
"""Functions that are reported, at most."""

PLACES = 4
"""Digits behind the point of a share, so that a single sample of 10,000 shows."""


@dataclass(frozen=True, slots=True)
class Share:
    """A class of CPU time.

    share: of the time seen, 0 to 1, with its 95 % `interval`; names: with their shares.
    """

    work: str
    words: str
    share: float
    interval: tuple[float, float]
    samples: int
    names: tuple[tuple[str, float], ...]


def classes_of(profile: Kept) -> tuple[Share, ...]:
    """Return the classes of a profile, most time first; empty where its files cannot be read.

    The interval is Wilson's of the samples, as many as they are worth: samples resemble their neighbours, so
    where the bursts differ more than chance lets them, fewer are counted (Pearson's overdispersion, over all
    classes). Source: McCullagh & Nelder, Generalized Linear Models, 2nd ed. 1989, 4.5.
    """
    folded = profile.folded
    if folded is None or not folded.total_ns:
        return ()
    time_ns, samples = folded.by_class(folded.time_ns), folded.by_class(folded.samples)
    worth = sum(samples.values()) / overdispersion([_counts(part) for part in profile.bursts])
    shares = []
    for work, spent_ns in time_ns.items():
        share = spent_ns / folded.total_ns
        names = tuple((name, part_ns / folded.total_ns) for name, part_ns in _names(folded, work) if name)[
            :MOST_NAMES
        ]
        shares.append(
            Share(work, table().classes[work], share, _interval(share, worth), samples[work], names)
        )
    return tuple(sorted(shares, key=lambda row: (-row.share, row.work)))


def overdispersion(bursts: Sequence[Mapping[str, int]]) -> float:
    """Return how much more bursts differ than samples drawn independently would: 1 or more; 1 for one burst.

    bursts: samples of each burst by class.
    """
    filled = [burst for burst in bursts if sum(burst.values()) > 0]
    classes = {name for burst in filled for name, count in burst.items() if count}
    if len(filled) < 2 or len(classes) < 2:
        return 1.0
    whole = sum(sum(burst.values()) for burst in filled)
    squares = 0.0
    for name in classes:
        share = sum(burst.get(name, 0) for burst in filled) / whole
        for burst in filled:
            expected = sum(burst.values()) * share
            squares += (burst.get(name, 0) - expected) ** 2 / expected
    return max(1.0, squares / ((len(filled) - 1) * (len(classes) - 1)))


def _counts(part: Kept) -> dict[str, int]:
    profile = part.own_profile
    if profile is None:
        return {}
    folded = fold(profile, part.own)
    return folded.by_class(folded.samples)


def _interval(share: float, worth: float) -> tuple[float, float]:
    # With scipy it takes a second to import, and a trial's start needs none of it.
    from loadrig.stats.intervals import wilson_share

    whole = max(1, round(worth))
    interval = wilson_share(min(whole, round(share * whole)), whole)
    return min(interval.low, share), max(interval.high, share)


def _names(folded: Folded, work: str) -> list[tuple[str, int]]:
    names = [(entry.name, spent_ns) for entry, spent_ns in folded.time_ns.items() if entry.work == work]
    return sorted(names, key=lambda pair: (-pair[1], pair[0]))


def cpu_time_of(recording: Recording) -> dict[str, Any]:
    """Return the document of a recording; empty where nothing was profiled and nothing is missing."""
    components: dict[str, Any] = {}
    for profile in kept(recording):
        # Of two profiles of a component the one that the plan asks for is longer, and it comes first.
        if profile.load == "high" and profile.component not in components and profile.folded is not None:
            components[profile.component] = _component(profile, recording)
    gaps = [
        {
            "component": event.component, "text": event.text, "code": event.facts.get("code", ""),
            "mend": event.facts.get("mend", ""),
        }
        for event in recording.events
        if event.kind == "note" and event.subject == "burst"
    ]  # fmt: skip
    return {"version": VERSION, "components": components, "gaps": gaps} if components or gaps else {}


def _component(kept_profile: Kept, recording: Recording) -> dict[str, Any]:
    folded = kept_profile.folded
    assert folded is not None
    start_ns = int(recording.manifest.get("start_ns") or recording.measured.from_ns)
    seen_cores = folded.total_ns / 1e9 / kept_profile.duration_s if kept_profile.duration_s else 0.0
    classes = [_class(share) for share in classes_of(kept_profile)]
    return {
        "profiler": kept_profile.profiler,
        "why": kept_profile.why,
        "bursts": [
            {
                "from_s": round((part.window.from_ns - start_ns) / 1e9, 3),
                "to_s": round((part.window.to_ns - start_ns) / 1e9, 3),
            }
            for part in kept_profile.bursts
        ],
        "sentence": sentence(kept_profile.component, classes),
        "samples": sum(folded.samples.values()),
        "seen_cores": round(seen_cores, PLACES),
        "used_cores": None if kept_profile.used_cores is None else round(kept_profile.used_cores, PLACES),
        "classes": classes,
        "functions": _functions(kept_profile, folded),
        "threads": _threads(kept_profile),
        "unnamed_share": round(folded.unnamed_ns / folded.total_ns, PLACES) if folded.total_ns else 0.0,
    }


def _class(row: Share) -> dict[str, Any]:
    return {
        "class": row.work,
        "words": row.words,
        "share": round(row.share, PLACES),
        "interval": [round(end, PLACES) for end in row.interval],
        "samples": row.samples,
        "names": [{"name": name, "share": round(share, PLACES)} for name, share in row.names],
    }


def _functions(kept_profile: Kept, folded: Folded) -> list[dict[str, Any]]:
    """Return the functions in which the program was most, each under the class with most of its time."""
    spent: dict[Any, int] = {}
    works: dict[Any, dict[Work, int]] = {}
    for (frame, work), time_ns in folded.functions.items():
        spent[frame] = spent.get(frame, 0) + time_ns
        works.setdefault(frame, {})[work] = time_ns
    first = sorted(spent, key=lambda frame: (-spent[frame], frame.function))[:MOST_FUNCTIONS]
    return [
        {
            "function": frame.function,
            "place": frame.file or name_of(frame, kept_profile.own),
            "class": max(works[frame], key=lambda work: works[frame][work]).work,
            "share": round(spent[frame] / folded.total_ns, PLACES),
        }
        for frame in first
    ]


def _threads(kept_profile: Kept) -> list[dict[str, Any]]:
    profile = kept_profile.profile
    return [
        {
            "thread": thread.thread,
            "pid": thread.pid,
            "share": round(thread.share, PLACES),
            "function": thread.function.function,
            "place": thread.function.file or name_of(thread.function, kept_profile.own),
        }
        for thread in (threads_of(profile) if profile is not None else ())
    ]


def sentence(name: str, classes: Sequence[Mapping[str, Any]], most: int = 4) -> str:
    """Return a line on a component: "CPU of api: 41 % serialising (json), 22 % own code, 37 % the rest".

    classes: as in the document.
    """
    shown = [row for row in classes if row["share"] >= 0.005][:most]
    parts = [f"{_percent(row['share'])} {class_words(row)}" for row in shown]
    rest = 1.0 - sum(row["share"] for row in shown)
    if rest >= 0.005:
        parts.append(f"{_percent(rest)} the rest")
    return f"CPU of {name}: {', '.join(parts)}"


def class_words(work: Mapping[str, Any]) -> str:
    """Return a class in a reader's words, with what most of it is: "serialising (json)"."""
    names = [str(row["name"]) for row in work["names"] if row["name"] != work["words"]]
    if not names or work["class"] == OWN:
        return str(work["words"])
    shown = ", ".join(names[: 2 if work["class"] == OTHER else 1])
    return f"{work['words']} ({shown})"


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %"
