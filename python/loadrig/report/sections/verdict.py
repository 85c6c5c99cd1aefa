"""The verdict: the answer in at most three sentences, a picture that shows why, and how sure it is.

The answer comes first. What weakens it is counted beside it, and told in full where a reader asks for it;
only where it changes the answer (a void trial, another load than was asked for) does it stand in front.
"""

from collections.abc import Mapping, Sequence

from loadrig.base.claims import Weakened
from loadrig.base.estimate import Estimate
from loadrig.language.choice import texts_of
from loadrig.language.en.report.sections import VerdictSectionTexts
from loadrig.language.labels import label
from loadrig.plan.arrivals import CLOSED
from loadrig.report import capacity, numbers, soak, tuning, words
from loadrig.report.model import Badge, Block, Cell, Code, Number, Numbers, Paragraph, Section, verdict_cell
from loadrig.report.picture import picture
from loadrig.report.run import Run, Study
from loadrig.report.tables import left, right, table_of
from loadrig.study.document import SettingDocument
from loadrig.study.trials import GoalRow
from loadrig.trial.document import GoalDocument, TrialDocument
from loadrig.trial.reasons import Reason
from loadrig.trial.validity import Validity

TEXTS = texts_of(VerdictSectionTexts)

ORDER = 10
TITLE = "Verdict"

HEALTHY = "healthy"
"""Name of the finding that nothing limits the server."""

MOST_LETTERS = 130
"""Largest number of letters of a sentence that is taken over whole."""

MOST_SENTENCES = 3
"""Largest number of sentences of an answer: more are not read."""


def build(run: Run) -> Section:
    """Return how sure it is, the answer, its picture, big numbers, and goals."""
    failed = _failure(run)
    if run.study is None:
        trial, validity = run.trial, run.trial.validity
        badge = _trial_badge(validity)
        answer = _sentences([*sentences(trial), *_limit(run)], is_first=not failed)
        # A void trial says nothing of the server, and so nothing of its goals.
        is_void = validity.verdict == "void"
        figures = [] if is_void else [*_numbers(_trial_numbers(trial)), *_goals(trial.goals)]
    else:
        badge = _study_badge(run.study)
        answer = _sentences([*_study_sentences(run.study), *_limit(run)], is_first=not failed)
        best = run.study.recommended or (run.study.document.base if _asks_one_setting(run.study) else None)
        figures = [*_numbers(_study_numbers(run.study)), *_goals(best.goals if best else ())]
    blocks = (*failed, *answer, badge, *picture(run), *figures)
    return Section("verdict", TITLE, blocks, terminal=(*failed, *answer, badge, *figures))


def _limit(run: Run) -> list[str]:
    """Return what limits the server and what to do about it, where that is known."""
    if run.failure is not None or (run.study is None and run.trial.validity.verdict == "void"):
        return []
    first = next(iter(run.findings), None)
    if first is None:
        return [_first_part(run.diagnosis.sentence)] if run.diagnosis and run.diagnosis.harms else []
    if first.cause == HEALTHY:
        return [_sentence(first.effect)]
    of_base = TEXTS.base_setting if run.study is not None and len(run.study.settings) > 1 else ""
    cause = f"{words.CAUSES[first.verdict]}{of_base}: {first.title} ({first.component})."
    return [cause, TEXTS.to_do(first.mend.rstrip("."))]


def _first_part(text: str) -> str:
    """Return the first sentence of a text, and of a long one what stands before its colon."""
    first = text.partition(". ")[0].rstrip(".")
    return f"{first if len(first) <= MOST_LETTERS else first.partition(': ')[0]}."


def failure(run: Run) -> Section | None:
    """Return a section that says that the server failed, and no more; None where it did not."""
    blocks = _failure(run)
    return Section("verdict", TITLE, tuple(blocks)) if blocks else None


def _failure(run: Run) -> list[Block]:
    """Return how the server died, went away or never answered, and its last lines."""
    failed = run.failure
    if failed is None:
        return []
    lines = [Code("\n".join(failed.last_lines))] if failed.last_lines else []
    return [Paragraph(failed.sentence, "bad", "lead"), *lines]


