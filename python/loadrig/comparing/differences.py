"""What was not the same on both sides: the plan, the setting, the machine, the server and its versions."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from loadrig.base.errors import PlanError
from loadrig.base.units import show_size
from loadrig.comparing.side import Json, Side
from loadrig.plan.node import plain
from loadrig.plan.syntax import parse

Area = Literal["setting", "plan", "server", "tier", "machine", "rig"]

MACHINE = ("cpu", "cores", "memory_bytes", "architecture", "kernel", "system", "python")
OF_ANOTHER = ("cpu", "cores", "architecture")
"""Facts by which one machine is told from another; a kernel is only a version of the same."""

MEMORY_WITHIN = 0.02
"""The kernel keeps a little for itself, each version a little more or less."""

JUDGING = ("name", "goals", "study", "prove", "report")
"""Parts of a plan that say how trials are judged or told, not how they are run."""

SEED = "trial.seed"
"""Each run draws its own, unless a person names one: what is random differs, and no setting."""

OF_TIERS = ("kind", "runtime", "version", "program_version", "workers")


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that was not the same; "" where a side does not have it.

    touches_load: it may explain a difference of what was measured; another judging of the same trials cannot.
    """

    area: Area
    name: str
    a: str
    b: str
    touches_load: bool = True


def differences(a: Side, b: Side) -> tuple[Difference, ...]:
    """Everything known that was not the same, in the order of areas."""
    return (
        *_of("setting", a.setting, b.setting),
        *_plans(a, b),
        *_of("server", _server(a), _server(b)),
        *_of("tier", _tiers(a), _tiers(b)),
        *_machines(a.machine, b.machine),
        *_of("rig", _rig(a), _rig(b)),
    )


def machine_differs(first: Json, second: Json) -> str:
    """By what a machine is another one, in words; "" where it is the same, as far as is known."""
    told = [
        f"{name}: {first[name]} and {second[name]}"
        for name in OF_ANOTHER
        if first.get(name) is not None and second.get(name) is not None and first[name] != second[name]
    ]
    mine, theirs = float(first.get("memory_bytes") or 0), float(second.get("memory_bytes") or 0)
    if mine and theirs and not _same_memory(mine, theirs):
        told.append(f"memory: {show_size(mine)} and {show_size(theirs)}")
    return "; ".join(told)


def _same_memory(first: float, second: float) -> bool:
    return abs(first - second) <= MEMORY_WITHIN * max(first, second)


def _machines(first: Json, second: Json) -> Iterator[Difference]:
    if not first or not second:
        return
    for name in MACHINE:
        mine, theirs = first.get(name), second.get(name)
        if mine is None or theirs is None or mine == theirs:
            continue
        if name == "memory_bytes":
            if not _same_memory(mine, theirs):
                yield Difference("machine", "memory", show_size(mine), show_size(theirs))
        else:
            yield Difference("machine", name, str(mine), str(theirs))


def _plans(a: Side, b: Side) -> Iterator[Difference]:
    if not a.plan_text or not b.plan_text or a.plan_text == b.plan_text:
        return
    first, second = _flat(_tree(a.plan_text)), _flat(_tree(b.plan_text))
    for name in dict.fromkeys([*first, *second]):
        if name != SEED and first.get(name) != second.get(name):
            touches = name.partition(".")[0] not in JUDGING
            yield Difference("plan", name, first.get(name, ""), second.get(name, ""), touches)


def _tree(text: str) -> Any:
    try:
        return plain(parse(text, "plan.yaml")[0])
    except PlanError:  # of another version of the format, or no YAML: then it is compared as a text
        return {"text": text}


def _flat(value: Any, path: str = "") -> dict[str, str]:
    """A tree as its leaves by their paths: {"workload.users": "50"}."""
    if isinstance(value, Mapping):
        found: dict[str, str] = {}
        for name, each in value.items():
            found |= _flat(each, f"{path}.{name}" if path else str(name))
        return found
    if isinstance(value, list) and any(isinstance(each, Mapping | list) for each in value):
        found = {}
        for number, each in enumerate(value, 1):
            name = each.get("name", number) if isinstance(each, Mapping) else number
            found |= _flat(each, f"{path}[{name}]")
        return found
    return {path: ", ".join(map(str, value)) if isinstance(value, list) else str(value)}


def _server(side: Side) -> dict[str, str]:
    """How the server was started; without what differs from start to start (port, process, control group)."""
    target = side.usable[0].result.get("target") or {}
    address = str(side.usable[0].result.get("address") or "")
    port = address.rpartition(":")[2].strip("/")
    argv = " ".join(str(word) for word in target.get("argv") or ())
    found = {"kind": str(target.get("kind") or ""), "cpus": ", ".join(map(str, target.get("cpus") or ()))}
    if argv:
        found["command"] = argv.replace(port, "PORT") if port.isdecimal() and len(port) > 3 else argv
    return found | _flat(target.get("facts") or {}, "facts") if target.get("facts") else found


def _rig(side: Side) -> dict[str, str]:
    """What made the load, and what its times count where that is not what ours do."""
    if not side.tool:
        return {"loadrig": side.loadrig}
    times = str((side.usable[0].result.get("imported") or {}).get("times") or "")
    return {"loadrig": side.loadrig, "load made by": side.tool, "its times count": times}


def _tiers(side: Side) -> dict[str, str]:
    """Kinds and versions of the components that discovery found."""
    found = {}
    for component in (side.usable[0].result.get("map") or {}).get("components") or ():
        for fact in OF_TIERS:
            if component.get(fact) is not None:
                found[f"{component['name']} {fact.replace('_', ' ')}"] = str(component[fact])
    return found


def _of(area: Area, first: Mapping[str, Any], second: Mapping[str, Any]) -> Iterator[Difference]:
    for name in dict.fromkeys([*first, *second]):
        mine, theirs = str(first.get(name, "")), str(second.get(name, ""))
        if mine != theirs:
            yield Difference(area, name, mine, theirs)
