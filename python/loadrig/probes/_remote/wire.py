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
    map        who talks to whom there, as discovery.to_json says it; null while no server is known.
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
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from loadrig.base.component import Component
from loadrig.base.running import Address
from loadrig.base.series import Event, Sample
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_remote import ProbesRemoteServeErrors
from loadrig.language.events import text_of

ERRORS = texts_of(ProbesRemoteServeErrors)

PROTOCOL = 2
"""Version of the protocol: it grows with every change that the other side would not understand."""

SILENT_S = 60.0
"""Seconds of the rig's silence after which the observer there ends. The rig asks for the time every 30 s."""

LONGEST_BYTES = 16 << 20
"""Bytes of a line, at most: a longer line is not from an observer."""

LATEST_NS = 1 << 63
"""First instant that is not valid: instants are kept in 64 bits, and no clock has shown a later one."""

Message = dict[str, Any]
Series = tuple[str, str, str, str]
"""Series of samples: component, probe, metric, subject."""


def line(kind: str, content: Any) -> bytes:
    """Return a message as it goes over the pipe."""
    return json.dumps({kind: content}, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


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
        message: Message = {"of": self._lists.setdefault(component, len(self._lists))}
        if self._last.get(component) != numbers:
            message["s"] = self._last[component] = numbers
        message["t"] = _runs(samples)
        message["v"] = [_shortest(sample.value) for sample in samples]
        return (line("new", new_series) if new_series else b"") + line("samples", message)


def _runs(samples: Sequence[Sample]) -> list[list[int]]:
    runs: list[list[int]] = []
    for sample in samples:
        if runs and runs[-1][1] == sample.t_ns:
            runs[-1][0] += 1
        else:
            runs.append([1, sample.t_ns])
    return runs


def _shortest(value: float) -> float:
    """Return the same number in fewer letters: 3 for 3.0."""
    return int(value) if value == value and abs(value) < 2**53 and value == int(value) else value


class Unpacker:
    """Unpacker of the lines of a Packer into samples."""

    def __init__(self) -> None:
        self._series: list[Series] = []
        self._last: dict[int, list[int]] = {}

    def add(self, series: Iterable[Sequence[str]]) -> None:
        """Add series that the other side has sent as new."""
        for component, probe, metric, subject in series:
            names = (component, probe, metric, subject)
            if not all(isinstance(name, str) for name in names):
                raise TypeError("the name of a series is no text")
            self._series.append(names)

    def samples(
        self, packed: Mapping[str, Any], date: Callable[[int], int] = lambda t_ns: t_ns
    ) -> tuple[str, list[Sample]]:
        """Return the component and its samples. date: from the clock there to the clock here.

        Raises LookupError, TypeError or ValueError for what no Packer has written.
        """
        list_number = int(packed["of"])
        numbers = self._last[list_number] = packed.get("s") or self._last[list_number]
        values = packed["v"]
        times: list[int] = []
        for n, t_ns in packed["t"]:
            # Checked before the list is made: a number in a line may ask for all of the memory.
            if not 0 <= n <= len(values) - len(times):
                raise ValueError("it says more instants than values")
            here_ns = date(t_ns)
            if not 0 <= here_ns < LATEST_NS:
                raise ValueError("it says an instant that no clock has shown")
            times += [here_ns] * n
        samples = [
            Sample(t_ns, probe, metric, subject, float(value))
            for (_, probe, metric, subject), t_ns, value in zip(
                map(self._series.__getitem__, numbers), times, values, strict=True
            )
        ]
        return self._series[numbers[0]][0], samples


# --- events and components ----------------------------------------------------------------------------


def packed_event(event: Event) -> list[Any]:
    """Return an event as JSON holds it."""
    return [
        event.t_ns, event.kind, event.subject, event.text, dict(event.facts), event.component,
        event.sentence, dict(event.values),
    ]  # fmt: skip


def unpacked_event(packed: Sequence[Any]) -> Event:
    """Return the event in its JSON, in the rig's language.

    Raises TypeError or ValueError for what no observer has written.
    """
    t_ns, kind, subject, text, facts, component, sentence, values = packed
    if not 0 <= int(t_ns) < LATEST_NS:
        raise ValueError("it says an instant that no clock has shown")
    text = text_of(str(sentence), dict(values), str(text))
    return Event(
        int(t_ns), str(kind), str(subject), text, dict(facts), str(component), str(sentence), dict(values)
    )


_HERE_ONLY = frozenset({"pid", "start", "cgroup", "log"})
"""Fields without a meaning on the rig's side: there a pid is another process, a path another file."""


def packed_component(component: Component) -> Message:
    """Return what the rig is sent of a component."""
    return {
        entry.name: _plain(getattr(component, entry.name))
        for entry in dataclasses.fields(component)
        if entry.name not in _HERE_ONLY
    }


def unpacked_component(packed: Mapping[str, Any], host: str) -> Component:
    """Return the component in its JSON, named as on the rig's side.

    Fields unknown to this version are left out.
    """
    values: dict[str, Any] = {}
    for entry in dataclasses.fields(Component):
        if entry.name in packed and entry.name not in _HERE_ONLY:
            value = packed[entry.name]
            values[entry.name] = tuple(value) if isinstance(value, list) else value
    address = values.get("address")
    values["address"] = Address(**address) if address else None
    values["listens"] = tuple(Address(**listened) for listened in values.get("listens", ()))
    return Component(**{**values, "name": f"{host}/{values['name']}"})


def placed_map(service_map: Mapping[str, Any], host: str) -> Message:
    """Return a service map of another host, with the names that its components have on the rig's side."""
    components = [
        {**component, "name": f"{host}/{component['name']}"} for component in service_map["components"]
    ]
    edges = [
        {**edge, "source": f"{host}/{edge['source']}", "to": f"{host}/{edge['to']}"}
        for edge in service_map["edges"]
    ]
    return {**service_map, "components": components, "edges": edges}


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

    @classmethod
    def of(cls, packed: Mapping[str, Any]) -> Self:
        """Return the order in its JSON. What this version does not know is passed over."""
        names = {entry.name for entry in dataclasses.fields(cls)}
        return cls(**{name: value for name, value in packed.items() if name in names})


def hand_over(chosen: Iterable[tuple[str, Any]], environment: Mapping[str, str], base: Path) -> Handed:
    """Return the options by probe, made ready for the pipe. base: the plan's folder."""
    handed = Handed()
    for probe, options in chosen:
        if options is None:
            continue
        fields = dataclasses.fields(options)
        values = {
            entry.name: _plain(getattr(options, entry.name))
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


def _plain(value: Any) -> Any:
    """Return a value of an option as JSON holds it."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {entry.name: _plain(getattr(value, entry.name)) for entry in dataclasses.fields(value)}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    return value


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
