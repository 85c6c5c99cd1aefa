"""Work that a program's CPU time goes to, by class and by function: from a profile, or from looks at a lock.

A sample counts for a class where, from the innermost call outward, a function of that class comes before the
program's own code and before what sends to a connection. So a middleware that compresses does not count for
what it wraps, nor an encoder for the program's own methods that it calls.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from loadrig.base.series import Event
from loadrig.judgement.constants import MOSTLY
from loadrig.judgement.evidence import EventSource, ProfileSource, Source
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import Tier
from loadrig.profilers import Folder, KeptProfile, Own, StackFrame, classes_of
from loadrig.profilers._classes import table
from loadrig.recording.event_facts import HoldersFacts, facts_of

USUAL_KERNEL_SHARE = 1 / 3
"""Share of its CPU time that a web server spends in the kernel for its sockets, 0 to 1."""

LINE_S, COMPILED_LINE_S = 5e-6, 1e-6
"""CPU time of a short line to a log, in seconds, at least: interpreted, and compiled. 4 µs were measured with
PHP's error_log, 6 with Ruby's Logger, 9 with CPython's logging; what the line is made of comes on top."""

INTERPRETERS = re.compile(r"^(?:lib)?(?:ruby|php|perl|lua)[-.\d]*")
"""Libraries and programs that interpret a language, whose functions a profile of the CPU does not name."""

LEAST_HOT_SHARE = 0.25
"""Share of the samples in a function, 0 to 1. Below it the function is not what fills the CPU."""

WITHOUT_LOCK = "compress"
"""Class of work that mostly runs without the interpreter lock, where looks at its holder miss it."""


@dataclass(frozen=True, slots=True)
class WorkShare:
    """Class of work of a program. share: of its CPU time, 0 to 1; words: what it is called.

    samples: number of looks at the program, of whatever it did.
    """

    work: str
    share: float
    words: str
    samples: int
    source: Source


def works_of(case: Case, tier: Tier) -> tuple[WorkShare, ...]:
    """Return the classes of a program's work under high load; empty where nobody looked."""
    for profile in case.profiles:
        if profile.component == tier.name and profile.load == "high":
            return _of_profile(tier, profile)
    return _of_looks(tier, case.events_of("gil_top", component=tier.name))


@dataclass(frozen=True, slots=True)
class Logged:
    """Lines that a program writes to its logs for each request.

    line_s: CPU time of each, at least. share: of the program's CPU time, 0 to 1.
    """

    a_request: float
    line_s: float
    share: float
    source: Source

    @property
    def words(self) -> str:
        """Name of the class of work."""
        return table().classes["log"]


def logged(case: Case, tier: Tier) -> Logged | None:
    """Return what a program's lines to logs take of its CPU time at least; None where none was read.

    For programs whose own functions no profile names: elsewhere the class of work says how much it is.
    """
    lines = tier.track("server_log.lines")
    if lines is None or tier.cpu is None or not (tier.cpu.mean > 0 and case.load.ended_rps > 0):
        return None
    line_s = LINE_S if _is_interpreted(case, tier) else COMPILED_LINE_S
    share = min(1.0, lines.mean * line_s / tier.cpu.mean)
    return Logged(lines.mean / case.load.ended_rps, line_s, share, lines.source)


def _is_interpreted(case: Case, tier: Tier) -> bool:
    """Return whether a program is written in an interpreted language, by its runtime or its profile."""
    profile = next((each.profile for each in case.profiles if each.component == tier.name), None)
    if tier.runtime == "cpython" or profile is None:
        return tier.runtime == "cpython"
    within = sum(
        weight.time_ns
        for stack, weight in profile.stacks.items()
        if any(INTERPRETERS.match(frame.module.rpartition("/")[2]) for frame in stack.frames)
    )
    return within >= MOSTLY * profile.time_ns


def work_of_python(frame: str) -> str | None:
    """Return the class of a function as the probe `python` names it; None where it has none.

    For example "JSONEncoder.encode (json/encoder.py:205)".
    """
    name, _, rest = frame.rpartition(" (")
    place = rest.rpartition(":")[0]
    work = Folder(Own("cpython")).work_of_frame(StackFrame(name, f"/{place}")) if place else None
    return None if work is None else work.work


def _of_profile(tier: Tier, profile: KeptProfile) -> tuple[WorkShare, ...]:
    source = ProfileSource(tier.name, f"profiles/{profile.path.name}")
    classes = classes_of(profile)
    samples = sum(share.samples for share in classes)
    hidden = _hidden_share(tier, profile)
    # Shares are of all CPU time that was used, so time that the profile missed lowers them.
    return tuple(
        WorkShare(
            row.work, row.share * (1 - hidden) + (hidden if row.work == WITHOUT_LOCK else 0.0),
            row.words, samples, source,
        )
        for row in classes
    )  # fmt: skip


def _hidden_share(tier: Tier, profile: KeptProfile) -> float:
    """Return the share of CPython's user time that ran without the lock, and a profile of holders missed."""
    user, cpu = tier.track("process.cpu_user_s", "tree"), tier.cpu
    if profile.sees_all or profile.own.runtime != "cpython" or user is None or cpu is None or not cpu.mean:
        return 0.0
    used_s = (profile.used_cores or 0.0) * profile.duration_s
    if profile.profile is None or not used_s > 0:
        return 0.0
    return max(0.0, min(1.0, user.mean / cpu.mean) - profile.profile.time_ns / 1e9 / used_s)


def _of_looks(tier: Tier, looks: Sequence[Event]) -> tuple[WorkShare, ...]:
    """Return the classes by who held Python's interpreter lock at each look."""
    shares: dict[str, float] = {}
    holders = [facts_of(event, HoldersFacts) for event in looks]
    for look in holders:
        for frame in look.frames:
            work = work_of_python(frame.frame)
            if work is not None:
                shares[work] = shares.get(work, 0.0) + frame.share / len(looks)
    samples = sum(look.looks for look in holders)
    source = EventSource(tier.name, "gil_top", len(looks))
    return tuple(
        WorkShare(work, share, table().classes[work], samples, source) for work, share in shares.items()
    )


def hot_function(case: Case, tier: Tier) -> tuple[str, Source] | None:
    """Return the function and its place, "burn (shop.py:8)"; None where nobody looked or none stands out."""
    for profile in case.profiles:
        if profile.component != tier.name or profile.load != "high" or profile.summary is None:
            continue
        own = profile.summary.own(1)
        # A function without a symbol is "[unknown]": nobody can make it cheaper by that name.
        if own and own[0].self_share >= LEAST_HOT_SHARE and not own[0].name.startswith("["):
            place = own[0].file.rpartition("/")[2]
            line = f":{own[0].line}" if own[0].line else ""
            named = f"{own[0].name} ({place}{line})" if place else own[0].name
            return named, ProfileSource(tier.name, f"profiles/{profile.path.name}")
    looks = case.events_of("gil_top", component=tier.name)
    frames = facts_of(looks[-1], HoldersFacts).frames if looks else ()
    if frames and frames[0].share >= LEAST_HOT_SHARE:
        return frames[0].frame, EventSource(tier.name, "gil_top", len(looks))
    return None
