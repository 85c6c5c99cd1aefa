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
"""Names within a class that are told: a reader takes in no more."""

MOST_FUNCTIONS = 10
"""Functions that are told."""

PLACES = 4
"""Digits behind the point of a share: of 10,000 samples one is seen."""


@dataclass(frozen=True, slots=True)
class Share:
    """A class of CPU time. share: of the time seen, with its 95 % interval; names: with theirs."""

    work: str
    words: str
    share: float
    interval: tuple[float, float]
    samples: int
    names: tuple[tuple[str, float], ...]


def classes_of(one: Kept) -> tuple[Share, ...]:
    """Return the classes of a profile, most time first; empty where its files cannot be read.

    The interval is Wilson's of the samples, as many as they are worth: samples resemble their neighbours, so
    where the bursts differ more than chance lets them, fewer are counted (Pearson's overdispersion, over all
    classes). Source: McCullagh & Nelder, Generalized Linear Models, 2nd ed. 1989, 4.5.
    """
    folded = one.folded
    if folded is None or not folded.total_ns:
        return ()
    time_ns, samples = folded.by_class(folded.time_ns), folded.by_class(folded.samples)
    worth = sum(samples.values()) / overdispersion([_counts(part) for part in one.bursts])
    found = []
    for work, spent_ns in time_ns.items():
        share = spent_ns / folded.total_ns
        names = tuple((name, part_ns / folded.total_ns) for name, part_ns in _names(folded, work) if name)[
            :MOST_NAMES
        ]
        found.append(Share(work, table().classes[work], share, _interval(share, worth), samples[work], names))
    return tuple(sorted(found, key=lambda each: (-each.share, each.work)))


def overdispersion(bursts: Sequence[Mapping[str, int]]) -> float:
    """By how much bursts differ more than samples drawn alone would: 1 or more; 1 of a single burst.

    bursts: samples by class of each.
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
    found = wilson_share(min(whole, round(share * whole)), whole)
    return min(found.low, share), max(found.high, share)


def _names(folded: Folded, work: str) -> list[tuple[str, int]]:
    named = [(each.name, spent_ns) for each, spent_ns in folded.time_ns.items() if each.work == work]
    return sorted(named, key=lambda pair: (-pair[1], pair[0]))


def cpu_time_of(recording: Recording) -> dict[str, Any]:
    """Return the document of a recording; empty where nothing was profiled and nothing is missing."""
    components: dict[str, Any] = {}
    for one in kept(recording):
        # Of two profiles of one component the one that was asked for is longer, and comes first.
        if one.load == "high" and one.component not in components and one.folded is not None:
            components[one.component] = _component(one, recording)
    gaps = [
        {
            "component": event.component, "text": event.text, "code": event.facts.get("code", ""),
            "mend": event.facts.get("mend", ""),
        }
        for event in recording.events
        if event.kind == "note" and event.subject == "burst"
    ]  # fmt: skip
    return {"version": VERSION, "components": components, "gaps": gaps} if components or gaps else {}


def _component(one: Kept, recording: Recording) -> dict[str, Any]:
    folded = one.folded
    assert folded is not None
    start_ns = int(recording.manifest.get("start_ns") or recording.measured.from_ns)
    seen = folded.total_ns / 1e9 / one.duration_s if one.duration_s else 0.0
    classes = [_class(each) for each in classes_of(one)]
    return {
        "profiler": one.profiler,
        "why": one.why,
        "bursts": [
            {
                "from_s": round((part.window.from_ns - start_ns) / 1e9, 3),
                "to_s": round((part.window.to_ns - start_ns) / 1e9, 3),
            }
            for part in one.bursts
        ],
        "sentence": sentence(one.component, classes),
        "samples": sum(folded.samples.values()),
        "seen_cores": round(seen, PLACES),
        "used_cores": None if one.used_cores is None else round(one.used_cores, PLACES),
        "classes": classes,
        "functions": _functions(one, folded),
        "threads": _threads(one),
        "unnamed_share": round(folded.unnamed_ns / folded.total_ns, PLACES) if folded.total_ns else 0.0,
    }


def _class(each: Share) -> dict[str, Any]:
    return {
        "class": each.work,
        "words": each.words,
        "share": round(each.share, PLACES),
        "interval": [round(end, PLACES) for end in each.interval],
        "samples": each.samples,
        "names": [{"name": name, "share": round(share, PLACES)} for name, share in each.names],
    }


def _functions(one: Kept, folded: Folded) -> list[dict[str, Any]]:
    """The functions in which the program was most, each under the class that it was in most."""
    spent: dict[Any, int] = {}
    works: dict[Any, dict[Work, int]] = {}
    for (frame, work), time_ns in folded.functions.items():
        spent[frame] = spent.get(frame, 0) + time_ns
        works.setdefault(frame, {})[work] = time_ns
    first = sorted(spent, key=lambda frame: (-spent[frame], frame.function))[:MOST_FUNCTIONS]
    return [
        {
            "function": frame.function,
            "place": frame.file or name_of(frame, one.own),
            "class": max(works[frame], key=lambda work: works[frame][work]).work,
            "share": round(spent[frame] / folded.total_ns, PLACES),
        }
        for frame in first
    ]


def _threads(one: Kept) -> list[dict[str, Any]]:
    profile = one.profile
    return [
        {
            "thread": each.thread,
            "pid": each.pid,
            "share": round(each.share, PLACES),
            "function": each.function.function,
            "place": each.function.file or name_of(each.function, one.own),
        }
        for each in (threads_of(profile) if profile is not None else ())
    ]


def sentence(name: str, classes: Sequence[Mapping[str, Any]], most: int = 4) -> str:
    """Return one line on a component: "CPU of api: 41 % serialising (json), 22 % own code, 37 % the rest".

    classes: as the document has them.
    """
    told = [each for each in classes if each["share"] >= 0.005][:most]
    parts = [f"{_percent(each['share'])} {class_words(each)}" for each in told]
    rest = 1.0 - sum(each["share"] for each in told)
    if rest >= 0.005:
        parts.append(f"{_percent(rest)} the rest")
    return f"CPU of {name}: {', '.join(parts)}"


def class_words(each: Mapping[str, Any]) -> str:
    """Return a class as a reader would say it, with what it is most: "serialising (json)"."""
    names = [str(row["name"]) for row in each["names"] if row["name"] != each["words"]]
    if not names or each["class"] == OWN:
        return str(each["words"])
    shown = ", ".join(names[: 2 if each["class"] == OTHER else 1])
    return f"{each['words']} ({shown})"


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %"
