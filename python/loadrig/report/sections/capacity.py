"""The capacity: how it was found, level by level, and what a closed load says of contention."""

from loadrig.report import numbers
from loadrig.report.capacity import CapacityResult
from loadrig.report.figures import capacity_curve
from loadrig.report.model import Block, Facts, Paragraph, Section
from loadrig.report.run import Json, Run

ORDER = 11
TITLE = "Capacity"


def build(run: Run) -> Section | None:
    """Return the curve with every level, its figures, and its warnings; None without a search."""
    if run.study is None or not run.study.json.get("capacity"):
        return None
    search = CapacityResult(run.study.json["capacity"])
    goals = run.study.setting(search.json["setting_id"])["goals"]
    curve = capacity_curve.draw(search, goals)
    table = curve.table
    blocks: list[Block] = [curve, Facts(tuple(_facts(search)))]
    blocks += [Paragraph(f"Note: {text}.", size="note") for text in search.json["warnings"]]
    levels = numbers.plural(len(search.probes), "level")
    terminal = (Facts(tuple(_facts(search))), *((table,) if table is not None else ()))
    return Section(
        "capacity",
        TITLE,
        tuple(blocks),
        lead=f"{levels} in {numbers.amount(search.json['seconds'], 's')}, in one run of the server.",
        told=tuple(terminal),
    )


def _facts(search: CapacityResult) -> list[tuple[str, str]]:
    json = search.json
    rows = [
        ("surely met", search.shown(json["at_least"]) if json["at_least"] else "no level"),
        ("surely missed", search.shown(json["at_most"]) if json["at_most"] else "no level"),
    ]
    if json["saturation"]:
        low, high = json["saturation"]["interval"]
        value = json["saturation"]["value"]
        rows.append(
            ("most answers", f"{numbers.amount(value, '1/s')} ({numbers.span(value, low, high, '1/s')})")
        )
    if json["knee"]:
        at = search.shown(json["knee"]["at"])
        rows.append(("knee", f"{at}, with {numbers.amount(json['knee']['response_s'], 's')} a response"))
    if json["usl"]:
        rows += _law(json["usl"])
    return rows


def _law(usl: Json) -> list[tuple[str, str]]:
    """Return rows of the universal scalability law: what users cost each other."""
    sigma, kappa = (_between(usl[name], "1") for name in ("sigma", "kappa"))
    rows = [("contention (USL σ)", sigma), ("coherency (USL κ)", kappa)]
    if usl["is_retrograde"] and usl["peak"]:
        rows.append(("most at", f"{numbers.amount(usl['peak']['value'], 'users')}: more users get less"))
    return rows


def _between(estimate: Json, unit: str) -> str:
    span = numbers.span(estimate["value"], estimate["low"], estimate["high"], unit)
    return f"{numbers.amount(estimate['value'], unit)} ({span})"
