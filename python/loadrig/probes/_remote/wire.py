"""Messages between the rig and its observer on another host: lines of JSON, each with one object.

This is the whole protocol, version PROTOCOL. Each line is an object of one key, which says what it is.

The observer there says first:

    hello      {protocol, loadrig, python, host, pid}. Lines before it are what a login shell prints, and
               are passed over. A rig of another protocol ends the conversation here.

The rig says:

    ping       t0, its clock in nanoseconds. Asked many times at the start, then in short bursts.
    config     {protocol, every_s, port, pid, options: {probe: {option: value}}, unwatched: [probe],
               secrets: {variable: value}}. port or pid: the server there, null for none. secrets: see
               `Handed`; they go over this pipe and nowhere else. Said once.
    stop       true: take a last sample, say what is left to say, and end.

The observer there answers:

    pong       [t0, t1, t2]: the ping's own t0, and when it was heard and answered by the clock there.
    refused    {reason, mend, code}: the config cannot be followed; the observer ends.
    ready      true: it observes from now on. All times after this are of the clock there.
    known      {components, metrics}: all components and metrics, each time that some are new.
    map        who talks to whom there, a MapDocument; null while no server is known.
    new        [[component, probe, metric, subject], …]: series that later lines name by their number;
               numbers count on from the last. Before the first line that uses them.
    samples    {of: number of a component's list, s: [series number, …], t: [[n, t_ns], …], v: [value, …]}.
               s is left out where it is the same as the last time `of` that list; t: the instant of the
               next n values.
    event      [t_ns, kind, subject, text, facts, component]
    notes      [text, …]: what a person should know, once.
    cost       what watching has cost until now, as Observer.cost() says it.
    end        true: nothing follows.

The observer there ends by itself when its standard input closes, and when it hears nothing for SILENT_S:
so neither a killed rig nor a cut cable leaves one behind.
"""

import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from loadrig.base.component import Component
from loadrig.base.documents import plain
from loadrig.base.series import Event, Sample
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_remote import ProbesRemoteServeErrors
from loadrig.language.events import text_of
from loadrig.recording.service_map import MapDocument

ERRORS = texts_of(ProbesRemoteServeErrors)

PROTOCOL = 2
"""Version of the protocol: it grows with every change that the other side would not understand."""

SILENT_S = 60.0
"""Seconds of the rig's silence after which the observer there ends. The rig asks for the time every 30 s."""

LONGEST_BYTES = 16 << 20
"""Bytes of a line, at most: a longer line is not from an observer."""

LATEST_NS = 1 << 63
"""First instant that is not valid: instants are kept in 64 bits, and no clock has shown a later one."""

T = TypeVar("T")

Message = dict[str, Any]
Series = tuple[str, str, str, str]
"""Series of samples: component, probe, metric, subject."""


class EventParts(NamedTuple):
    """Content of `event`: the fields of an Event, in their order."""

    t_ns: int
    kind: str
    subject: str
    text: str
    facts: dict[str, Any]
    component: str
    sentence: str
    values: dict[str, Any]


class Hello(msgspec.Struct, frozen=True):
    """Content of `hello`: versions, host and process id of the observer there."""

    protocol: int
    loadrig: str
    python: str | None = None
    host: str | None = None
    pid: int | None = None


class PackedSamples(msgspec.Struct, frozen=True, omit_defaults=True):
    """Content of `samples`, see above."""

    of: int
    t: list[tuple[int, int]]
    v: list[float]
    s: list[int] = []


class ReportedComponents(msgspec.Struct, frozen=True):
    """Content of `known`: all components and metrics of the host, the metrics as in a manifest."""

    components: list[Component]
    metrics: dict[str, dict[str, str]]


