"""What the rig and its observer on another host say to each other: lines of JSON, each one an object.

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
from typing import Any

from loadrig.base.component import Component
from loadrig.base.running import Address
from loadrig.base.series import Event, Sample

PROTOCOL = 1
"""Counted up with every change that the other side would not understand."""

SILENT_S = 60.0
"""After so much silence of the rig the observer there ends. The rig asks for the time every 30 s."""

LONGEST_BYTES = 16 << 20
"""No line is longer: one that is comes from something else."""

LATEST_NS = 1 << 63
"""Instants are kept in 64 bits; a later one no clock has shown."""

Message = dict[str, Any]
Series = tuple[str, str, str, str]
"""Component, probe, metric, subject."""


def line(kind: str, content: Any) -> bytes:
    """One message as it goes over the pipe."""
    return json.dumps({kind: content}, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def parsed(text: bytes) -> Message | None:
    """The message of a line; None if it is none: what no observer writes is not taken to pieces either."""
    try:
        found = json.loads(text)
        if b"\\ud" in text.lower():
            # Half of a pair of surrogates is no text: it could neither be recorded nor printed.
            json.dumps(found, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and len(found) == 1 else None


# --- samples ------------------------------------------------------------------------------------------


class Packer:
    """Samples into lines: names are said once, then only numbers."""

    def __init__(self) -> None:
        self._numbers: dict[Series, int] = {}
        self._lists: dict[str, int] = {}
        self._last: dict[str, list[int]] = {}

    def lines(self, samples: Sequence[Sample], component: str) -> bytes:
        """Return the lines that say these samples; empty where there are none."""
        if not samples:
            return b""
        numbers, new = [], []
        for one in samples:
            series = (component, one.probe, one.metric, one.subject)
            number = self._numbers.get(series)
            if number is None:
                number = self._numbers[series] = len(self._numbers)
                new.append(series)
            numbers.append(number)
        said: Message = {"of": self._lists.setdefault(component, len(self._lists))}
        if self._last.get(component) != numbers:
            said["s"] = self._last[component] = numbers
        said["t"] = _runs(samples)
        said["v"] = [_shortest(one.value) for one in samples]
        return (line("new", new) if new else b"") + line("samples", said)


def _runs(samples: Sequence[Sample]) -> list[list[int]]:
    runs: list[list[int]] = []
    for one in samples:
        if runs and runs[-1][1] == one.t_ns:
            runs[-1][0] += 1
        else:
            runs.append([1, one.t_ns])
    return runs


def _shortest(value: float) -> float:
    """Return the same number in fewer letters: 3 for 3.0."""
    return int(value) if value == value and abs(value) < 2**53 and value == int(value) else value


class Unpacker:
    """The lines of a Packer back into samples."""

    def __init__(self) -> None:
        self._series: list[Series] = []
        self._last: dict[int, list[int]] = {}

    def add(self, new: Iterable[Sequence[str]]) -> None:
        """Take in series that were said to be new."""
        for component, probe, metric, subject in new:
            names = (component, probe, metric, subject)
            if not all(isinstance(name, str) for name in names):
                raise TypeError("the name of a series is no text")
            self._series.append(names)

    def samples(
        self, said: Mapping[str, Any], date: Callable[[int], int] = lambda t_ns: t_ns
    ) -> tuple[str, list[Sample]]:
        """Return the component and its samples. date: from the clock there to the clock here.

        Raises LookupError, TypeError or ValueError for what no Packer has written.
        """
        of = int(said["of"])
        numbers = self._last[of] = said.get("s") or self._last[of]
        values = said["v"]
        times: list[int] = []
        for n, t_ns in said["t"]:
            # Looked at before the list is made: a number in a line may stand for all of the memory.
            if not 0 <= n <= len(values) - len(times):
                raise ValueError("it says more instants than values")
            here_ns = date(t_ns)
            if not 0 <= here_ns < LATEST_NS:
                raise ValueError("it says an instant that no clock has shown")
            times += [here_ns] * n
        found = [
            Sample(t_ns, probe, metric, subject, float(value))
            for (_, probe, metric, subject), t_ns, value in zip(
                map(self._series.__getitem__, numbers), times, values, strict=True
            )
        ]
        return self._series[numbers[0]][0], found


# --- events and components ----------------------------------------------------------------------------


def packed_event(event: Event) -> list[Any]:
    """Return an event as JSON holds it."""
    return [event.t_ns, event.kind, event.subject, event.text, dict(event.facts), event.component]


def unpacked_event(said: Sequence[Any]) -> Event:
    """Return the event again. Raises TypeError or ValueError for what no observer has written."""
    t_ns, kind, subject, text, facts, component = said
    if not 0 <= int(t_ns) < LATEST_NS:
        raise ValueError("it says an instant that no clock has shown")
    return Event(int(t_ns), str(kind), str(subject), str(text), dict(facts), str(component))


_HERE_ONLY = frozenset({"pid", "start", "cgroup", "log"})
"""What means nothing on the rig's side: who looked that number up would find another process, of this one."""


