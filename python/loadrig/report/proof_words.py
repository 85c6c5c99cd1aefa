"""A proof in words: elasticities, gains, what was done and what came of it."""

from collections.abc import Callable

from loadrig.base.units import show_duration
from loadrig.language.choice import texts_of
from loadrig.language.en.report.proof import ReportProofWordsTexts
from loadrig.language.labels import label
from loadrig.proving.document import BoundedEstimate
from loadrig.report import numbers, words
from loadrig.report.model import VerdictWords
from loadrig.report.proof import ShownExperiment, ShownProof, bands_of

TEXTS = texts_of(ReportProofWordsTexts)

_NO_CAPACITY = {
    "limits": TEXTS.no_capacity_limits,
    "shares": TEXTS.no_capacity_limits,
    "cleared": "cleared",
    "unsure": "unsure",
}


def elasticity(effect: BoundedEstimate | None) -> str:
    """Return an elasticity in words: "0.90 (0.81 to 0.99)"; two decimals, so that rows can be compared."""
    if effect is None:
        return "–"
    return f"{_two_decimals(effect.value)} ({_ends(effect, _two_decimals)})"


def _ends(effect: BoundedEstimate, shown: Callable[[float], str]) -> str:
    """Return the ends of an effect's interval in words: "0.81 to 0.99"."""
    if effect.low is None or effect.high is None:
        return TEXTS.interval_not
    return TEXTS.to(shown(effect.low), shown(effect.high))


def factor(effect: BoundedEstimate) -> str:
    """Return a gain as a factor: "×1.36 (1.2 to 1.5)"."""
    return f"×{_factor(effect.value)} ({_ends(effect, _factor)})"


def change(effect: BoundedEstimate) -> str:
    """Return a gain as a change: "+24 % (+21 to +27 %)"."""
    return f"{numbers.change(effect.value)} ({change_ends(effect)})"


def change_ends(effect: BoundedEstimate) -> str:
    """Return the ends of a gain's interval as changes: "+21 to +27 %"."""
    if effect.low is None or effect.high is None:
        return TEXTS.interval_not
    return numbers.change_span(effect.low, effect.high).replace(" … ", " to ")


def figure(experiment: ShownExperiment) -> str:
    """Return the result of an experiment: its elasticity, or the gain where the elasticity is no judge."""
    return elasticity(experiment.elasticity) if experiment.is_of_capacity else gained(experiment)


def gained(experiment: ShownExperiment) -> str:
    """Return the gain as a factor; "at least" where the generator was the limit."""
    return TEXTS.at_least(factor(experiment.gain)) if experiment.is_at_least else factor(experiment.gain)


def standing(experiment: ShownExperiment) -> VerdictWords:
    """Return what an experiment says of what it changed: symbol, word and tone.

    A setting is no limit, so of a setting it is said that it moves something.
    """
    symbol, word, tone = words.PROVED[experiment.standing]
    return symbol, word if experiment.is_of_capacity else _NO_CAPACITY[experiment.standing], tone


def came(experiment: ShownExperiment) -> str:
    """Return in short what was done and what came of it: "−20 % gives −18 %", "dips 21 % to 2 %"."""
    if experiment.is_of_capacity:
        suffix = "" if experiment.measure == "throughput" else f" {words.measure(experiment.measure)}"
        return TEXTS.gives(experiment.in_percent, numbers.change(experiment.gain.value), suffix).strip()
    if experiment.unchanged is None or experiment.changed is None:
        return ""
    both = (
        numbers.amount(value, experiment.shown_unit) for value in (experiment.unchanged, experiment.changed)
    )
    return f"{words.measure(experiment.measure)} {label(' to ').join(both)}"


def lasted(proof: ShownProof, experiment: ShownExperiment) -> str:
    """Return how often and how long a change was in force: "8 times, 12 s in all"; "" if never."""
    spans = bands_of(proof, experiment)
    if not spans:
        return ""
    whole = show_duration(round(sum(band.to_s - band.from_s for band in spans), 1))
    return TEXTS.in_all(numbers.plural(len(spans), "time"), whole)


def _two_decimals(value: float) -> str:
    text = f"{abs(value):.2f}"
    return f"−{text}" if value < 0 and float(text) else text


def _factor(value: float) -> str:
    if value >= 1000:
        return TEXTS.and_more
    return f"{value:.2f}" if 0.01 <= value < 10 else f"{value:.2g}" if value < 0.01 else f"{value:.3g}"


def verdict(proof: ShownProof) -> str:
    """Return the result of a proof as a sentence that says so where it is proved."""
    first = next(iter(proof.findings), None)
    if first is None or first.verdict != "named" or proof.sentence.startswith(label("Proved")):
        return proof.sentence
    return f"{label('Proved')}: {first.titled}: {first.effect.rstrip('.')}."


def course(proof: ShownProof) -> str:
    """Return in sentences how long it took, why it ended, and how many experiments were made."""
    ended = words.ENDED.get(proof.ended, "")
    if proof.ended in ("sure", "exhausted"):
        ended = TEXTS.ended_early_answer if proof.is_sure else ended if proof.experiments else ""
    if proof.took_s is None:
        first = f"{numbers.capital(ended)}." if ended else ""
    else:
        within = TEXTS.the_was_given(show_duration(proof.budget_s)) if proof.budget_s else ""
        first = TEXTS.took(show_duration(proof.took_s), within, "; " + ended if ended else "")
    live = sum(experiment.is_live for experiment in proof.experiments)
    apart = len(proof.experiments) - live
    if not proof.experiments:
        second = TEXTS.nothing_changed
    elif not live:
        second = TEXTS.changed_in(_things(apart), TEXTS.trials_their_own if apart > 1 else TEXTS.trials_own)
    else:
        second = TEXTS.changed_while_load(_things(live), TEXTS.more_trials_apart(str(apart)) if apart else "")
    return f"{first} {second}".strip()


def _things(number: int) -> str:
    return f"{numbers.plural(number, 'thing')} {'was' if number == 1 else 'were'}"


def done(proof: ShownProof) -> tuple[tuple[str, str], ...]:
    """Return the title of each experiment and a sentence: its cost to the server, how often, how long."""
    costs = []
    for experiment in proof.experiments:
        cost, how_long = experiment.cost, lasted(proof, experiment)
        text = f"{cost} ({how_long})" if cost and how_long else cost or how_long
        costs.append((experiment.title, text))
    return tuple(pair for pair in costs if pair[1])
