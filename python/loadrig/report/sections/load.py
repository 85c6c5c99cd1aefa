"""Load that was asked for, and the answers to it, over time."""

from collections import Counter

from loadrig.base.documents import ABSENT
from loadrig.language.choice import texts_of
from loadrig.language.en.report.sections import LoadSectionTexts
from loadrig.recording.manifest_document import ImportedDocument
from loadrig.report import numbers, words
from loadrig.report.figures import offered_achieved, users_in_flight
from loadrig.report.model import Block, Facts, Section
from loadrig.report.run import Run, TrialView, per_trial
from loadrig.report.tables import left, right, table_of
from loadrig.trial.document import LoadDocument, TrialDocument

TEXTS = texts_of(LoadSectionTexts)

ORDER = 40
TITLE = "Load"

MOST_MARKS = 200
"""Number of rows of the table of marks."""


def build(run: Run) -> Section | None:
    """Return offered against achieved rate, users and connections, and the marks on the time axis."""
    return per_trial(run, "load", TITLE, _blocks, TEXTS.open_load_says)


def _blocks(view: TrialView) -> list[Block]:
    time, trial = view.timeline, view.trial
    is_foreign = bool(trial.imported)
    blocks: list[Block] = [Facts(_facts(trial))]
    if time.t_s:
        blocks += [
            offered_achieved.draw(view.id, time, str(trial.load.model), is_own=not is_foreign),
            users_in_flight.draw(view.id, time, is_own=not is_foreign),
        ]
    if time.marks:
        more = len(time.marks) - MOST_MARKS
        blocks.append(
            table_of(
                time.marks[:MOST_MARKS],
                right("at", lambda mark: numbers.amount(mark.t_s, "s")),
                left("what", lambda mark: mark.kind.replace("_", " ")),
                right("times", lambda mark: f"{mark.count}"),
                left("", lambda mark: mark.text),
                caption=TEXTS.caption,
                notes=(TEXTS.more_events_jsonl(f"{more:,}"),) if more > 0 else (),
                folded=True,
            )
        )
    return blocks


def _facts(trial: TrialDocument) -> tuple[tuple[str, str], ...]:
    load, connections = trial.load, trial.connections
    if trial.imported:
        return _imported_facts(trial.imported, load)
    facts = [
        ("asked", f"{words.load(load)} ({words.model(load)})"),
        ("offered", numbers.amount(load.offered_rps, "1/s")),
        ("achieved", TEXTS.failures_among_them(numbers.amount(load.achieved_rps, "1/s"))),
    ]
    if rate := trial.estimates.get("throughput"):
        facts.append((TEXTS.good_answers, numbers.whole(rate)))
    facts += [
        ("requests", TEXTS.due_unsent(f"{load.requests:,}", f"{load.unsent or 0:,}")),
        (TEXTS.in_flight, TEXTS.on_average(numbers.amount(load.in_flight, ""))),
    ]
    if load.from_cache is not ABSENT:
        facts.append((TEXTS.from_cache, TEXTS.needed_no_request(f"{load.from_cache:,}")))
    if connections is not None:
        text = TEXTS.opened_request(f"{connections.opened:,}", numbers.amount(connections.per_request, ""))
        facts.append(("connections", f"{text}, HTTP/2" if connections.http == "2" else text))
        refused = {"streams reset": connections.stream_resets, "GOAWAY": connections.goaways}
        if any(refused.values()):
            text = ", ".join(f"{count:,} {what}" for what, count in refused.items() if count)
            facts.append((TEXTS.by_the_server, text))
    if beside := _beside(trial):
        facts.append((TEXTS.beside_the_target, TEXTS.counted_as_targets(beside)))
    if trial.login:
        count = sum(route.count for route in trial.login.values())
        facts.append(("logins", TEXTS.out_service_figures(f"{count:,}")))
    return tuple(facts)


def _beside(trial: TrialDocument) -> str:
    """Return the share of the requests that each server beside the target had: "auth 33.3 %, cdn 5 %"."""
    counts: Counter[str] = Counter()
    for route in trial.routes.values():
        counts[route.server or ""] += route.count
    return ", ".join(
        f"{name} {numbers.share_of(count, counts.total())}" for name, count in counts.items() if name
    )


def _imported_facts(imported: ImportedDocument, load: LoadDocument) -> tuple[tuple[str, str], ...]:
    """Return what another tool's files hold, and what was left out; they do not say what was asked for."""
    facts = [
        ("made by", TEXTS.what_load_asked(imported.tool)),
        ("files", ", ".join(file.name for file in imported.files)),
        ("its times count", imported.times),
        ("achieved", TEXTS.failures_among_them(numbers.amount(load.achieved_rps, "1/s"))),
        ("requests", TEXTS.ended(f"{load.requests:,}")),
        (TEXTS.in_flight, TEXTS.on_average(numbers.amount(load.in_flight, ""))),
    ]
    if load.users is not None:
        facts.append(("users", TEXTS.at_most(f"{load.users:,}")))
    if stated := [time for time in imported.stated if not time.route]:
        times = ", ".join(f"{time.name} {numbers.amount(time.ms, 'ms')}" for time in stated)
        facts.append((TEXTS.times_as_stated, times))
    facts += [(TEXTS.out, f"{count:,} {what}") for what, count in imported.left_out.items()]
    return tuple(facts)