def _sentences(texts: Sequence[str], *, is_first: bool) -> list[Block]:
    shown = [text for text in texts if text][:MOST_SENTENCES]
    return [Paragraph(text, size="lead" if i == 0 and is_first else "body") for i, text in enumerate(shown)]


def _numbers(items: list[Number]) -> list[Block]:
    return [Numbers(tuple(items))] if items else []


# --- a single trial -----------------------------------------------------------------------------


def _trial_badge(validity: Validity) -> Badge:
    """Return whether to believe a trial, and all that weakens it or must be known of it."""
    reasons = tuple(words.reason(reason) for reason in _gravest_first(validity))
    noted = [words.reason(reason) for reason in validity.reasons if reason.level == "note"]
    notes = (*_weakened(validity), *(f"{label('Note')}: {note}." for note in noted))
    return Badge(validity.verdict, reasons, words.VALIDITY_MEANS[validity.verdict], notes)


def _gravest_first(validity: Validity) -> list[Reason]:
    """Return why a trial is void or disturbed; notes are no reasons."""
    reasons = [reason for reason in validity.reasons if reason.level != "note"]
    return sorted(reasons, key=lambda reason: ("void", "grave", "disturbed").index(reason.level))


def _weakened(validity: Validity) -> list[str]:
    """Return one sentence on which claims weaken, and by how much; an empty list where none does."""
    claims_by_effect: dict[str, list[str]] = {}
    for weak in validity.weakened:
        claims_by_effect.setdefault(_effect(weak), []).append(words.CLAIMS[weak.claim])
    if not claims_by_effect:
        return []
    parts = [f"{numbers.listed(claims)} ({effect})" for effect, claims in claims_by_effect.items()]
    return [TEXTS.weaker_all_else("; ".join(parts))]


def _effect(weak: Weakened) -> str:
    """Return what became of a claim, as a clause."""
    if weak.effect == "lost":
        return TEXTS.nothing_can
    if weak.by:
        return TEXTS.intervals_wider(numbers.amount(weak.by, "1"))
    return TEXTS.believe_care


def sentences(trial: TrialDocument) -> list[str]:
    """Return a trial in sentences: what came of the load, and of the goals where there are any."""
    validity = trial.validity
    reasons = [reason.text for reason in _gravest_first(validity)]
    if validity.verdict == "void":
        why = f" {_sentence(reasons[0])}" if reasons else ""
        return [
            TEXTS.trial_void_rig,
            TEXTS.says_nothing_about(why),
        ]
    load = validity.of("load")
    other_load = []
    if load is not None and load.effect == "lost":
        other_load = [TEXTS.not_load_asked(_lower(load.why))]
    return [*other_load, *_cut_short(trial), f"{_answered_well(trial)}{_outcome(trial)}."]


def _cut_short(trial: TrialDocument) -> list[str]:
    """Return that the load ended because a generator of its fleet was lost; an empty list where none was."""
    for each in trial.fleet.generators if trial.fleet else ():
        # One that was lost while the load drained, or was replaced, has not ended what was measured.
        if each.lost and each.taken_over_after_s is None and each.lost in trial.measured.why:
            after = numbers.amount(trial.measured.to_s, "s")
            return [TEXTS.ended_by_loss(after, f"{each.name} ({each.host})")]
    return []


def _answered_well(trial: TrialDocument) -> str:
    """Return how much was answered well, as the beginning of a sentence."""
    load, imported = trial.load, trial.imported
    rate = trial.estimates.get("throughput")
    achieved, _, interval = (numbers.short(rate) if rate else "0/s").partition(" ")
    interval = f" {interval}" if interval else ""
    if imported and not imported.has_outcomes:
        return TEXTS.requests_ended(imported.tool, f"{load.requests:,}", achieved, interval)
    if imported:
        return TEXTS.requests_answered_well(imported.tool, f"{load.requests:,}", achieved, interval)
    if load.model in CLOSED:
        return TEXTS.got_good_answers(words.load(load), achieved, interval)
    offered = numbers.amount(load.offered_rps, "1/s")
    return TEXTS.answered_well(achieved, offered, interval)


