"""The words of the report: what an outcome, a verdict, a standing, a load model is called."""

from collections.abc import Mapping

from loadrig.base import units
from loadrig.language.choice import texts_of
from loadrig.language.en.report.words import ReportWordsTexts
from loadrig.language.labels import counted as counted_noun
from loadrig.language.labels import label
from loadrig.report.model import Card, VerdictWords
from loadrig.trial.document import LoadDocument
from loadrig.trial.reasons import Reason

TEXTS = texts_of(ReportWordsTexts)

STANDINGS: Mapping[str, VerdictWords] = {
    "best": ("▲", label("best"), "good"),
    "indistinguishable": ("~", TEXTS.may_good, "plain"),
    "worse": ("▼", label("worse"), "bad"),
    "infeasible": ("✗", TEXTS.misses_goal, "bad"),
    "undecided": ("?", label("undecided"), "warn"),
    "void": ("∅", label("void"), "warn"),
}
"""Symbol, words and tone of a setting's standing."""

COMPARED: Mapping[str, VerdictWords] = {
    "better": ("▲", label("better"), "good"),
    "worse": ("▼", label("worse"), "bad"),
    "equivalent": ("≈", label("equal"), "plain"),
    "trivial": ("≈", TEXTS.differs_too_little, "plain"),
    "undecided": ("~", label("undecided"), "quiet"),
    "void": ("∅", label("void"), "warn"),
}
"""Symbol, words and tone of a comparison's verdict."""

STANDS: Mapping[str, VerdictWords] = {
    "named": ("●", label("named"), "bad"),
    "likely": ("◕", label("likely"), "bad"),
    "possible": ("◔", label("possible"), "warn"),
}
"""Symbol, word and tone of how sure a finding is."""

CAUSES: Mapping[str, str] = {
    "named": TEXTS.cause_named,
    "likely": TEXTS.cause_likely,
    "possible": TEXTS.cause_possible,
}
"""Words in front of the first finding, where it stands in the answer."""

STANDS_MEANS: Mapping[str, str] = {
    "named": TEXTS.stands_mean_named,
    "likely": TEXTS.stands_mean_likely,
    "possible": TEXTS.stands_mean_possible,
}

CHANCE_STEP = 0.05
"""Step in which chances are told, 0 to 1: the recordings that they come from leave a tenth open."""

PROVED: Mapping[str, VerdictWords] = {
    "limits": ("●", label("limits"), "bad"),
    "shares": ("◐", label("shares"), "warn"),
    "cleared": ("○", label("cleared"), "plain"),
    "unsure": ("?", label("unsure"), "quiet"),
}
"""Symbol, word and tone of what an experiment says of what it changed."""

ENDED: Mapping[str, str] = {
    "sure": TEXTS.ended_sure,
    "exhausted": TEXTS.ended_sure,
    "budget": TEXTS.ended_budget,
    "unprovable": TEXTS.ended_unprovable,
    "nothing_to_prove": TEXTS.ended_nothing_to_prove,
    "gone": TEXTS.ended_gone,
    "failed": TEXTS.ended_failed,
    "interrupted": TEXTS.ended_interrupted,
}
"""Reasons for which a proof ended, as clauses."""

VALIDITY: Mapping[str, VerdictWords] = {
    "valid": ("✓", label("valid"), "good"),
    "disturbed": ("!", label("disturbed"), "warn"),
    "void": ("∅", label("void"), "bad"),
}
"""Symbol, word and tone of a trial's validity."""

VALIDITY_MEANS: Mapping[str, str] = {
    "valid": TEXTS.validity_mean_valid,
    "disturbed": TEXTS.validity_mean_disturbed,
    "void": TEXTS.validity_mean_void,
}

OUTCOMES: Mapping[str, str] = TEXTS.outcomes
"""Meaning of each outcome, one line each."""

MODELS: Mapping[str, tuple[str, str]] = {
    "users": ("closed", TEXTS.each_user_waits),
    "rate": ("open", TEXTS.requests_due_their),
    "sessions": (TEXTS.partly_open, TEXTS.users_arrive_rate),
    "replay": ("open", TEXTS.requests_due_times),
    "saturate": ("closed", TEXTS.every_connection_asks),
}
"""Arrival models: open or closed, and what that means."""

MEASURES: Mapping[str, str] = {
    "throughput": "throughput",
    "capacity": "capacity",
    "errors": "errors",
    "memory": "memory",
    "cpu_per_request": TEXTS.measure_cpu_per_request,
    "server_cpu": "server CPU",
    "mean": TEXTS.measure_mean,
    "max": TEXTS.measure_max,
}


def sure(card: Card) -> str:
    """Return how sure a finding is, as a word, with its chance where that is told: "likely, ~80 %"."""
    word = STANDS[card.standing][1]
    if card.chance is None:
        return word
    return TEXTS.about_so_sure(word, units.show_share(CHANCE_STEP * round(card.chance / CHANCE_STEP)))


def sure_means(card: Card) -> str:
    """Return what it means that a finding is that sure."""
    means = STANDS_MEANS[card.standing]
    return means if card.chance is None else f"{means}. {TEXTS.chance_means}"


def measure(name: str) -> str:
    """Return a measure as read: "service_p50" -> "service p50"."""
    return label(MEASURES.get(name) or name.replace("_", " "))


CLAIMS: Mapping[str, str] = {
    "facts": "facts",
    "ratios": TEXTS.claim_ratios,
    "rates": TEXTS.claim_rates,
    "times": TEXTS.claim_times,
    "tails": TEXTS.claim_tails,
    "load": TEXTS.claim_load,
}
"""Names of the kinds of claims, for a sentence."""


def counted(trials: Mapping[str, int], *verdicts: str) -> str:
    """Return how many trials have each of these verdicts: "2 disturbed, 1 void"; without those of none."""
    return ", ".join(f"{trials[verdict]} {label(verdict)}" for verdict in verdicts if trials.get(verdict))


def reason(reason: Reason) -> str:
    """Return a reason of a validity verdict with the check that found it, and what to do about it."""
    text = f"{reason.text.rstrip('.')} ({reason.check})"
    return f"{text}; {label('mend')}: {reason.mend}" if reason.mend else text


def counted_remarks(reasons: int, notes: int) -> str:
    """Return how many warnings and notes there are: "3 warnings and 1 note"."""
    counts = ((reasons, "warning"), (notes, "note"))
    parts = [counted_noun(count, word) for count, word in counts if count]
    return TEXTS.joined(*parts) if len(parts) > 1 else "".join(parts)


def load(load: LoadDocument) -> str:
    """Return the load that was asked for, to begin a sentence: "50 users", "1,000 requests a second"."""
    users, rate = load.users or 0, units.show_number(load.offered_rps or 0.0)
    match load.model:
        case "users":
            return TEXTS.user(f"{users:,}", users == 1)
        case "rate":
            return TEXTS.requests_second(rate)
        case "sessions":
            return TEXTS.sessions_requests_second(rate)
        case "replay":
            return TEXTS.replayed_list_requests(rate)
        case "saturate":
            return (
                TEXTS.connections_without_pause(f"{users:,}")
                if users
                else TEXTS.some_connections_without_pause
            )
        case _:
            return TEXTS.the_load


def model(load: LoadDocument) -> str:
    """Return the arrival model in words: "closed: each user waits for its answer before it asks again"."""
    kind, means = MODELS.get(load.model or "", ("unknown", TEXTS.arrival_model_not))
    return f"{label(kind)}: {means}"
