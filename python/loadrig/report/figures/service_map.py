"""Who opens connections to whom, with what each tier is and used."""

from collections.abc import Mapping, Sequence
from typing import Any

from loadrig.base.component import HOST, SERVER
from loadrig.report import numbers
from loadrig.report.figures.tier_strips import order
from loadrig.report.model import Cell, Column, Figure, Table
from loadrig.report.timeline import Timeline

Json = Mapping[str, Any]
LOAD = "load"


def draw(
    view: str, service_map: Json, time: Timeline, load: str, findings: Sequence[Json] = ()
) -> Figure | None:
    """Return the map of a trial; None if discovery found nobody. service_map: "map" of the manifest.

    load: the load in words, for its own box. findings: of the trial, by which boxes are coloured.
    """
    components = [component for component in service_map.get("components", ()) if component["kind"] != HOST]
    if not components:
        return None
    edges = list(service_map.get("edges", ()))
    depths = _depths(components, edges)
    accused = _accused(findings)
    nodes = [
        {
            "id": LOAD,
            "title": "the load",
            "sub": load,
            "facts": [],
            "depth": 0,
            "is_load": True,
            **accused.get(LOAD, {}),
        }
    ]
    nodes += [
        {
            "id": component["name"],
            "title": component["name"]
            if component["name"] == component["kind"]
            else f"{component['name']} · {component['kind']}",
            "sub": what(component),
            "facts": _facts(component, time),
            "depth": depths[component["name"]],
            **accused.get(str(component["name"]), {}),
        }
        for component in components
    ]
    entrance = {"source": LOAD, "to": SERVER, "label": []}
    drawn = [entrance, *({**_ends(edge), "label": _label(edge, time)} for edge in edges)]
    names = ", ".join(component["name"] for component in components)
    return Figure(
        f"map-{view}",
        "map",
        "Who talks to whom",
        f"Found by the connections of the processes: {names}. An arrow goes from who opens a connection"
        " to who accepts it.",
        {"nodes": nodes, "edges": drawn},
    )


def _accused(findings: Sequence[Json]) -> dict[str, dict[str, str]]:
    """Return the marks of boxes: roots of what is wrong, and what these roots bring about."""
    marks: dict[str, dict[str, str]] = {}
    for finding in findings:
        if finding["cause"] == "healthy":
            continue
        for accused, state in ((finding, "root"), *((symptom, "symptom") for symptom in finding["symptoms"])):
            word = accused["verdict"] if state == "root" else "symptom"
            marks.setdefault(
                str(accused["component"]), {"state": state, "said": f"{word}: {accused['title']}"}
            )
    if "generator" in marks:
        marks.setdefault(LOAD, marks["generator"])
    return marks


def table(service_map: Json, time: Timeline) -> Table | None:
    """Return what each tier is, used and talks to; None if discovery found nobody."""
    components = [component for component in service_map.get("components", ()) if component["kind"] != HOST]
    if not components:
        return None
    edges = list(service_map.get("edges", ()))
    heads = (
        Column("tier", "left"),
        Column("what", "left", rank=2),
        Column("CPU"),
        Column("memory", rank=1),
        Column("talks to", "left"),
    )
    rows = []
    for component in sorted(components, key=lambda component: order(str(component["name"]))):
        name = str(component["name"])
        talks_to = "; ".join(
            f"{edge['to']} ({', '.join(_label(edge, time))})" for edge in edges if edge["source"] == name
        )
        limit = (component.get("limits") or {}).get("cores")
        rows.append(
            (
                Cell(name),
                Cell(what(component)),
                Cell(
                    numbers.amount(_median(time, name, "process.cpu_s"), "cores"),
                    note=f"of {limit:g}" if limit else "",
                ),
                Cell(numbers.amount(_median(time, name, "process.pss_bytes"), "B")),
                Cell(talks_to or "–"),
            )
        )
    return Table(heads, tuple(rows), notes=("CPU and memory: the median of the measured part.",))


def _ends(edge: Json) -> dict[str, str]:
    return {"source": str(edge["source"]), "to": str(edge["to"])}


def _depths(components: Sequence[Json], edges: Sequence[Json]) -> dict[str, int]:
    """Return the steps of each component from the load; one without a way from it stands with the server."""
    depths = {SERVER: 1}
    for _ in components:  # no way is longer than there are components
        for edge in edges:
            if edge["source"] in depths:
                depths.setdefault(str(edge["to"]), depths[edge["source"]] + 1)
    return {str(component["name"]): depths.get(component["name"], 1) for component in components}


def what(component: Json) -> str:
    """Return the versions of a component: "gunicorn 27.0.1, cpython 3.11"."""
    program = " ".join(str(part) for part in (component["kind"], component.get("program_version")) if part)
    runtime = " ".join(str(part) for part in (component.get("runtime"), component.get("version")) if part)
    if component.get("runtime") in ("", "native", None):
        return " ".join(
            str(p)
            for p in (component["kind"], component.get("program_version") or component.get("version"))
            if p
        )
    return ", ".join(part for part in (program, runtime) if part)


def _facts(component: Json, time: Timeline) -> list[str]:
    facts = []
    where = component.get("address")
    workers = component.get("workers")
    if component.get("pid"):
        more = f" and {numbers.plural(workers, 'worker')}" if workers else ""
        facts.append(f"process {component['pid']}{more}")
    elif where:
        facts.append(f"elsewhere: {where}")
    used = _median(time, str(component["name"]), "process.cpu_s")
    if used is not None:
        limit = (component.get("limits") or {}).get("cores")
        facts.append(f"{numbers.amount(used, 'cores')}" + (f" of {limit:g} allowed" if limit else ""))
    memory = _median(time, str(component["name"]), "process.pss_bytes")
    if memory is not None:
        facts.append(numbers.amount(memory, "B"))
    return facts


def _median(time: Timeline, component: str, name: str, subject: str = "tree") -> float | None:
    for series in time.observed:
        if (series.component, f"{series.probe}.{series.metric}", series.subject) == (
            component,
            name,
            subject,
        ):
            band = series.band.mean
            known = sorted(v for i in time.inside if i < len(band) and (v := band[i]) is not None)
            return known[len(known) // 2] if known else None
    return None


def _label(edge: Json, time: Timeline) -> list[str]:
    label = [numbers.plural(int(edge.get("connections") or 0), "connection")]
    opened = _median(time, HOST, "tcp_sockets.opened", f"out:{edge.get('address')}")
    if opened:
        label.append(f"{numbers.amount(opened, '1/s')} opened")
    return label
