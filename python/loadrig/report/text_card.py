"""A finding in a terminal: what, how much, why, why not something else, what to do; about eight lines."""

from loadrig.base.columns import wrapped
from loadrig.language.choice import texts_of
from loadrig.language.en.report.proof import ReportTextCardTexts
from loadrig.report import words
from loadrig.report.model import Card, Line, Tone

TEXTS = texts_of(ReportTextCardTexts)

MOST_POINTS, MOST_RIVALS = 3, 2
"""Number of points and of rivals that a person takes in at a glance; the page has the rest."""

_INDENT = 2


def lines(card: Card, width: int) -> list[Line]:
    """Return the card, no line wider than `width`; sentences that are longer go on below."""
    symbol, _, tone = words.STANDS[card.standing]
    tone = "good" if card.is_good else tone
    drawn: list[Line] = [
        ((f"{symbol} {words.sure(card)}: ", tone), (f"{card.title} · {card.component}", "strong"))
    ]
    drawn += _wrapped("  ", card.effect, width, "plain")
    for point in card.points[:MOST_POINTS]:
        drawn += _wrapped("+ ", point.text, width, "plain")
    for text in card.missing[:1]:
        drawn += _wrapped("? ", text, width, "warn")
    for point in card.rivals[:MOST_RIVALS]:
        drawn += _wrapped("− ", TEXTS.not_text(point.rests_on, point.text), width, "quiet")
    if card.symptoms:
        drawn += _wrapped("↳ ", TEXTS.explains(", ".join(card.symptoms)), width, "quiet")
    drawn += _wrapped("→ ", card.mend, width, "strong")
    return drawn


def _wrapped(mark: str, text: str, width: int, tone: Tone) -> list[Line]:
    parts = wrapped(text, max(20, width - _INDENT - len(mark)))
    lead = " " * _INDENT
    return [
        ((lead + (mark if place == 0 else " " * len(mark)), "quiet"), (part, tone))
        for place, part in enumerate(parts)
    ]
