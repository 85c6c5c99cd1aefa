"""The spike: queue, failures, and the way back."""

from loadrig.judgement.soak.document import Counted, RecoveryDocument, SpikeDocument
from loadrig.language.choice import texts_of
from loadrig.language.en.report.sections import SpikeSectionTexts
from loadrig.report import numbers, soak
from loadrig.report.figures import spike_strips
from loadrig.report.model import Cell, Facts, Paragraph, Section, Table
from loadrig.report.run import Run
from loadrig.report.tables import left, right, table_of

TEXTS = texts_of(SpikeSectionTexts)

ORDER = 14
TITLE = "Spike"

UNITS = {"latency": "s", "in flight": "", "failures": "1"}
NAMES = {"latency": TEXTS.name_latency, "in flight": TEXTS.name_in_flight, "failures": "failures"}


def build(run: Run) -> Section | None:
    """Return strips, figures and the way back of each measure; None where there was no spike."""
    answer = soak.spike_in(run)
    if answer is None:
        return None
    figure = spike_strips.draw(answer)
    if figure is None or not isinstance(answer, SpikeDocument):
        return Section("spike", TITLE, (Paragraph(answer.text),))
    lead = TEXTS.before_after(
        numbers.amount(answer.usual_level, _unit(answer)),
        numbers.amount(answer.level, _unit(answer)),
        numbers.amount(round(answer.to_s - answer.from_s, 1), "s"),
    )
    return Section("spike", TITLE, (figure, Facts(tuple(_facts(answer))), _measures(answer)), lead=lead)


def _unit(answer: SpikeDocument) -> str:
    return "users" if answer.model == "users" else "1/s"


def _facts(answer: SpikeDocument) -> list[tuple[str, str]]:
    errors, usual = answer.errors, answer.usual_errors
    rows = [(TEXTS.most_flight, numbers.amount(answer.most_in_flight, ""))]
    growth = answer.piled_up_a_second
    if growth is not None and (growth.low or 0) > 0:
        value = numbers.amount(growth.value, "")
        rows.append((TEXTS.piled_up_second, f"{value} ({soak.between(growth, '')})"))
    rows.append(("failed", TEXTS.before(_share(errors), _share(usual))))
    rows.append((TEXTS.lost_by, TEXTS.requests(numbers.amount(answer.lost, ""))))
    rows.append((TEXTS.watched_after, numbers.amount(round(answer.watched_s, 1), "s")))
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
        right(TEXTS.band_up, lambda row: amount(row, row[1].level + row[1].band), 1),
        right("worst", lambda row: TEXTS.no_answer if row[1].peak is None else amount(row, row[1].peak)),
        right(TEXTS.back_after, lambda row: _back(row[1])),
        left("", lambda row: _standing(row[1])),
        caption=TEXTS.caption,
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
        return Cell(TEXTS.stayed_band, "good")
    if measure.back_s is not None:
        return Cell(TEXTS.is_back, "good")
    return Cell(TEXTS.on_its_way, "warn") if measure.falling else Cell(TEXTS.not_back, "bad")