def _outcome(trial: TrialDocument) -> str:
    """Return what came of goals and requests, to go on with after "answered well"."""
    goals = trial.goals
    missed = [TEXTS.was(goal.text, _reached(goal)) for goal in goals if goal.met is False]
    unknown = [goal.text for goal in goals if goal.met is None]
    if missed:
        return f"; {label('missed')}: {numbers.listed(missed)}"
    if unknown:
        return TEXTS.not_decided(numbers.listed(unknown))
    if trial.imported and not trial.imported.has_outcomes:
        return TEXTS.ends_untold
    bad = {name: n for name, n in trial.outcomes.items() if name != "ok" and n}
    met = TEXTS.every_goal_met if len(goals) > 1 else TEXTS.goal_met if goals else ""
    if not bad:
        return met or TEXTS.no_request_failed
    share = numbers.amount(sum(bad.values()) / sum(trial.outcomes.values()), "1")
    worst = max(bad, key=lambda name: bad[name])
    return TEXTS.requests_failed_most(met, share, worst)


def _trial_numbers(trial: TrialDocument) -> list[Number]:
    """Return the big numbers; for another tool's results those from the send."""
    prefix = "service_" if trial.imported else ""
    names = ("throughput", *(f"{prefix}{name}" for name in ("p50", "p95", "p99")), "errors")
    return [_number(trial.estimates[name], words.measure(name)) for name in names if name in trial.estimates]


def _number(estimate: Estimate, label: str) -> Number:
    return Number(numbers.amount(estimate.value, estimate.unit), label, numbers.detail(estimate))


# --- a study ------------------------------------------------------------------------------------


_MOST_LOST = 0.1
"""Share of lost trials above which a study is doubtful: the trials that remain are no fair sample."""


_MOST_SOAKED = 8
"""Number of soaks of a matrix that are told in a sentence each; a table has them all."""


def _asks_one_setting(study: Study) -> bool:
    """Return whether the study asks one setting something, and chooses none."""
    return any((study.document.capacity, study.document.soak, study.document.spike))


def _study_badge(study: Study) -> Badge:
    document, counts = study.document, study.document.validity
    others = words.counted(counts, "disturbed", "void", "failed")
    counted = TEXTS.valid(numbers.plural(counts["valid"], "trial"), ", " if others else "", others)
    warnings = document.warnings
    if not document.finished:
        warnings = (TEXTS.study_stopped_before, *warnings)
    every = sum(counts.values())
    if not document.usable:
        return Badge("void", warnings, counted)
    is_mostly_disturbed = counts["disturbed"] > counts["valid"]
    doubtful = not document.finished or is_mostly_disturbed or every - document.usable > _MOST_LOST * every
    return Badge("disturbed" if doubtful else "valid", warnings, counted)


def _study_sentences(study: Study) -> list[str]:
    search = study.document.capacity
    if search is not None and len(study.settings) == 1:
        return capacity.sentences(search, numbers.listed([goal.text for goal in study.settings[0].goals]))
    if soaks := soak.soaks_of(study):
        return [TEXTS.soaked(label, answer.headline) for label, answer in soaks[:_MOST_SOAKED]]
    if (soaked := soak.soak_of(study)) is not None:
        return soak.sentences(soaked)
    if (spiked := soak.spike_of(study)) is not None:
        return [soak.spike_sentence(spiked)]
    if study.document.kind in ("soak", "spike"):
        return [TEXTS.trial_void_rig_could, TEXTS.says_nothing_about_server]
    chosen = study.recommended
    tuned = tuning.tuning_of(study)
    summary = [] if tuned is None else [tuning.summary(tuned)]
    if chosen is None:
        why = _why_none(study) if tuned is None else tuning.why_none(tuned)
        return [TEXTS.no_setting_can, why, *summary]
    return [_use(study, chosen), _as_good(study, chosen), *summary]


def _use(study: Study, chosen: SettingDocument) -> str:
    estimate = chosen.measures.get(study.measure)
    reached = f": {numbers.short(estimate)}" if estimate else ""
    if chosen.is_base:
        return TEXTS.stay_nothing_tried(chosen.label, reached)
    return TEXTS.use(chosen.label, reached, _against_base(study, chosen))


