"""Adding up a profile: self and total time by function and by class, and by origin of the code."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from loadrig.profilers._origin import ORIGINS, Origin, Own, origin_of, package_of_go
from loadrig.profilers._stacks import Profile, StackFrame


@dataclass(frozen=True, slots=True)
class TimeUse:
    """Time of a function or class. self_share, total_share: 0…1 of the profile's time.

    self: while it was the innermost; total: while it was anywhere in the stack, counted once.
    file, line: of a function, the place where it was seen most; "" and 0 where that is not known.
    """

    name: str
    origin: Origin
    self_share: float
    total_share: float
    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Summary:
    """A profile in figures. functions, classes: by self time, then by total time, most first.

    shares: self time by origin, 0…1. samples: looks at a thread; time_ns: the time that they stand for.
    """

    samples: int
    time_ns: int
    shares: Mapping[Origin, float]
    functions: tuple[TimeUse, ...]
    classes: tuple[TimeUse, ...]

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
    functions = _uses(profile, origins, lambda frame: (frame.function, frame.file, frame.module))
    classes = _uses(profile, origins, lambda frame: (class_of(frame, own.runtime), "", ""))
    return Summary(profile.count, profile.time_ns, shares, functions, classes)


_Key = tuple[str, str, str]


def _uses(
    profile: Profile, origins: Mapping[StackFrame, Origin], key_of: Callable[[StackFrame], _Key]
) -> tuple[TimeUse, ...]:
    whole = max(1, profile.time_ns)
    keys = {frame: key_of(frame) for frame in origins}
    selfs: dict[_Key, int] = {}
    totals: dict[_Key, int] = {}
    times_ns: dict[_Key, dict[StackFrame, int]] = {}
    for stack, weight in profile.stacks.items():
        for frame in set(stack.frames):
            places = times_ns.setdefault(keys[frame], {})
            places[frame] = places.get(frame, 0) + weight.time_ns
        for key in {keys[frame] for frame in stack.frames}:
            totals[key] = totals.get(key, 0) + weight.time_ns
        innermost = keys[stack.frames[-1]]
        selfs[innermost] = selfs.get(innermost, 0) + weight.time_ns
    uses = []
    for key, total in totals.items():
        most = max(times_ns[key], key=lambda frame: times_ns[key][frame])
        line = most.line if key[1] else 0
        self_share, total_share = selfs.get(key, 0) / whole, total / whole
        uses.append(TimeUse(key[0], origins[most], self_share, total_share, key[1] or key[2], line))
    return tuple(sorted(uses, key=lambda use: (-use.self_share, -use.total_share, use.name)))


def class_of(frame: StackFrame, runtime: str) -> str:
    """Return the class of a function; for a function outside any class its package, file or library."""
    name = frame.function
    if runtime == "go" and (package := package_of_go(name)):
        receiver = name[len(package) + 1 :].partition(".")[0]
        return f"{package}.{receiver}" if receiver.startswith("(") else package
    if runtime in ("jvm", "cpython") and "." in name and not frame.module:
        return name.rpartition(".")[0].removesuffix(".<locals>")
    return frame.file or frame.module or name
