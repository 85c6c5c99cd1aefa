"""Files of profilers, read into stacks: speedscope, collapsed stacks, cpuprofile, `perf script`.

Pure functions of a text; each raises NotAProfile where it is not what it should be.
"""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

import msgspec

from loadrig.language.choice import texts_of
from loadrig.language.en.errors.profilers import ProfilersFormatsErrors
from loadrig.profilers._stacks import Kind, Profile, Stack, StackFrame

ERRORS = texts_of(ProfilersFormatsErrors)

KERNEL = "[kernel]"
"""Module of the frames of the kernel."""

NATIVE = "[native]"
"""Module of native frames of which no more is known."""


class NotAProfile(ValueError):
    """Error for a text that the profiler should not have written."""


# --- py-spy ---------------------------------------------------------------------------------------

_SPIED = re.compile(r'Process (?P<pid>\d+) Thread (?P<tid>\w+)(?: "(?P<name>.*)")?$')
_SCAFFOLD = re.compile(r"(?:process \d+:|thread \()")


class SpyFrame(msgspec.Struct, frozen=True):
    """Function of a speedscope file."""

    name: str
    file: str | None = None
    line: int | None = None


class SpyFrames(msgspec.Struct, frozen=True):
    """Functions that all threads of a speedscope file share; stacks name them by their places."""

    frames: tuple[SpyFrame, ...]


class SpyThread(msgspec.Struct, frozen=True):
    """Samples of a thread in a speedscope file: stacks, and the seconds that each stands for."""

    name: str
    samples: tuple[tuple[int, ...], ...]
    weights: tuple[float, ...]


class Speedscope(msgspec.Struct, frozen=True):
    """Speedscope file. Source: https://www.speedscope.app/file-format-schema.json."""

    shared: SpyFrames
    profiles: tuple[SpyThread, ...]


def of_speedscope(text: str, kind: Kind, period_ns: int) -> Profile:
    """Return the profile in a speedscope file, as `py-spy record -f speedscope --threads` writes it.

    The frames that py-spy puts around each stack, with a process's whole command line, are left out.
    """
    try:
        document = msgspec.json.decode(text, type=Speedscope)
        frames_by_number = [_frame_of_spy(row) for row in document.shared.frames]
        profile = Profile(kind, period_ns)
        for thread_profile in document.profiles:
            match = _SPIED.match(thread_profile.name)
            pid = int(match["pid"]) if match else 0
            thread = (match["name"] or match["tid"]) if match else thread_profile.name
            for numbers, weight in zip(thread_profile.samples, thread_profile.weights, strict=True):
                frames = tuple(frame for number in numbers if (frame := frames_by_number[number]) is not None)
                profile.add(Stack(frames, thread, pid), 1, round(weight * 1e9))
    except (ValueError, IndexError) as error:
        raise NotAProfile(ERRORS.no_speedscope(type(error).__name__, str(error))) from None
    return profile


def _frame_of_spy(row: SpyFrame) -> StackFrame | None:
    if not row.file and _SCAFFOLD.match(row.name):
        return None
    return StackFrame(row.name, row.file or "", row.line or 0)


# --- async-profiler -------------------------------------------------------------------------------

_THREAD = re.compile(r"\[(?P<name>.*?) tid=\d+\](?:;|$)")
_KIND_OF_FRAME = re.compile(r"(?P<name>.*)_\[(?P<kind>[01ijk])\]$")
_HIDDEN = re.compile(r"(?P<kept>\$\$Lambda|\$\$TypeSwitch|LambdaForm\$\w+)(?:\$\d+)?[./]0x[0-9a-f]+")


def of_collapsed(text: str, interval_ns: int) -> Profile:
    """Return the profile in collapsed stacks of `asprof -o collapsed -t -a`: "[thread];frame;frame count".

    Methods that were interpreted, compiled or inlined end in _[0], _[1], _[j] or _[i], frames of the kernel
    in _[k], native functions in nothing. Classes that the JVM makes for lambdas lose their addresses.
    """
    profile = Profile("cpu", interval_ns)
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        stack, _, count = line.rpartition(" ")
        if not count.isdecimal():
            raise NotAProfile(ERRORS.line_without_count(str(number)))
        match = _THREAD.match(stack)
        rest = stack[match.end() :] if match else stack
        frames = tuple(_frame_of_jvm(name) for name in rest.split(";") if name)
        thread = match["name"] if match else ""
        profile.add(Stack(frames, thread), int(count), int(count) * interval_ns)
    return profile


def _frame_of_jvm(text: str) -> StackFrame:
    match = _KIND_OF_FRAME.match(text)
    if match is None:
        library, tick, name = text.partition("`")
        return StackFrame(name, module=library) if tick else StackFrame(text, module=NATIVE)
    if match["kind"] == "k":
        return StackFrame(match["name"], module=KERNEL)
    return StackFrame(_HIDDEN.sub(r"\g<kept>", match["name"]).replace("/", "."))


# --- V8 -------------------------------------------------------------------------------------------

_NO_WORK = {"(idle)", "(root)"}


class V8Call(msgspec.Struct, frozen=True, rename="camel"):
    """Function of a profile of V8."""

    function_name: str
    url: str
    line_number: int


class V8Node(msgspec.Struct, frozen=True, rename="camel"):
    """Node of the tree of calls in a profile of V8. children: ids of the functions that it called."""

    id: int
    call_frame: V8Call
    children: tuple[int, ...] = ()


