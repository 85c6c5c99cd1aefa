"""The spike: queue, failures, and the way back."""

from loadrig.judgement.soak.document import Counted, RecoveryDocument, SpikeDocument
from loadrig.report import numbers, soak
from loadrig.report.figures import spike_strips
from loadrig.report.model import Cell, Facts, Paragraph, Section, Table
from loadrig.report.run import Run
from loadrig.report.tables import left, right, table_of

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
    lead = (
        f"{numbers.amount(answer.usual_level, _unit(answer))} before and after,"
        f" {numbers.amount(answer.level, _unit(answer))} for"
        f" {numbers.amount(round(answer.to_s - answer.from_s, 1), 's')}."
    )
    return Section("spike", TITLE, (figure, Facts(tuple(_facts(answer))), _measures(answer)), lead=lead)


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
    def amount(row: tuple[str, RecoveryDocument], value: float) -> str:
        return numbers.amount(value, UNITS[row[0]])

    return table_of(
        answer.measures.items(),
        left("measure", lambda row: NAMES[row[0]]),
        right("usual", lambda row: amount(row, row[1].level)),
        right("band up to", lambda row: amount(row, row[1].level + row[1].band), 1),
        right("worst", lambda row: "no answer" if row[1].peak is None else amount(row, row[1].peak)),
        right("back after", lambda row: _back(row[1])),
        left("", lambda row: _standing(row[1])),
        caption="The way back",
    )


def _back(measure: RecoveryDocument) -> Cell:
    if not measure.harmed:
        return Cell("–")
    if measure.back_s is None:
        return Cell("not")
    ends = (measure.low_s, measure.high_s)
    between = " – ".join(numbers.amount(end, "s") for end in ends) if measure.high_s is not None else ""
    return Cell(numbers.amount(measure.back_s, "s"), note=between)


def _standing(measure: RecoveryDocument) -> Cell:
    if not measure.harmed:
        return Cell("✓ stayed in its band", "good")
    if measure.back_s is not None:
        return Cell("✓ is back", "good")
    return Cell("◒ on its way", "warn") if measure.falling else Cell("✗ not back", "bad")
