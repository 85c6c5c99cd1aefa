"""Load that was asked for, and the answers to it, over time."""

from loadrig.recording.manifest_document import ImportedDocument
from loadrig.report import numbers, words
from loadrig.report.figures import offered_achieved, users_in_flight
from loadrig.report.model import Block, Facts, Section
from loadrig.report.run import Run, TrialView, per_trial
from loadrig.report.tables import left, right, table_of
from loadrig.trial.document import LoadDocument, TrialDocument

ORDER = 40
TITLE = "Load"

MOST_MARKS = 200
"""Number of rows of the table of marks."""


def build(run: Run) -> Section | None:
    """Return offered against achieved rate, users and connections, and the marks on the time axis."""
    lead = (
        "An open load says when requests are due, answered or not; in a closed one the server's own"
        " slowness slows the asking, so latency there is bound to users and throughput."
    )
    return per_trial(run, "load", TITLE, _blocks, lead)


def _blocks(view: TrialView) -> list[Block]:
    time, trial = view.timeline, view.trial
    is_foreign = bool(trial.imported)
    blocks: list[Block] = [Facts(_facts(trial))]
    if time.t_s:
        blocks += [
            offered_achieved.draw(view.id, time, str(trial.load.model), is_told=not is_foreign),
            users_in_flight.draw(view.id, time, is_told=not is_foreign),
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
                caption="Marks on the time axis",
                notes=(f"{more:,} more are in events.jsonl",) if more > 0 else (),
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
        ("achieved", f"{numbers.amount(load.achieved_rps, '1/s')}, failures among them"),
    ]
    if rate := trial.estimates.get("throughput"):
        facts.append(("good answers", numbers.whole(rate)))
    facts += [
        ("requests", f"{load.requests:,} due, {load.unsent or 0:,} unsent"),
        ("in flight", f"{numbers.amount(load.in_flight, '')} on average"),
    ]
    if connections is not None:
        text = f"{connections.opened:,} opened, {numbers.amount(connections.per_request, '')} a request"
        facts.append(("connections", f"{text}, HTTP/2" if connections.http == "2" else text))
        refused = {"streams reset": connections.stream_resets, "GOAWAY": connections.goaways}
        if any(refused.values()):
            text = ", ".join(f"{count:,} {what}" for what, count in refused.items() if count)
            facts.append(("by the server", text))
    if trial.login:
        count = sum(route.count for route in trial.login.values())
        facts.append(("logins", f"{count:,}, left out of the service's figures"))
    return tuple(facts)


def _imported_facts(imported: ImportedDocument, load: LoadDocument) -> tuple[tuple[str, str], ...]:
    """Return what another tool's files hold, and what was left out; they do not say what was asked for."""
    facts = [
        ("made by", f"{imported.tool}; what load it was asked for is not in its results"),
        ("files", ", ".join(file.name for file in imported.files)),
        ("its times count", imported.times),
        ("achieved", f"{numbers.amount(load.achieved_rps, '1/s')}, failures among them"),
        ("requests", f"{load.requests:,} ended"),
        ("in flight", f"{numbers.amount(load.in_flight, '')} on average"),
    ]
    if load.users is not None:
        facts.append(("users", f"{load.users:,} at most"))
    facts += [("left out", f"{count:,} {what}") for what, count in imported.left_out.items()]
    return tuple(facts)