class V8Profile(msgspec.Struct, frozen=True, rename="camel"):
    """Profile of V8, with times in microseconds. Source: Chrome DevTools Protocol, Profiler.Profile."""

    nodes: tuple[V8Node, ...]
    start_time: int
    end_time: int
    samples: tuple[int, ...] = ()
    time_deltas: tuple[int, ...] = ()


def of_cpuprofile(document: Mapping[str, Any], pid: int = 0) -> Profile:
    """Return the profile that `Profiler.stop` of V8's inspector answers with.

    Each sample stands for the time until the next one. "(program)", native code of which V8 knows no more,
    is kept; "(idle)" is left out. A frame's line is where its function begins.
    """
    try:
        # V8 may write a whole number as 1.0.
        answer = msgspec.convert(document, V8Profile, strict=False)
        parents = {child: node.id for node in answer.nodes for child in node.children}
        length_us = answer.end_time - answer.start_time
        lengths = [*answer.time_deltas[1:], max(0, length_us - sum(answer.time_deltas))]
        frames = {node.id: _frame_of_v8(node.call_frame) for node in answer.nodes}
        profile = Profile("cpu", duration_ns=length_us * 1000)
        stacks: dict[int, tuple[StackFrame, ...]] = {}
        for number, sample_us in zip(answer.samples, lengths, strict=True):
            if number not in stacks:
                stacks[number] = _path(number, parents, frames)
            if frames[number].function not in _NO_WORK:
                profile.add(Stack(stacks[number], "main", pid), 1, max(0, sample_us) * 1000)
    except (ValueError, KeyError) as error:
        raise NotAProfile(ERRORS.no_cpu_profile(type(error).__name__, str(error))) from None
    if answer.samples:
        profile.period_ns = profile.duration_ns // len(answer.samples)
    return profile


def _path(
    number: int, parents: Mapping[int, int], frames: Mapping[int, StackFrame]
) -> tuple[StackFrame, ...]:
    calls: list[StackFrame] = []
    node: int | None = number
    while node is not None:
        if frames[node].function not in _NO_WORK:
            calls.append(frames[node])
        node = parents.get(node)
    return tuple(reversed(calls))


def _frame_of_v8(call: V8Call) -> StackFrame:
    file = unquote(urlsplit(call.url).path) if call.url.startswith("file:") else call.url
    return StackFrame(call.function_name or "(anonymous)", file, call.line_number + 1)


# --- perf -----------------------------------------------------------------------------------------

_SAMPLE = re.compile(r"(?P<name>\S.*?)\s+(?P<pid>\d+)/(?P<tid>\d+)\s+(?P<period>\d+)\s*$")
_CALL = re.compile(r"\s+[0-9a-f]+\s(?P<function>.*?)\s+\((?P<module>[^()]*)\)(?: \(inlined\))?$")


def of_perf(text: str) -> Profile:
    """Return the profile in samples of the event cpu-clock.

    text: printed by `perf script -F comm,pid,tid,period,ip,sym,dso`.

    The period of that event is the nanoseconds between two samples. Source: perf-script(1).
    """
    profile = Profile("cpu")
    head: re.Match[str] | None = None
    frames: list[StackFrame] = []
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if not line.strip():
            if head is not None:
                period = int(head["period"])
                profile.period_ns = profile.period_ns or period
                profile.add(Stack(tuple(reversed(frames)), head["name"], int(head["pid"])), 1, period)
            head, frames = None, []
        elif line[0].isspace() and head is not None:
            match = _CALL.match(line)
            if match is None:
                raise NotAProfile(ERRORS.no_frame(str(number)))
            frames.append(_frame_of_perf(match))
        else:
            head = _SAMPLE.match(line)
            if head is None:
                raise NotAProfile(ERRORS.no_sample(str(number)))
    return profile


_PERF_MAP = re.compile(r"(?:.*/)?perf-\d+\.map$")
"""File in which a runtime names what it has compiled. Source: tools/perf/Documentation/jit-interface.txt."""

_MAPPED_BY_V8 = re.compile(
    r"(?:JS|LazyCompile|Function|Script|Eval):[*~^+']?(?P<name>\S*) (?P<file>\S.*?):(?P<line>\d+)(?::\d+)?$"
)
_MAPPED_BY_PYTHON = re.compile(r"py::(?P<name>.*?):(?P<file>/.*|<.*)$")


def _frame_of_map(function: str) -> StackFrame | None:
    """Return a function of JavaScript (`--perf-basic-prof`) or Python (`-X perf`), with its file.

    Returns None for any other name.
    """
    if match := _MAPPED_BY_V8.match(function):
        file = unquote(urlsplit(match["file"]).path) if match["file"].startswith("file:") else match["file"]
        return StackFrame(match["name"] or "(anonymous)", file, int(match["line"]))
    if match := _MAPPED_BY_PYTHON.match(function):
        return StackFrame(match["name"], match["file"])
    return None


def _frame_of_perf(match: re.Match[str]) -> StackFrame:
    module = match["module"]
    if module.startswith(("[kernel", "[guest.kernel")):
        module = KERNEL
    function = match["function"]
    if _PERF_MAP.match(module) and (mapped := _frame_of_map(function)) is not None:
        return mapped
    if function == "[unknown]" or not function:
        # All unnamed code of a library is one frame: with addresses each sample would have its own stack.
        return StackFrame("[unknown]", module=module)
    return StackFrame(function, module=module)
