"""Differences between both sides: the plan, the setting, the machine, the server and its versions."""

from collections.abc import Iterator, Mapping
from typing import Any

from loadrig.base.errors import PlanError
from loadrig.base.units import show_size
from loadrig.comparing.document import Area, Difference
from loadrig.comparing.side import Side
from loadrig.language.choice import texts_of
from loadrig.language.en.comparing import ComparingDifferencesTexts
from loadrig.plan.node import plain
from loadrig.plan.syntax import parse
from loadrig.recording.manifest_document import MachineDocument, TargetDocument

TEXTS = texts_of(ComparingDifferencesTexts)

MACHINE = ("cpu", "cores", "memory_bytes", "architecture", "kernel", "system", "python")
OF_ANOTHER = ("cpu", "cores", "architecture")
"""Facts by which one machine is told from another. A kernel is none of them: it is only another version."""

MEMORY_WITHIN = 0.02
"""Share by which the memory of one machine may differ: versions of the kernel keep more or less of it."""

JUDGING = ("name", "goals", "study", "prove", "report")
"""Keys of a plan that say how trials are judged or told, not how they are run."""

SEED = "trial.seed"
"""Key of the plan that is no setting: each run draws its own seed, unless a person names one."""

OF_TIERS = ("kind", "runtime", "version", "program_version", "workers")

NAMES = TEXTS.names
"""Names of facts in words, by the fact."""


def differences(a: Side, b: Side) -> tuple[Difference, ...]:
    """Return everything known that was not the same, in the order of areas."""
    return (
        *_unlike("setting", a.setting, b.setting),
        *_plans(a, b),
        *_unlike("server", _server(a), _server(b)),
        *_unlike("tier", _tiers(a), _tiers(b)),
        *_machines(a.machine, b.machine),
        *_unlike("rig", _rig(a), _rig(b)),
    )


def machine_differs(first: MachineDocument, second: MachineDocument) -> str:
    """Return by what two machines differ, in words; "" where they are the same, as far as is known."""
    reasons = [
        TEXTS.and_text(NAMES[name], mine, theirs)
        for name in OF_ANOTHER
        if (mine := getattr(first, name)) and (theirs := getattr(second, name)) and mine != theirs
    ]
    sizes = first.memory_bytes, second.memory_bytes
    if all(sizes) and not _same_memory(*sizes):
        reasons.append(TEXTS.memory_and(*map(show_size, sizes)))
    return "; ".join(reasons)


def _same_memory(first: float, second: float) -> bool:
    return abs(first - second) <= MEMORY_WITHIN * max(first, second)


def _machines(first: MachineDocument, second: MachineDocument) -> Iterator[Difference]:
    for name in MACHINE:
        mine, theirs = getattr(first, name), getattr(second, name)
        if not mine or not theirs or mine == theirs:
            continue
        if name == "memory_bytes":
            if not _same_memory(mine, theirs):
                yield Difference("machine", NAMES["memory"], show_size(mine), show_size(theirs))
        else:
            yield Difference("machine", NAMES[name], str(mine), str(theirs))


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
    except PlanError:  # a plan of another version, or no YAML, is compared as one text
        return {NAMES["text"]: text}


def _flat(value: Any, path: str = "") -> dict[str, str]:
    """Return a tree as its leaves by their paths: {"workload.users": "50"}."""
    if isinstance(value, Mapping):
        leaves: dict[str, str] = {}
        for name, child in value.items():
            leaves |= _flat(child, f"{path}.{name}" if path else str(name))
        return leaves
    if isinstance(value, list) and any(isinstance(child, Mapping | list) for child in value):
        leaves = {}
        for number, child in enumerate(value, 1):
            name = child.get("name", number) if isinstance(child, Mapping) else number
            leaves |= _flat(child, f"{path}[{name}]")
        return leaves
    return {path: ", ".join(map(str, value)) if isinstance(value, list) else str(value)}


def _server(side: Side) -> dict[str, str]:
    """Return how the server was started, without port, process and control group, which differ by start."""
    if side.result is None:
        return {}
    target = side.result.target or TargetDocument()
    port = (side.result.address or "").rpartition(":")[2].strip("/")
    argv = " ".join(target.argv)
    facts = {NAMES["kind"]: target.kind, NAMES["cpus"]: ", ".join(map(str, target.cpus))}
    if argv:
        facts[NAMES["command"]] = argv.replace(port, "PORT") if port.isdecimal() and len(port) > 3 else argv
    return facts | _flat(target.facts, "facts") if target.facts else facts


def _rig(side: Side) -> dict[str, str]:
    """Return what made the load, and what its times count where that is not what ours do."""
    facts = {"loadrig": side.loadrig}
    if (imported := side.imported) is not None:
        facts |= {NAMES["load_made_by"]: imported.tool, NAMES["times"]: imported.times}
    return facts


def _tiers(side: Side) -> dict[str, str]:
    """Return kinds and versions of the components that discovery found."""
    service_map = side.result.map if side.result is not None else None
    return {
        f"{component.name} {NAMES[fact]}": str(getattr(component, fact))
        for component in (service_map.components if service_map else ())
        for fact in OF_TIERS
    }


def _unlike(area: Area, first: Mapping[str, Any], second: Mapping[str, Any]) -> Iterator[Difference]:
    for name in dict.fromkeys([*first, *second]):
        mine, theirs = str(first.get(name, "")), str(second.get(name, ""))
        if mine != theirs:
            yield Difference(area, name, mine, theirs)