def line(kind: str, content: Any) -> bytes:
    """Return a message as it goes over the pipe."""
    return json.dumps({kind: plain(content)}, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def parsed(text: bytes) -> Message | None:
    """Return the message in a line; None for a line that no observer writes."""
    try:
        message = json.loads(text)
        if b"\\ud" in text.lower():
            # Half of a pair of surrogates is no text: it could neither be recorded nor printed.
            json.dumps(message, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) and len(message) == 1 else None


def content(kind: type[T], packed: Any) -> T:
    """Return what a message holds; fields that this version does not know are passed over.

    Raises ValueError for what no observer has written.
    """
    try:
        return msgspec.convert(packed, kind)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None


# --- samples ------------------------------------------------------------------------------------------


class Packer:
    """Packer of samples into lines: names are sent once, then only numbers."""

    def __init__(self) -> None:
        self._numbers: dict[Series, int] = {}
        self._lists: dict[str, int] = {}
        self._last: dict[str, list[int]] = {}

    def lines(self, samples: Sequence[Sample], component: str) -> bytes:
        """Return the lines for samples; empty where there are none."""
        if not samples:
            return b""
        numbers, new_series = [], []
        for sample in samples:
            series = (component, sample.probe, sample.metric, sample.subject)
            number = self._numbers.get(series)
            if number is None:
                number = self._numbers[series] = len(self._numbers)
                new_series.append(series)
            numbers.append(number)
        is_same_list = self._last.get(component) == numbers
        self._last[component] = numbers
        message = PackedSamples(
            of=self._lists.setdefault(component, len(self._lists)),
            t=[(sum(1 for _ in run), t_ns) for t_ns, run in groupby(sample.t_ns for sample in samples)],
            v=[_shortest(sample.value) for sample in samples],
            s=[] if is_same_list else numbers,
        )
        return (line("new", new_series) if new_series else b"") + line("samples", message)


def _shortest(value: float) -> float:
    """Return the same number in fewer letters: 3 for 3.0."""
    return int(value) if value == value and abs(value) < 2**53 and value == int(value) else value


class Unpacker:
    """Unpacker of the lines of a Packer into samples."""

    def __init__(self) -> None:
        self._series: list[Series] = []
        self._last: dict[int, list[int]] = {}

    def add(self, series: Iterable[Series]) -> None:
        """Add series that the other side has sent as new."""
        self._series += series

    def samples(
        self, packed: PackedSamples, date: Callable[[int], int] = lambda t_ns: t_ns
    ) -> tuple[str, list[Sample]]:
        """Return the component and its samples. date: from the clock there to the clock here.

        Raises LookupError or ValueError for what no Packer has written.
        """
        numbers = self._last[packed.of] = packed.s or self._last[packed.of]
        times: list[int] = []
        for n, t_ns in packed.t:
            # Checked before the list is made: a number in a line may ask for all of the memory.
            if not 0 <= n <= len(packed.v) - len(times):
                raise ValueError("it says more instants than values")
            here_ns = date(t_ns)
            if not 0 <= here_ns < LATEST_NS:
                raise ValueError("it says an instant that no clock has shown")
            times += [here_ns] * n
        samples = [
            Sample(t_ns, probe, metric, subject, value)
            for (_, probe, metric, subject), t_ns, value in zip(
                map(self._series.__getitem__, numbers), times, packed.v, strict=True
            )
        ]
        return self._series[numbers[0]][0], samples


# --- events and components ----------------------------------------------------------------------------


def packed_event(event: Event) -> list[Any]:
    """Return an event as JSON holds it."""
    return [getattr(event, entry.name) for entry in dataclasses.fields(event)]


def unpacked_event(packed: Sequence[Any]) -> Event:
    """Return the event in its JSON, in the rig's language. Raises ValueError for what nobody has written."""
    event = Event(*content(EventParts, packed))
    if not 0 <= event.t_ns < LATEST_NS:
        raise ValueError("it says an instant that no clock has shown")
    return replace(event, text=text_of(event.sentence, event.values, event.text))


def without_process(component: Component) -> Component:
    """Return a component without what has no meaning on another host.

    There a pid is another process, a path another file.
    """
    return replace(component, pid=None, start=None, cgroup=None, log=None)


def placed(component: Component, host: str) -> Component:
    """Return a component of another host, named as on the rig's side."""
    return replace(without_process(component), name=f"{host}/{component.name}")


def placed_map(service_map: MapDocument, host: str) -> MapDocument:
    """Return a service map of another host, with the names that its components have on the rig's side."""
    components = (
        msgspec.structs.replace(component, name=f"{host}/{component.name}")
        for component in service_map.components
    )
    edges = (
        msgspec.structs.replace(edge, source=f"{host}/{edge.source}", to=f"{host}/{edge.to}")
        for edge in service_map.edges
    )
    return msgspec.structs.replace(service_map, components=tuple(components), edges=tuple(edges))


# --- options ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Handed:
    """Options of the probes as they go over the pipe.

    options: by probe, only those that differ from their default. secrets: by the name of a variable.

    A secret that the plan names by a variable or a file is looked for on the rig first: if found, it goes
    over the pipe as a variable of the observer there. Where the rig does not find it, the name goes
    over as it is, and the probe looks for it there. So a password stands in neither a command line nor
    a recording, on neither side.
    """

    options: dict[str, dict[str, Any]] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ObserverOrder:
    """Order to an observer there, the message `config`. permits: what the plan allows it to do to servers."""

    protocol: int
    every_s: float
    port: int | None
    pid: int | None
    options: Mapping[str, Mapping[str, Any]]
    unwatched: Sequence[str]
    secrets: Mapping[str, str]
    permits: Sequence[str] = ()  # a rig of an older version allows nothing


def hand_over(chosen: Iterable[tuple[str, Any]], environment: Mapping[str, str], base: Path) -> Handed:
    """Return the options by probe, made ready for the pipe. base: the plan's folder."""
    handed = Handed()
    for probe, options in chosen:
        if options is None:
            continue
        fields = dataclasses.fields(options)
        values = {
            entry.name: plain(getattr(options, entry.name))
            for entry in fields
            if getattr(options, entry.name) != _default(entry)
        }
        for entry in fields:
            if entry.name.endswith("_env"):
                secret = _secret(probe, values, entry.name.removesuffix("_env"), environment, base)
                handed.secrets.update([secret] if secret else [])
        handed.options[probe] = values
    return handed


def _secret(
    probe: str, values: dict[str, Any], name: str, environment: Mapping[str, str], base: Path
) -> tuple[str, str] | None:
    """Return a secret that this side can read, with the variable that it goes over as; else None.

    `values` then names that variable.

    name: "password" for the options password_env and password_file.
    """
    variable, file = values.get(f"{name}_env"), values.get(f"{name}_file")
    if variable is not None:
        value = environment.get(variable)
        return None if value is None else (variable, value)
    if file is None:
        return None
    try:
        text = (base / file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    variable = f"LOADRIG_{probe}_{name}".upper()
    del values[f"{name}_file"]
    values[f"{name}_env"] = variable
    return variable, text.partition("\n")[0].rstrip("\r")


def _default(entry: "dataclasses.Field[Any]") -> Any:
    if entry.default_factory is not dataclasses.MISSING:
        return entry.default_factory()
    return entry.default


def options_from(cls: type[Any], packed: Mapping[str, Any]) -> Any:
    """Return options from their JSON. Raises ValueError for an option that the class does not have."""
    names = {entry.name for entry in dataclasses.fields(cls)}
    unknown = [name for name in packed if name not in names]
    if unknown:
        raise ValueError(ERRORS.option_unknown(unknown[0]))
    return cls(**{name: _option_value(_kind(cls, name), value) for name, value in packed.items()})


def _kind(cls: type[Any], name: str) -> Any:
    from loadrig.plan.kinds import fields_of

    return next((entry.kind for entry in fields_of(cls) if entry.name == name), None)


def _option_value(kind: Any, value: Any) -> Any:
    """Return a value as its option takes it: JSON knows neither tuples nor classes."""
    from loadrig.plan.kinds import Either, Listed, Mapped, Shaped

    match kind:
        case Shaped(cls=cls) if isinstance(value, Mapping):
            return options_from(cls, value)
        case Either(kinds=kinds) if isinstance(value, Mapping):
            return _option_value(next((shape for shape in kinds if isinstance(shape, Shaped)), None), value)
        case Listed(item=item) if isinstance(value, list):
            return tuple(_option_value(item, part) for part in value)
        case Mapped(item=item) if isinstance(value, Mapping):
            return {name: _option_value(item, part) for name, part in value.items()}
        case _:
            return tuple(value) if isinstance(value, list) else value