def _against_base(study: Study, chosen: SettingDocument) -> str:
    compared = study.with_base(chosen)
    if compared is None or compared.effect is None:
        return ""
    base = TEXTS.the_base
    match compared.verdict:
        case "better" | "worse":
            return TEXTS.against(numbers.effect(compared.effect, study.is_ratio), base)
        case "equivalent" | "trivial":
            return TEXTS.within(study.margin, base)
        case _:
            return TEXTS.not_from(base)


def _as_good(study: Study, chosen: SettingDocument) -> str:
    """Return which other settings may be as good; empty where the choice is clear."""
    recommended = study.document.recommended
    if recommended is None:
        return ""
    equal = (number for number in recommended.indistinguishable if number != chosen.id)
    others = [study.document.setting(number).label for number in equal]
    return TEXTS.may_good(numbers.listed(others, 2)) if others else ""


def _why_none(study: Study) -> str:
    standings = [setting.standing for setting in study.settings]
    if all(standing == "void" for standing in standings):
        return TEXTS.every_trial_void
    if any(standing == "infeasible" for standing in standings) and "best" not in standings:
        return TEXTS.no_setting_met
    costs = [
        comparison.to_decide.blocks
        for comparison in study.comparisons("with_best")
        if comparison.to_decide is not None
    ]
    return TEXTS.more_blocks_would(str(max(costs))) if costs else TEXTS.trials_do_not


def _study_numbers(study: Study) -> list[Number]:
    chosen = study.recommended
    if chosen is None and _asks_one_setting(study):
        chosen = study.document.base
    if chosen is None:
        return []
    shown = soak.large(soak.soak_of(study))
    shown += [
        _number(chosen.measures[name], words.measure(name))
        for name in dict.fromkeys((study.measure, "p95", "errors", "memory"))
        if name in chosen.measures
    ]
    compared = study.with_base(chosen)
    if compared is not None and compared.effect is not None:
        symbol, word, tone = words.COMPARED[compared.verdict]
        detail = f"{symbol} {word}"
        if compared.interval is not None:
            detail = f"{numbers.effect_span(*compared.interval, study.is_ratio)}, {detail}"
        change = numbers.effect(compared.effect, study.is_ratio)
        shown.insert(1, Number(change, TEXTS.against_base, detail, tone))
    return shown


# --- goals --------------------------------------------------------------------------------------


_MET: Mapping[bool | None, Cell] = {
    True: verdict_cell(("✓", "met", "good")),
    False: verdict_cell(("✗", "missed", "bad")),
    None: verdict_cell(("?", "undecided", "warn")),
}


def _goals(goals: Sequence[GoalDocument | GoalRow]) -> list[Block]:
    """Return a table of goals: each as written, whether it was met, and what was reached."""
    if not goals:
        return []
    return [
        table_of(
            goals,
            left("goal", lambda goal: goal.text),
            right("reached", _reached),
            left("", lambda goal: _MET[goal.met]),
            caption="Goals",
        )
    ]


def _reached(goal: GoalDocument | GoalRow) -> str:
    unit = goal.unit if isinstance(goal, GoalDocument) else ""
    return numbers.amount(goal.value, unit or unit_of_goal(goal.text))


def unit_of_goal(text: str) -> str:
    """Return the unit of a goal's measure, for results that do not carry it."""
    name = text.split("<")[0].split(">")[0].split("{")[0].strip()
    return {"errors": "1", "throughput": "1/s", "memory": "B", "cpu_per_request": "s"}.get(name, "s")


def _sentence(text: str) -> str:
    """Return the text with a capital and a full stop."""
    return f"{numbers.capital(text).rstrip('.')}." if text else ""


def _lower(text: str) -> str:
    """Return the text to go on with within a sentence: no capital, unless it is a name such as G2."""
    first = text.split(" ")[0]
    return text if first[:2].isupper() or any(c.isdigit() for c in first) else text[:1].lower() + text[1:]
