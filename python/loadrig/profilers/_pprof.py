"""Profiles as pprof, the format that `go tool pprof` and most viewers read; written and read by protobuf.

The messages are made at run time from the published schema (vendor/profile.proto, of google/pprof), so
nothing here knows how they are laid out in bytes.
"""

import gzip
import zlib
from functools import cache
from importlib.resources import as_file, files
from typing import Any

from loadrig.language.choice import texts_of
from loadrig.language.en.errors.profilers import ProfilersFormatsErrors
from loadrig.profilers._stacks import Kind, Profile, Stack, StackFrame

ERRORS = texts_of(ProfilersFormatsErrors)

MESSAGE = "perftools.profiles.Profile"

MOST_BYTES = 256 << 20
"""Size of an unpacked profile, at most. A second of 64 cores with deep stacks is below 10 MB."""


class NotPprof(ValueError):
    """Error for bytes that are no pprof profile of time."""


@cache
def _message() -> Any:
    """Return the class of the protobuf message; made once a process, in 3 ms."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    from loadrig._native import compile_protos

    with as_file(files("loadrig.profilers") / "vendor") as folder:
        compiled = compile_protos([str(folder / "profile.proto")], [str(folder)])
    # A pool apart from the default one, which may hold these names already, put there by the program that
    # imports loadrig.
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(compiled).file:
        pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(MESSAGE))


class _Strings:
    """Table of the texts of a profile: each text once, "" first."""

    def __init__(self) -> None:
        self.places = {"": 0}

    def __call__(self, text: str) -> int:
        return self.places.setdefault(text, len(self.places))


def encoded(profile: Profile, comment: str = "") -> bytes:
    """Return a profile as gzipped pprof: samples/count and cpu (or wall)/nanoseconds, labels: thread, pid."""
    message = _message()()
    text = _Strings()
    message.sample_type.add(type=text("samples"), unit=text("count"))
    message.sample_type.add(type=text(profile.kind), unit=text("nanoseconds"))
    message.default_sample_type = text(profile.kind)
    message.period_type.type, message.period_type.unit = text(profile.kind), text("nanoseconds")
    message.period = profile.period_ns
    message.time_nanos, message.duration_nanos = profile.began_ns, profile.duration_ns
    if comment:
        message.comment.append(text(comment))
    mappings: dict[str, int] = {}
    functions: dict[tuple[str, str], int] = {}
    places: dict[StackFrame, int] = {}
    for stack, weight in profile.stacks.items():
        sample = message.sample.add(value=[weight.count, weight.time_ns])
        for frame in reversed(stack.frames):
            if frame not in places:
                places[frame] = _add_place(message, text, frame, len(places) + 1, functions, mappings)
            sample.location_id.append(places[frame])
        if stack.thread:
            sample.label.add(key=text("thread"), str=text(stack.thread))
        if stack.pid:
            sample.label.add(key=text("pid"), num=stack.pid)
    message.string_table.extend(text.places)
    # mtime 0: equal profiles become equal bytes.
    return gzip.compress(message.SerializeToString(), mtime=0)


def _add_place(
    message: Any,
    text: _Strings,
    frame: StackFrame,
    number: int,
    functions: dict[tuple[str, str], int],
    mappings: dict[str, int],
) -> int:
    """Put a location into the profile, with the function and the mapping that it needs. Return its id."""
    key = (frame.function, frame.file)
    if key not in functions:
        functions[key] = len(functions) + 1
        name = text(frame.function)
        message.function.add(id=functions[key], name=name, system_name=name, filename=text(frame.file))
    if frame.module and frame.module not in mappings:
        mappings[frame.module] = len(mappings) + 1
        message.mapping.add(id=mappings[frame.module], filename=text(frame.module), has_functions=True)
    location = message.location.add(id=number, mapping_id=mappings.get(frame.module, 0))
    location.line.add(function_id=functions[key], line=frame.line)
    return number


def decoded(data: bytes) -> Profile:
    """Return the profile in a pprof, gzipped or not. Raises NotPprof if it holds no time by stacks."""
    from google.protobuf.message import DecodeError

    try:
        message = _message().FromString(_unpacked(data))
    except (OSError, EOFError, zlib.error, DecodeError) as error:
        raise NotPprof(ERRORS.no_pprof(str(error))) from None
    texts = list(message.string_table)
    try:
        return _read_message(message, texts)
    except (IndexError, KeyError) as error:
        raise NotPprof(ERRORS.names_missing_part(str(error))) from None


def _unpacked(data: bytes) -> bytes:
    if data[:2] != b"\x1f\x8b":
        return data
    unpack = zlib.decompressobj(wbits=31)
    unpacked = unpack.decompress(data, MOST_BYTES)
    if unpack.unconsumed_tail:
        raise NotPprof(ERRORS.too_large(str(MOST_BYTES >> 20)))
    if not unpack.eof:
        raise EOFError(ERRORS.ends_early)
    return unpacked


def _read_message(message: Any, texts: list[str]) -> Profile:
    names = [(texts[sample_type.type], texts[sample_type.unit]) for sample_type in message.sample_type]
    kind: Kind = "cpu" if ("cpu", "nanoseconds") in names else "wall"
    if (kind, "nanoseconds") not in names:
        raise NotPprof(ERRORS.no_cpu_time(", ".join("/".join(name) for name in names)))
    place = names.index((kind, "nanoseconds"))
    counted = names.index(("samples", "count")) if ("samples", "count") in names else None
    profile = Profile(kind, message.period, message.time_nanos, message.duration_nanos)
    functions = {
        function.id: (texts[function.name], texts[function.filename]) for function in message.function
    }
    modules = {mapping.id: texts[mapping.filename] for mapping in message.mapping}
    locations = {location.id: _frames(location, functions, modules) for location in message.location}
    for sample in message.sample:
        labels = {texts[label.key]: texts[label.str] or label.num for label in sample.label}
        # A location holds what was inlined into it innermost first, as a sample holds its locations.
        frames = [frame for number in reversed(sample.location_id) for frame in reversed(locations[number])]
        profile.add(
            Stack(tuple(frames), str(labels.get("thread", "")), int(labels.get("pid") or 0)),
            sample.value[counted] if counted is not None else 0,
            sample.value[place],
        )
    return profile


def _frames(
    location: Any, functions: dict[int, tuple[str, str]], modules: dict[int, str]
) -> tuple[StackFrame, ...]:
    """Return the functions of a location, innermost first; without a name, by address."""
    module = modules.get(location.mapping_id, "")
    if not location.line:
        return (StackFrame(f"{location.address:#x}", module=module),)
    return tuple(StackFrame(*functions[line.function_id], line.line, module) for line in location.line)
