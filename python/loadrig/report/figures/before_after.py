"""The fix, tried for real: what each pair of measurements was before and after it."""

from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.before_after import BeforeAfterTexts
from loadrig.report import numbers, proof_words, words
from loadrig.report.model import Cell, Figure, Table, VerdictWords
from loadrig.report.proof import ShownMend
from loadrig.report.tables import left, right, table_of

TEXTS = texts_of(BeforeAfterTexts)


def draw(fix: ShownMend) -> Figure:
    """Return paired dots joined by lines, their medians, the gain with its interval, and the prediction."""
    symbol, word, tone = verdict(fix)
    measure = words.measure(fix.measure)
    facts = [
        [TEXTS.before, numbers.amount(fix.before, fix.shown_unit), ""],
        [TEXTS.after, numbers.amount(fix.after, fix.shown_unit), ""],
        [TEXTS.gain, numbers.change(fix.gain.value), proof_words.change_ends(fix.gain)],
    ]
    if fix.predicted is not None:
        facts.append([TEXTS.predicted, numbers.change(fix.predicted), fix.predicted_why])
    data = {
        "unit": fix.shown_unit,
        "measure": measure,
        "pairs": [[numbers.rounded(low), numbers.rounded(high)] for low, high in fix.pairs],
        "before": numbers.rounded(fix.before),
        "after": numbers.rounded(fix.after),
        "low": None if fix.gain.low is None else numbers.rounded(fix.before * fix.gain.low),
        "high": None if fix.gain.high is None else numbers.rounded(fix.before * fix.gain.high),
        "predicted": None if fix.predicted is None else numbers.rounded(fix.before * fix.predicted),
        "texts": {
            "before": numbers.amount(fix.before, fix.shown_unit),
            "after": numbers.amount(fix.after, fix.shown_unit),
            "predicted": None if fix.predicted is None else TEXTS.predicted,
        },
        "facts": facts,
        "verdict": {"text": f"{symbol} {word}", "tone": tone},
    }
    about = TEXTS.about(measure, fix.better, has_prediction=fix.predicted is not None)
    return Figure("before-after", "slopes", TEXTS.title(fix.title), about, data, _table(fix))


def verdict(fix: ShownMend) -> VerdictWords:
    """Return whether the fix is verified: symbol, words and tone."""
    if fix.is_verified:
        return "✓", TEXTS.verified, "good"
    low, high = fix.gain.low, fix.gain.high
    if low is None or high is None or low <= 1 <= high:
        return "✗", TEXTS.no_gain, "bad"
    if (fix.gain.value > 1) != fix.is_more_better:
        return "✗", TEXTS.made_worse, "bad"
    return "✗", TEXTS.brought_too_little if fix.predicted is None else TEXTS.brought_less, "bad"


def _table(fix: ShownMend) -> Table:
    rows = [
        (Cell(str(number)), before, after, numbers.change(after / before) if before else "–")
        for number, (before, after) in enumerate(fix.pairs, 1)
    ]
    return table_of(
        [*rows, (Cell(TEXTS.median, "strong"), fix.before, fix.after, proof_words.change(fix.gain))],
        left(TEXTS.pair, lambda row: row[0]),
        right(TEXTS.before, lambda row: numbers.amount(row[1], fix.shown_unit)),
        right(TEXTS.after, lambda row: numbers.amount(row[2], fix.shown_unit)),
        right(TEXTS.change, lambda row: row[3]),
        caption=TEXTS.caption,
        folded=True,
    )
