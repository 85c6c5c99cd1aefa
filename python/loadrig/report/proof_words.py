"""A proof in words: elasticities, gains, what was done and what came of it."""

from loadrig.base.units import show_duration
from loadrig.report import numbers, words
from loadrig.report.model import Tone
from loadrig.report.proof import Effect, Experiment, Proof, bands_of

_NO_CAPACITY = {"limits": "moves it", "shares": "moves it", "cleared": "cleared", "unsure": "unsure"}


def elasticity(effect: Effect | None) -> str:
    """An elasticity in words: "0.90 (0.81 to 0.99)"; always two decimals, so that rows can be compared."""
    if effect is None:
        return "–"
    if effect.low is None or effect.high is None:
        return f"{_two_decimals(effect.value)} (interval not known)"
    return f"{_two_decimals(effect.value)} ({_two_decimals(effect.low)} to {_two_decimals(effect.high)})"


def factor(effect: Effect | None) -> str:
    """A gain as a factor: "×1.36 (1.2 to 1.5)"."""
    if effect is None:
        return "–"
    text = f"×{_factor(effect.value)}"
    if effect.low is None or effect.high is None:
        return f"{text} (interval not known)"
    return f"{text} ({_factor(effect.low)} to {_factor(effect.high)})"


def change(effect: Effect) -> str:
    """A gain as a change: "+24 % (+21 to +27 %)"."""
    text = numbers.change(effect.value)
    if effect.low is None or effect.high is None:
        return f"{text} (interval not known)"
    return f"{text} ({numbers.change_span(effect.low, effect.high).replace(' … ', ' to ')})"


def figure(one: Experiment) -> str:
    """What came of an experiment: its elasticity, or what judges it where that does not."""
    return elasticity(one.elasticity) if one.is_of_capacity else gained(one)


def gained(one: Experiment) -> str:
    """The gain as a factor; "at least" where the generator was the limit."""
    return f"at least {factor(one.gain)}" if one.is_at_least else factor(one.gain)


def standing(one: Experiment) -> tuple[str, str, Tone]:
    """What it says of what was changed: symbol, word and tone. A setting is no limit: it moves something."""
    symbol, word, tone = words.PROVED[one.standing]
    return symbol, word if one.is_of_capacity else _NO_CAPACITY[one.standing], tone


def came(one: Experiment) -> str:
    """What was done and what came of it, short: "−20 % gives −18 %", "dips 21 % to 2 %"."""
    if one.is_of_capacity and one.gain is not None:
        of = "" if one.measure == "throughput" else f" {words.measure(one.measure)}"
        return f"{one.in_percent} gives {numbers.change(one.gain.value)}{of}".strip()
    if one.unchanged is None or one.changed is None:
        return ""
    both = (numbers.amount(value, one.unit) for value in (one.unchanged, one.changed))
    return f"{words.measure(one.measure)} {' to '.join(both)}"


def lasted(proof: Proof, one: Experiment) -> str:
    """How often and how long a live experiment's change was in force: "8 times, 12 s in all"; "" if never."""
    spans = bands_of(proof, one)
    if not spans:
        return ""
    whole = show_duration(round(sum(band.to_s - band.from_s for band in spans), 1))
    return f"{numbers.plural(len(spans), 'time')}, {whole} in all"


def _two_decimals(value: float) -> str:
    text = f"{abs(value):.2f}"
    return f"−{text}" if value < 0 and float(text) else text


def _factor(value: float) -> str:
    if value >= 1000:
        return "1,000 and more"
    return f"{value:.2f}" if 0.01 <= value < 10 else f"{value:.2g}" if value < 0.01 else f"{value:.3g}"


def verdict(proof: Proof) -> str:
    """What it came to, as a sentence that says so where it is proved."""
    first = next(iter(proof.findings), None)
    if first is None or first.get("verdict") != "named" or proof.sentence.startswith("Proved"):
        return proof.sentence
    return f"Proved: {first['title']} ({first['component']}): {str(first['effect']).rstrip('.')}."


def course(proof: Proof) -> str:
    """How long it took, why it ended, and how many experiments were made, in sentences."""
    is_named = any(one.get("verdict") == "named" for one in proof.findings)
    ended = words.ENDED.get(proof.ended, "")
    if proof.ended == "sure":
        ended = "it ended early, as the answer was sure" if is_named else ended if proof.experiments else ""
    if proof.took_s is None:
        first = f"{ended[:1].upper()}{ended[1:]}." if ended else ""
    else:
        within = f" of the {show_duration(proof.budget_s)} it was given" if proof.budget_s else ""
        first = f"It took {show_duration(proof.took_s)}{within}{'; ' + ended if ended else ''}."
    live = sum(one.is_live for one in proof.experiments)
    apart = len(proof.experiments) - live
    if not proof.experiments:
        second = "Nothing was changed."
    elif not live:
        second = f"{_things(apart)} changed in {'trials of their own' if apart > 1 else 'trials of its own'}."
    else:
        second = (
            f"{_things(live)} changed while load ran{f', {apart} more in trials apart' if apart else ''}."
        )
    return f"{first} {second}".strip()


def _things(number: int) -> str:
    return f"{numbers.plural(number, 'thing')} {'was' if number == 1 else 'were'}"


def done(proof: Proof) -> tuple[tuple[str, str], ...]:
    """What each experiment cost the server, with how often and how long: title and sentence."""
    found = []
    for one in proof.experiments:
        how_long = lasted(proof, one)
        said = f"{one.cost} ({how_long})" if one.cost and how_long else one.cost or how_long
        if said:
            found.append((one.title, said))
    return tuple(found)