def packed_component(component: Component) -> Message:
    """Return what the rig is told of a component."""
    return {
        one.name: _plain(getattr(component, one.name))
        for one in dataclasses.fields(component)
        if one.name not in _HERE_ONLY
    }


def unpacked_component(said: Mapping[str, Any], host: str) -> Component:
    """The component again, by its name on the rig's side. What this version does not know is left out."""
    found: dict[str, Any] = {}
    for one in dataclasses.fields(Component):
        if one.name in said and one.name not in _HERE_ONLY:
            value = said[one.name]
            found[one.name] = tuple(value) if isinstance(value, list) else value
    address = found.get("address")
    found["address"] = Address(**address) if address else None
    found["listens"] = tuple(Address(**each) for each in found.get("listens", ()))
    return Component(**{**found, "name": f"{host}/{found['name']}"})


def placed_map(said: Mapping[str, Any], host: str) -> Message:
    """Return a service map of another host, with the names that its components have on the rig's side."""
    components = [{**one, "name": f"{host}/{one['name']}"} for one in said["components"]]
    edges = [
        {**one, "source": f"{host}/{one['source']}", "to": f"{host}/{one['to']}"} for one in said["edges"]
    ]
    return {**said, "components": components, "edges": edges}


# --- options ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Handed:
    """The options of the probes as they go over the pipe.

    options: by probe, only those that are not at their default. secrets: by the name of a variable.

    A secret that the plan names by a variable or a file is looked for on the rig first: then it goes
    over the pipe as a variable of the observer there. Where the rig does not have it, the name goes
    over as it is, and the probe looks for it there. So a password stands in neither a command line nor
    a recording, on neither side.
    """

    options: dict[str, dict[str, Any]] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict)


def hand_over(chosen: Iterable[tuple[str, Any]], environment: Mapping[str, str], base: Path) -> Handed:
    """Options by probe, made ready for the pipe. base: the plan's folder."""
    handed = Handed()
    for probe, options in chosen:
        if options is None:
            continue
        fields = dataclasses.fields(options)
        said = {
            one.name: _plain(getattr(options, one.name))
            for one in fields
            if getattr(options, one.name) != _default(one)
        }
        for one in fields:
            if one.name.endswith("_env"):
                secret = _secret(probe, said, one.name.removesuffix("_env"), environment, base)
                handed.secrets.update([secret] if secret else [])
        handed.options[probe] = said
    return handed


def _secret(
    probe: str, said: dict[str, Any], name: str, environment: Mapping[str, str], base: Path
) -> tuple[str, str] | None:
    """A secret that this side can read, by the variable that it goes over as; what is said names that one.

    name: "password" for the options password_env and password_file.
    """
    variable, file = said.get(f"{name}_env"), said.get(f"{name}_file")
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
    del said[f"{name}_file"]
    said[f"{name}_env"] = variable
    return variable, text.partition("\n")[0].rstrip("\r")


def _default(one: "dataclasses.Field[Any]") -> Any:
    if one.default_factory is not dataclasses.MISSING:
        return one.default_factory()
    return one.default


def _plain(value: Any) -> Any:
    """Return a value of an option as JSON holds it."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {one.name: _plain(getattr(value, one.name)) for one in dataclasses.fields(value)}
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    return value


def made(cls: type[Any], said: Mapping[str, Any]) -> Any:
    """Return the options again. Raises ValueError for one that the class does not have."""
    known = {one.name: one for one in dataclasses.fields(cls)}
    unknown = [name for name in said if name not in known]
    if unknown:
        raise ValueError(f"it has no option {unknown[0]}")
    return cls(**{name: _made(_kind(cls, name), value) for name, value in said.items()})


def _kind(cls: type[Any], name: str) -> Any:
    from loadrig.plan.kinds import fields_of

    return next((one.kind for one in fields_of(cls) if one.name == name), None)


def _made(kind: Any, value: Any) -> Any:
    """Return a value by what its option takes: JSON knows neither tuples nor classes."""
    from loadrig.plan.kinds import Either, Listed, Mapped, Shaped

    match kind:
        case Shaped(cls=cls) if isinstance(value, Mapping):
            return made(cls, value)
        case Either(kinds=kinds) if isinstance(value, Mapping):
            return _made(next((one for one in kinds if isinstance(one, Shaped)), None), value)
        case Listed(item=item) if isinstance(value, list):
            return tuple(_made(item, each) for each in value)
        case Mapped(item=item) if isinstance(value, Mapping):
            return {name: _made(item, each) for name, each in value.items()}
        case _:
            return tuple(value) if isinstance(value, list) else value
