"""Classes of work on which CPU time is spent: stacks folded by the rules of `_classes.toml`. Pure."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec

from loadrig.profilers._formats import KERNEL
from loadrig.profilers._origin import Origin, Own, origin_of, package_of_go
from loadrig.profilers._stacks import Profile, Stack, StackFrame

C_CALL = "[c]"
"""Module of a frame for C code that a line of Python calls: known by the text of the line, see `_lines`."""

OWN, OTHER, IMPORT = "own", "other", "import"

UNNAMED = re.compile(r"\[unknown\]|0x[0-9a-f]+$")
"""Pattern of the name of a function without a symbol."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the table; see the head of `_classes.toml`."""

    work: str
    name: str
    runtime: str
    on: str
    pattern: re.Pattern[str]
    is_anywhere: bool
    why: str

    def knows(self, frame: StackFrame, thread: str) -> bool:
        """Return whether the rule applies to a frame or to its thread."""
        match self.on:
            case "file":
                return bool(frame.file) and self.pattern.search(frame.file) is not None
            case "function":
                return self.pattern.match(frame.function) is not None
            case "module":
                return bool(frame.module) and self.pattern.match(frame.module) is not None
            case "thread":
                return self.pattern.match(thread) is not None
            case _:
                return frame.module == C_CALL and self.pattern.search(frame.function) is not None


@dataclass(frozen=True, slots=True)
class ClassTable:
    """All classes with their words, in the order of the file, and the rules by the runtime of a frame."""

    classes: Mapping[str, str]
    rules: Mapping[str, tuple[Rule, ...]]
    wraps: re.Pattern[str]


class WrittenRule(msgspec.Struct, frozen=True, rename={"work": "class"}):
    """A rule as it stands in `_classes.toml`."""

    work: str
    name: str
    runtime: str
    on: str
    pattern: str
    why: str
    anywhere: bool = False


class WrittenWraps(msgspec.Struct, frozen=True):
    """Pattern of the functions that only call others."""

    functions: str


class WrittenTable(msgspec.Struct, frozen=True):
    """The file `_classes.toml`."""

    classes: dict[str, str]
    wraps: WrittenWraps
    rules: tuple[WrittenRule, ...]


@cache
def table() -> ClassTable:
    """Return the table, read once. Raises ValueError for a rule whose class is not listed."""
    text = Path(__file__).with_name("_classes.toml").read_text(encoding="utf-8")
    document = msgspec.toml.decode(text, type=WrittenTable)
    rules: dict[str, list[Rule]] = {}
    for row in document.rules:
        if row.work not in document.classes:
            raise ValueError(f"the rule {row.name!r} is of the class {row.work!r}, which is not listed")
        rule = Rule(row.work, row.name, row.runtime, row.on, re.compile(row.pattern), row.anywhere, row.why)
        rules.setdefault(rule.runtime, []).append(rule)
    wraps = re.compile(document.wraps.functions)
    return ClassTable(document.classes, {runtime: tuple(listed) for runtime, listed in rules.items()}, wraps)


@dataclass(frozen=True, slots=True)
class StackWork:
    """Work of a stack: a class, and a name within the class such as "json"; "" for own code."""

    work: str
    name: str


class Folder:
    """Folder of the stacks of a program into classes of work. own: tells the program's own code."""

    def __init__(self, own: Own) -> None:
        self._own = own
        self._rule_of_frame: dict[tuple[StackFrame, str], Rule | None] = {}
        self._origins: dict[StackFrame, Origin] = {}

    def work_of(self, stack: Stack) -> StackWork:
        """Return the class and name of what a stack spends its time on."""
        wide_rule = self._anywhere(stack)
        if wide_rule is not None:
            return StackWork(wide_rule.work, wide_rule.name)
        library: StackFrame | None = None
        for frame in reversed(stack.frames):
            rule = self._rule(frame, stack.thread)
            if rule is not None:
                return StackWork(rule.work, rule.name)
            origin = self._origin(frame)
            if origin == "own":
                # Time in the language's own functions is their caller's; time in a library is the library's.
                return (
                    StackWork(OWN, "") if library is None else StackWork(OTHER, name_of(library, self._own))
                )
            if library is None and origin in ("library", "kernel"):
                library = frame
        return StackWork(OTHER, name_of(library or stack.frames[-1], self._own))

    def work_of_frame(self, frame: StackFrame) -> StackWork | None:
        """Return what a rule says of a function by itself; None where no rule knows it."""
        rule = self._rule(frame, "", is_anywhere=True) or self._rule(frame, "")
        return None if rule is None else StackWork(rule.work, rule.name)

    def _anywhere(self, stack: Stack) -> Rule | None:
        """Return the innermost rule for work that calls much other code, such as an import, or None."""
        for place in range(len(stack.frames) - 1, -1, -1):
            rule = self._rule(stack.frames[place], stack.thread, is_anywhere=True)
            if rule is not None and not (rule.work == IMPORT and self._serves(stack.frames[place + 1 :])):
                return rule
        return None

    def _serves(self, below: Sequence[StackFrame]) -> bool:
        """Return whether a function of the program runs below an import: a server may be started from one."""
        return any(
            self._origin(frame) == "own" and not frame.function.startswith("<") and frame.line > 0
            for frame in below
        )

    def _rule(self, frame: StackFrame, thread: str, *, is_anywhere: bool = False) -> Rule | None:
        key = (frame, f"{is_anywhere} {thread if self._own.runtime == 'jvm' else ''}")
        if key not in self._rule_of_frame:
            self._rule_of_frame[key] = next(
                (
                    rule
                    for rule in self._rules_of(frame)
                    if rule.is_anywhere == is_anywhere and rule.knows(frame, thread)
                ),
                None,
            )
        return self._rule_of_frame[key]

    def _rules_of(self, frame: StackFrame) -> Iterable[Rule]:
        """Return the rules that may apply to a frame: the kernel's, its runtime's, those of libraries."""
        rules = table().rules
        if frame.module == KERNEL:
            return rules["kernel"]
        if table().wraps.search(frame.function):
            return ()
        of_runtime = rules.get(self._own.runtime, ())
        if self._own.runtime == "go":
            return of_runtime  # its own profile names the program as the module of every function
        is_native = bool(frame.module) or self._own.runtime not in ("cpython", "jvm")
        return (*of_runtime, *rules["native"]) if is_native else of_runtime

    def _origin(self, frame: StackFrame) -> Origin:
        if frame not in self._origins:
            self._origins[frame] = origin_of(frame, self._own)
        return self._origins[frame]


