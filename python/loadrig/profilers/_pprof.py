"""Profiles as pprof, the format that `go tool pprof` and most viewers read; written and read by protobuf.

The messages are made at run time from the published schema (vendor/profile.proto, of google/pprof), so
nothing here knows how they are laid out in bytes.
"""

import gzip
import zlib
from functools import cache
from importlib.resources import as_file, files
from typing import Any

from loadrig.profilers._stacks import Frame, Kind, Profile, Stack

MESSAGE = "perftools.profiles.Profile"

MOST_BYTES = 256 << 20
"""Of an unpacked profile. A second of 64 cores with deep stacks is below 10 MB; more is no profile."""


class NotPprof(ValueError):
    """Bytes that are no pprof profile of time."""


@cache
def _message() -> Any:
    """The class of the message, made once a process: 3 ms."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    from loadrig._native import compile_protos

    with as_file(files("loadrig.profilers") / "vendor") as folder:
        compiled = compile_protos([str(folder / "profile.proto")], [str(folder)])
    # A pool of our own: the same names may be in the default one, where the program's user put them.
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(compiled).file:
        pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(MESSAGE))


class _Strings:
    """The table of texts of a profile: each once, "" first."""

    def __init__(self) -> None:
        self.places = {"": 0}

    def __call__(self, text: str) -> int:
        return self.places.setdefault(text, len(self.places))


def encoded(profile: Profile, comment: str = "") -> bytes:
    """A profile as gzipped pprof: samples/count and cpu/nanoseconds (or wall), labels thread and pid."""
    made = _message()()
    text = _Strings()
    made.sample_type.add(type=text("samples"), unit=text("count"))
    made.sample_type.add(type=text(profile.kind), unit=text("nanoseconds"))
    made.default_sample_type = text(profile.kind)
    made.period_type.type, made.period_type.unit = text(profile.kind), text("nanoseconds")
    made.period = profile.period_ns
    made.time_nanos, made.duration_nanos = profile.began_ns, profile.duration_ns
    if comment:
        made.comment.append(text(comment))
    mappings: dict[str, int] = {}
    functions: dict[tuple[str, str], int] = {}
    places: dict[Frame, int] = {}
    for stack, weight in profile.stacks.items():
        sample = made.sample.add(value=[weight.count, weight.time_ns])
        for frame in reversed(stack.frames):
            if frame not in places:
                places[frame] = _add_place(made, text, frame, len(places) + 1, functions, mappings)
            sample.location_id.append(places[frame])
        if stack.thread:
            sample.label.add(key=text("thread"), str=text(stack.thread))
        if stack.pid:
            sample.label.add(key=text("pid"), num=stack.pid)
    made.string_table.extend(text.places)
    # mtime 0: the same profile is the same bytes.
    return gzip.compress(made.SerializeToString(), mtime=0)


def _add_place(
    made: Any,
    text: _Strings,
    frame: Frame,
    number: int,
    functions: dict[tuple[str, str], int],
    mappings: dict[str, int],
) -> int:
    """Put a location into the profile, with the function and the mapping that it needs; returns its id."""
    key = (frame.function, frame.file)
    if key not in functions:
        functions[key] = len(functions) + 1
        name = text(frame.function)
        made.function.add(id=functions[key], name=name, system_name=name, filename=text(frame.file))
    if frame.module and frame.module not in mappings:
        mappings[frame.module] = len(mappings) + 1
        made.mapping.add(id=mappings[frame.module], filename=text(frame.module), has_functions=True)
    location = made.location.add(id=number, mapping_id=mappings.get(frame.module, 0))
    location.line.add(function_id=functions[key], line=frame.line)
    return number


def decoded(data: bytes) -> Profile:
    """The stacks of a pprof, gzipped or not. Raises NotPprof if it holds no time by stacks."""
    from google.protobuf.message import DecodeError

    try:
        made = _message().FromString(_unpacked(data))
    except (OSError, EOFError, zlib.error, DecodeError) as error:
        raise NotPprof(f"it is no pprof profile: {error}") from None
    texts = list(made.string_table)
    try:
        return _profile_of(made, texts)
    except (IndexError, KeyError) as error:
        raise NotPprof(f"it names something that it does not hold: {error}") from None


def _unpacked(data: bytes) -> bytes:
    if data[:2] != b"\x1f\x8b":
        return data
    unpack = zlib.decompressobj(wbits=31)
    found = unpack.decompress(data, MOST_BYTES)
    if unpack.unconsumed_tail:
        raise NotPprof(f"it unpacks to more than {MOST_BYTES >> 20} MiB")
    if not unpack.eof:
        raise EOFError("it ends too early")
    return found


def _profile_of(made: Any, texts: list[str]) -> Profile:
    names = [(texts[one.type], texts[one.unit]) for one in made.sample_type]
    kind: Kind = "cpu" if ("cpu", "nanoseconds") in names else "wall"
    if (kind, "nanoseconds") not in names:
        raise NotPprof("it holds no CPU time: " + ", ".join("/".join(name) for name in names))
    at = names.index((kind, "nanoseconds"))
    counted = names.index(("samples", "count")) if ("samples", "count") in names else None
    profile = Profile(kind, made.period, made.time_nanos, made.duration_nanos)
    functions = {one.id: (texts[one.name], texts[one.filename]) for one in made.function}
    modules = {one.id: texts[one.filename] for one in made.mapping}
    places = {one.id: _frames(one, functions, modules) for one in made.location}
    for sample in made.sample:
        labels = {texts[label.key]: texts[label.str] or label.num for label in sample.label}
        # A location holds what was inlined into it innermost first, as a sample holds its locations.
        frames = [frame for number in reversed(sample.location_id) for frame in reversed(places[number])]
        profile.add(
            Stack(tuple(frames), str(labels.get("thread", "")), int(labels.get("pid") or 0)),
            sample.value[counted] if counted is not None else 0,
            sample.value[at],
        )
    return profile


def _frames(place: Any, functions: dict[int, tuple[str, str]], modules: dict[int, str]) -> tuple[Frame, ...]:
    """The functions of a location, innermost first; one without a name is known by its address."""
    module = modules.get(place.mapping_id, "")
    if not place.line:
        return (Frame(f"{place.address:#x}", module=module),)
    return tuple(Frame(*functions[line.function_id], line.line, module) for line in place.line)
