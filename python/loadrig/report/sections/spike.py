"""The spike: queue, failures, and the way back."""

from loadrig.report import numbers, soak
from loadrig.report.figures import spike_strips
from loadrig.report.model import Block, Cell, Column, Facts, Paragraph, Section, Table
from loadrig.report.run import Run
from loadrig.report.soak import Json

ORDER = 14
TITLE = "Spike"

UNITS = {"latency": "s", "in flight": "", "failures": "1"}
NAMES = {"latency": "latency (p90)", "in flight": "requests in flight", "failures": "failures"}


def build(run: Run) -> Section | None:
    """Strips, figures, the way back of each measure; None where there was no spike."""
    found = soak.found_in(run, "spike")
    if found is None:
        return None
    figure = spike_strips.draw(found)
    if figure is None:
        return Section("spike", TITLE, (Paragraph(str(found["text"])),))
    facts, table = Facts(tuple(_facts(found))), _measures(found)
    lead = (
        f"{numbers.amount(found['usual_level'], _unit(found))} before and after,"
        f" {numbers.amount(found['level'], _unit(found))} for"
        f" {numbers.amount(round(found['to_s'] - found['from_s'], 1), 's')}."
    )
    blocks: tuple[Block, ...] = (figure, facts, table)
    return Section("spike", TITLE, blocks, lead=lead, told=(figure, facts, table))


def _unit(found: Json) -> str:
    return "users" if found.get("model") == "users" else "1/s"


def _facts(found: Json) -> list[tuple[str, str]]:
    errors, usual = found["errors"], found["usual_errors"]
    rows = [("most in flight", numbers.amount(found["most_in_flight"], ""))]
    growth = found["piled_up_a_second"]
    if growth and growth["value"] is not None and (growth["low"] or 0) > 0:
        low, high = growth["low"], growth["high"]
        value = numbers.amount(growth["value"], "")
        rows.append(("piled up a second", f"{value} ({numbers.span(growth['value'], low, high, '')})"))
    rows.append(("failed", f"{_share(errors)}, before it {_share(usual)}"))
    rows.append(("lost by it", f"{numbers.amount(found['lost'], '')} requests"))
    rows.append(("watched after it", numbers.amount(round(found["watched_s"], 1), "s")))
    return rows


def _share(one: Json) -> str:
    if one["value"] is None:
        return "–"
    return (
        f"{numbers.amount(one['value'], '1')} ({numbers.span(one['value'], one['low'], one['high'], '1')} %)"
    )


def _measures(found: Json) -> Table:
    heads = (
        Column("measure", "left"), Column("usual"), Column("band up to", rank=1), Column("worst"),
        Column("back after"), Column("", "left"),
    )  # fmt: skip
    rows = []
    for name, one in found["measures"].items():
        unit = UNITS[name]
        back = (
            "–"
            if not one["harmed"]
            else "not"
            if one["back_s"] is None
            else numbers.amount(one["back_s"], "s")
        )
        between = ""
        if one["harmed"] and one["back_s"] is not None and one["high_s"] is not None:
            between = f"{numbers.amount(one['low_s'], 's')} – {numbers.amount(one['high_s'], 's')}"
        rows.append(
            (
                Cell(NAMES[name]),
                Cell(numbers.amount(one["level"], unit)),
                Cell(numbers.amount(one["level"] + one["band"], unit)),
                Cell(numbers.amount(one["peak"], unit) if one["peak"] is not None else "no answer"),
                Cell(back, note=between),
                _standing(one),
            )
        )
    return Table(heads, tuple(rows), caption="The way back")


def _standing(one: Json) -> Cell:
    if not one["harmed"]:
        return Cell("✓ stayed in its band", "good")
    if one["back_s"] is not None:
        return Cell("✓ is back", "good")
    return Cell("◒ on its way", "warn") if one["falling"] else Cell("✗ not back", "bad")
