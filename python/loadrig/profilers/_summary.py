"""Adding up a profile: self and total time by function, and by origin of the code."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from loadrig.profilers._origin import ORIGINS, Origin, Own, origin_of
from loadrig.profilers._stacks import Profile, StackFrame


@dataclass(frozen=True, slots=True)
class TimeUse:
    """Time of a function. self_share, total_share: 0…1 of the profile's time.

    self: while it was the innermost; total: while it was anywhere in the stack, counted once.
    file, line: the place where it was seen most; "" and 0 where that is not known.
    """

    name: str
    origin: Origin
    self_share: float
    total_share: float
    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Summary:
    """A profile in figures. functions: by self time, then by total time, most first.

    shares: self time by origin, 0…1. samples: looks at a thread; time_ns: the time that they stand for.
    """

    samples: int
    time_ns: int
    shares: Mapping[Origin, float]
    functions: tuple[TimeUse, ...]

    def own(self, most: int) -> tuple[TimeUse, ...]:
        """Return the functions of the program's own code, at most `most`, by self time."""
        return tuple(use for use in self.functions if use.origin == "own")[:most]


def summary(profile: Profile, own: Own) -> Summary:
    """Return the figures of a profile. own: tells the program's own code."""
    whole = max(1, profile.time_ns)
    origins: dict[StackFrame, Origin] = {}
    shares: dict[Origin, float] = dict.fromkeys(ORIGINS, 0.0)
    for stack, weight in profile.stacks.items():
        for frame in stack.frames:
            if frame not in origins:
                origins[frame] = origin_of(frame, own)
        shares[origins[stack.frames[-1]]] += weight.time_ns / whole
    return Summary(profile.count, profile.time_ns, shares, _uses(profile, origins))


def _uses(profile: Profile, origins: Mapping[StackFrame, Origin]) -> tuple[TimeUse, ...]:
    whole = max(1, profile.time_ns)
    keys = {frame: (frame.function, frame.file, frame.module) for frame in origins}
    selfs: Counter[tuple[str, str, str]] = Counter()
    totals: Counter[tuple[str, str, str]] = Counter()
    times_ns: defaultdict[tuple[str, str, str], Counter[StackFrame]] = defaultdict(Counter)
    for stack, weight in profile.stacks.items():
        for frame in set(stack.frames):
            times_ns[keys[frame]][frame] += weight.time_ns
        for key in {keys[frame] for frame in stack.frames}:
            totals[key] += weight.time_ns
        selfs[keys[stack.frames[-1]]] += weight.time_ns
    uses = []
    for key, total in totals.items():
        name, file, module = key
        most = max(times_ns[key], key=times_ns[key].__getitem__)
        line = most.line if file else 0
        uses.append(TimeUse(name, origins[most], selfs[key] / whole, total / whole, file or module, line))
    return tuple(sorted(uses, key=lambda use: (-use.self_share, -use.total_share, use.name)))
