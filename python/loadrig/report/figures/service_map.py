"""Map of who opens connections to whom, with what each tier is and used."""

from collections.abc import Sequence

from loadrig.base.component import HOST, SERVER
from loadrig.judgement.document import FindingDocument
from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.service_map import ServiceMapTexts
from loadrig.recording.service_map import EdgeDocument, MapComponent, MapDocument
from loadrig.report import numbers, words
from loadrig.report.figures.tier_strips import order
from loadrig.report.model import Cell, Figure, Table
from loadrig.report.tables import left, right, table_of
from loadrig.report.timeline import Timeline

TEXTS = texts_of(ServiceMapTexts)

LOAD = "load"


def draw(
    view: str,
    service_map: MapDocument,
    time: Timeline,
    load: str,
    findings: Sequence[FindingDocument] = (),
) -> Figure | None:
    """Return the map of a trial; None if discovery found nobody.

    load: the load in words, for its own box. findings: of the trial, by which boxes are coloured.
    """
    components, edges = service_map.programs, service_map.edges
    if not components:
        return None
    depths = _depths(edges)
    accused = _accused(findings)
    nodes: list[dict[str, object]] = [
        {"id": LOAD, "title": TEXTS.load, "sub": load, "facts": [], "depth": 0, "is_load": True}
    ]
    for component in components:
        name, kind = component.name, component.kind
        title = name if name == kind else f"{name} · {kind}"
        own = {"facts": _facts(component, time), "depth": depths.get(name, 1)}
        nodes.append({"id": name, "title": title, "sub": component.versions, **own})
    nodes = [node | accused.get(str(node["id"]), {}) for node in nodes]
    drawn: list[dict[str, object]] = [{"source": LOAD, "to": SERVER, "label": []}]
    drawn += [{"source": edge.source, "to": edge.to, "label": _label(edge, time)} for edge in edges]
    names = ", ".join(component.name for component in components)
    return Figure(
        f"map-{view}",
        "map",
        TEXTS.title,
        TEXTS.about(names),
        {"nodes": nodes, "edges": drawn},
    )


def _accused(findings: Sequence[FindingDocument]) -> dict[str, dict[str, str]]:
    """Return the marks of boxes: roots of what is wrong, and what these roots bring about."""
    marks: dict[str, dict[str, str]] = {}
    for finding in findings:
        if finding.cause == "healthy":
            continue
        marks.setdefault(
            finding.component,
            {"state": "root", "said": f"{words.STANDS[finding.verdict][1]}: {finding.title}"},
        )
        for symptom in finding.symptoms:
            marks.setdefault(symptom.component, {"state": "symptom", "said": TEXTS.symptom(symptom.title)})
    if "generator" in marks:
        marks.setdefault(LOAD, marks["generator"])
    return marks


def table(service_map: MapDocument, time: Timeline) -> Table | None:
    """Return what each tier is, used and talks to; None if discovery found nobody."""
    components, edges = service_map.programs, service_map.edges
    if not components:
        return None

    def cores(component: MapComponent) -> Cell:
        limit = component.limits.get("cores")
        used = numbers.amount(_median(time, component.name, "process.cpu_s"), "cores")
        return Cell(used, note=TEXTS.of_limit(f"{limit:g}") if limit else "")

    def memory(component: MapComponent) -> str:
        return numbers.amount(_median(time, component.name, "process.pss_bytes"), "B")

    def talks_to(component: MapComponent) -> str:
        own = [edge for edge in edges if edge.source == component.name]
        return "; ".join(f"{edge.to} ({', '.join(_label(edge, time))})" for edge in own) or "–"

    return table_of(
        sorted(components, key=lambda component: order(component.name)),
        left(TEXTS.tier, lambda component: component.name),
        left(TEXTS.what, lambda component: component.versions, 2),
        right(TEXTS.cpu, cores),
        right(TEXTS.memory, memory, 1),
        left(TEXTS.talks_to, talks_to),
        notes=(TEXTS.note,),
    )


def _depths(edges: Sequence[EdgeDocument]) -> dict[str, int]:
    """Return the steps from the load of each component that has a way from it."""
    depths = {SERVER: 1}
    for _ in edges:  # no way is longer than there are edges
        for edge in edges:
            if edge.source in depths:
                depths.setdefault(edge.to, depths[edge.source] + 1)
    return depths


def _facts(component: MapComponent, time: Timeline) -> list[str]:
    facts = []
    if component.pid:
        facts.append(TEXTS.process(component.pid, component.workers))
    elif component.address:
        facts.append(TEXTS.elsewhere(component.address))
    used = _median(time, component.name, "process.cpu_s")
    if used is not None:
        limit = component.limits.get("cores")
        facts.append(numbers.amount(used, "cores") + (TEXTS.of_allowed(f"{limit:g}") if limit else ""))
    memory = _median(time, component.name, "process.pss_bytes")
    if memory is not None:
        facts.append(numbers.amount(memory, "B"))
    return facts


def _median(time: Timeline, component: str, name: str, subject: str = "tree") -> float | None:
    series = time.series(component, name, subject)
    values = time.measured_values(series.band.mean) if series is not None else []
    return values[len(values) // 2] if values else None


def _label(edge: EdgeDocument, time: Timeline) -> list[str]:
    label = [TEXTS.connections(edge.connections)]
    opened = _median(time, HOST, "tcp_sockets.opened", f"out:{edge.address}")
    if opened:
        label.append(TEXTS.opened(numbers.amount(opened, "1/s")))
    return label