_INSTALLED = re.compile(r"/(?:site|dist)-packages/(?P<package>[^/]+)")
_STDLIB = re.compile(r"/lib(?:64)?/(?:python|pypy)3?[\d.]*/(?P<rest>.+)\.py$")
_NODE_PACKAGE = re.compile(r"/node_modules/(?P<package>(?:@[^/]+/)?[^/]+)")

PACKAGE_WORDS = 3
"""Words of a JVM's class name that make the name of a library: "org.hibernate.engine"."""


def name_of(frame: StackFrame, own: Own) -> str:
    """Return the name of the library, package or file that a function belongs to, for a reader."""
    if frame.module == KERNEL:
        return "kernel"
    if own.runtime == "go":
        return package_of_go(frame.function) or "runtime"
    if frame.module:
        return os.path.basename(frame.module)
    if own.runtime == "jvm":
        return ".".join(frame.function.split(".")[:-1][:PACKAGE_WORDS]) or frame.function
    if own.runtime == "cpython":
        installed, standard = _INSTALLED.search(frame.file), _STDLIB.search(frame.file)
        if installed:
            return installed["package"].removesuffix(".py")
        if standard:
            return standard["rest"].removesuffix("/__init__").replace("/", ".")
    package = _NODE_PACKAGE.search(frame.file)
    if package:
        return package["package"]
    return os.path.basename(frame.file) or frame.function


@dataclass(frozen=True, slots=True)
class Folded:
    """A profile by class of work.

    time_ns, samples: by work. functions: self time in ns by innermost frame and work. unnamed_ns: time in
    functions without a symbol, in class "other".
    """

    time_ns: Mapping[StackWork, int]
    samples: Mapping[StackWork, int]
    functions: Mapping[tuple[StackFrame, StackWork], int]
    unnamed_ns: int

    @property
    def total_ns(self) -> int:
        """All time that was seen, in ns."""
        return sum(self.time_ns.values())

    def by_class(self, by_work: Mapping[StackWork, int]) -> dict[str, int]:
        """Return the sums over all names within each class. by_work: `time_ns` or `samples`."""
        sums: dict[str, int] = {}
        for work, value in by_work.items():
            sums[work.work] = sums.get(work.work, 0) + value
        return sums


def fold(profile: Profile, own: Own) -> Folded:
    """Return a profile's time and samples by class."""
    folder = Folder(own)
    time_ns: dict[StackWork, int] = {}
    samples: dict[StackWork, int] = {}
    functions: dict[tuple[StackFrame, StackWork], int] = {}
    unnamed_ns = 0
    for stack, weight in profile.stacks.items():
        work = folder.work_of(stack)
        time_ns[work] = time_ns.get(work, 0) + weight.time_ns
        samples[work] = samples.get(work, 0) + weight.count
        innermost = stack.frames[-1]
        # Lines of a function are added up: a function has a single row.
        key = (StackFrame(innermost.function, innermost.file, 0, innermost.module), work)
        functions[key] = functions.get(key, 0) + weight.time_ns
        if UNNAMED.match(innermost.function) and work.work == OTHER:
            unnamed_ns += weight.time_ns
    return Folded(time_ns, samples, functions, unnamed_ns)
