"""The spike: queue, failures, and the way back."""

from loadrig.judgement.soak.document import Counted, RecoveryDocument, SpikeDocument
from loadrig.report import numbers, soak
from loadrig.report.figures import spike_strips
from loadrig.report.model import Block, Cell, Column, Facts, Paragraph, Section, Table
from loadrig.report.run import Run

ORDER = 14
TITLE = "Spike"

UNITS = {"latency": "s", "in flight": "", "failures": "1"}
NAMES = {"latency": "latency (p90)", "in flight": "requests in flight", "failures": "failures"}


def build(run: Run) -> Section | None:
    """Return strips, figures and the way back of each measure; None where there was no spike."""
    answer = soak.spike_in(run)
    if answer is None:
        return None
    figure = spike_strips.draw(answer)
    if figure is None or not isinstance(answer, SpikeDocument):
        return Section("spike", TITLE, (Paragraph(answer.text),))
    facts, table = Facts(tuple(_facts(answer))), _measures(answer)
    lead = (
        f"{numbers.amount(answer.usual_level, _unit(answer))} before and after,"
        f" {numbers.amount(answer.level, _unit(answer))} for"
        f" {numbers.amount(round(answer.to_s - answer.from_s, 1), 's')}."
    )
    blocks: tuple[Block, ...] = (figure, facts, table)
    return Section("spike", TITLE, blocks, lead=lead, told=(figure, facts, table))


def _unit(answer: SpikeDocument) -> str:
    return "users" if answer.model == "users" else "1/s"


def _facts(answer: SpikeDocument) -> list[tuple[str, str]]:
    errors, usual = answer.errors, answer.usual_errors
    rows = [("most in flight", numbers.amount(answer.most_in_flight, ""))]
    growth = answer.piled_up_a_second
    if growth is not None and (growth.low or 0) > 0:
        value = numbers.amount(growth.value, "")
        rows.append(("piled up a second", f"{value} ({soak.between(growth, '')})"))
    rows.append(("failed", f"{_share(errors)}, before it {_share(usual)}"))
    rows.append(("lost by it", f"{numbers.amount(answer.lost, '')} requests"))
    rows.append(("watched after it", numbers.amount(round(answer.watched_s, 1), "s")))
    return rows


def _share(estimate: Counted) -> str:
    if estimate.value is None:
        return "–"
    return f"{numbers.amount(estimate.value, '1')} ({soak.between(estimate, '1')} %)"


def _measures(answer: SpikeDocument) -> Table:
    heads = (
        Column("measure", "left"), Column("usual"), Column("band up to", rank=1), Column("worst"),
        Column("back after"), Column("", "left"),
    )  # fmt: skip
    rows = []
    for name, measure in answer.measures.items():
        unit = UNITS[name]
        back = (
            "–"
            if not measure.harmed
            else "not"
            if measure.back_s is None
            else numbers.amount(measure.back_s, "s")
        )
        between = ""
        if measure.harmed and measure.back_s is not None and measure.high_s is not None:
            between = f"{numbers.amount(measure.low_s, 's')} – {numbers.amount(measure.high_s, 's')}"
        rows.append(
            (
                Cell(NAMES[name]),
                Cell(numbers.amount(measure.level, unit)),
                Cell(numbers.amount(measure.level + measure.band, unit)),
                Cell(numbers.amount(measure.peak, unit) if measure.peak is not None else "no answer"),
                Cell(back, note=between),
                _standing(measure),
            )
        )
    return Table(heads, tuple(rows), caption="The way back")


def _standing(measure: RecoveryDocument) -> Cell:
    if not measure.harmed:
        return Cell("✓ stayed in its band", "good")
    if measure.back_s is not None:
        return Cell("✓ is back", "good")
    return Cell("◒ on its way", "warn") if measure.falling else Cell("✗ not back", "bad")
