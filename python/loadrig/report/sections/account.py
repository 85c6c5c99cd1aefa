"""Where the time goes: the bar of a request, what the slots do, and what could not be seen."""

from collections.abc import Iterable

from loadrig.account.document import AccountDocument, SlotDocument, SlotStateDocument
from loadrig.account.states import FLAGS
from loadrig.base.component import SERVER
from loadrig.base.units import show_number, show_share
from loadrig.report.figures import account as bars
from loadrig.report.figures import account_loads
from loadrig.report.model import Block, Cell, Column, Paragraph, Section, Table
from loadrig.report.run import Run

ORDER = 15
TITLE = "Where the time goes"

QUIET = frozenset({"tied"})
"""Flags that are not told in words, as intervals tell them already."""

LARGE_REST = 0.1
"""Share of the total above which a note says how much is not accounted for."""


DISTURBED = (
    "The trial was disturbed, as its checks say: the times may be longer than they would be otherwise. "
    "The shares of them change less."
)
"""Note on an account whose trial was disturbed."""


def build(run: Run) -> Section | None:
    """Return the account of the trial shown first, of a study of its base; None where there is none.

    Nothing can be said of a void trial, so it has none either.
    """
    if not run.views:
        return None
    view = next((view for view in run.views if view.group == "base"), run.views[0])
    account = view.account
    if account is None:
        return None
    figure = bars.draw(view.id, account)
    if figure is None:
        # Runs from before the sockets were looked at: the page says what was missing, a terminal does not.
        return Section("account", TITLE, tuple(_unseen(account)), in_text=False)
    warnings = _warnings(account)
    if view.trial.validity.verdict == "disturbed":
        warnings.insert(0, Paragraph(DISTURBED, tone="warn", size="note"))
    grown = [Paragraph(text) for text in _grown(account)]
    routes = [Paragraph(account.routes_sentence)] if account.routes_sentence else []
    terminal = [Paragraph(account.sentence), figure, *grown, *routes, *warnings]
    slots = _slots(account)
    by_load = account_loads.draw(view.id, account)
    blocks: list[Block] = [figure, *grown[0 if by_load is None else 1 :]]
    blocks += [*([by_load] if by_load is not None else []), *_by_route(view.id, account), *warnings]
    blocks += [*([slots] if slots.rows else []), *_unseen(account)]
    return Section("account", TITLE, tuple(blocks), told=tuple(terminal))


def _grown(account: AccountDocument) -> list[str]:
    """Return what grew with the load, which the picture of all levels shows too, and what in the dips."""
    return [grown.sentence for grown in (account.loads, account.dips) if grown and grown.sentence]


def _by_route(view: str, account: AccountDocument) -> list[Block]:
    """Return the bars of the routes where they differ."""
    figure = bars.by_route(view, account)
    return [] if figure is None else [figure]


def _warnings(account: AccountDocument) -> list[Block]:
    """Return what to mind of the server's account; the table's notes say it of other components."""
    server = account.components[SERVER]
    texts = [FLAGS[flag] for flag in server.flags if flag in FLAGS and flag not in QUIET]
    if server.unaccounted_share > LARGE_REST:
        share = show_share(server.unaccounted_share)
        texts.insert(0, f"{share} of the time is not accounted for: take the lines with care.")
    return [Paragraph(text, size="note") for text in texts]


def _slots(account: AccountDocument) -> Table:
    """Return what cores, threads, workers and connections do, a row each."""
    rows = []
    for name, component in account.components.items():
        for slot in component.slots:
            suffix = f" {slot.of}" if slot.of else ""
            full = slot.full_share
            rows.append(
                (
                    Cell(name),
                    Cell(f"{slot.slot.replace('_', ' ')}{suffix}"),
                    Cell(show_number(slot.number)),
                    Cell(_slot_states(component.per_slot, slot)),
                    Cell("–" if full is None else show_share(full)),
                )
            )
    heads = (
        Column("component", "left"),
        Column("slots", "left"),
        Column("number"),
        Column("what they do", "left", rank=2),
        Column("none free", doc="Share of the time in which none of them is free."),
    )
    return Table(heads, tuple(rows), caption="What the slots do", folded=True)


def _slot_states(states: Iterable[SlotStateDocument], slot: SlotDocument) -> str:
    own = [state for state in states if (state.slot, state.of) == (slot.slot, slot.of) and state.share > 0]
    return ", ".join(f"{state.state.replace('_', ' ')} {show_share(state.share)}" for state in own)


def _unseen(account: AccountDocument) -> list[Block]:
    rows = tuple(
        (Cell(name), Cell(missing.what), Cell(missing.why))
        for name, component in account.components.items()
        for missing in component.unseen
    )
    heads = (Column("component", "left"), Column("what", "left"), Column("why", "left"))
    return [Table(heads, rows, caption="Not seen for the account", folded=True)] if rows else []
