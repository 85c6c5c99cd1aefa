"""Section on where the time goes: the bar of a request, what the slots do, and what could not be seen."""

from collections.abc import Iterable

from loadrig.account.document import AccountDocument, SlotDocument, SlotStateDocument
from loadrig.account.states import FLAGS
from loadrig.base.component import SERVER
from loadrig.base.units import show_number, show_share
from loadrig.language.choice import texts_of
from loadrig.language.en.report.sections import AccountSectionTexts
from loadrig.report.figures import account as bars
from loadrig.report.figures import account_loads
from loadrig.report.model import Block, Paragraph, Section, Table, present
from loadrig.report.picture import shows_account
from loadrig.report.run import Run
from loadrig.report.tables import left, right, table_of

TEXTS = texts_of(AccountSectionTexts)

ORDER = 15
TITLE = TEXTS.title

QUIET = frozenset({"tied"})
"""Flags that are not told in words, as intervals tell them already."""

LARGE_REST = 0.1
"""Share of the total above which a note says how much is not accounted for."""


DISTURBED = TEXTS.disturbed
"""Note on an account whose trial was disturbed."""


def build(run: Run) -> Section | None:
    """Return the account of the trial shown first, of a study of its base; None where there is none.

    Nothing can be said of a void trial, so it has none either.
    """
    if not run.views:
        return None
    view = run.base_view
    account = view.account
    if account is None:
        return None
    figure = bars.draw(view.id, account)
    if figure is None:
        # Runs from before the sockets were looked at: the page says what was missing, a terminal does not.
        return Section("account", TITLE, tuple(present(_unseen(account))), in_text=False)
    warnings = _warnings(account)
    if view.trial.validity.verdict == "disturbed":
        warnings.insert(0, Paragraph(DISTURBED, tone="warn", size="note"))
    grown = [Paragraph(text) for text in _grown(account)]
    routes = [Paragraph(account.routes_sentence)] if account.routes_sentence else []
    by_load = account_loads.draw(view.id, account)
    blocks = present(
        Paragraph(TEXTS.drawn_above, size="note") if shows_account(run) else figure,
        *grown[0 if by_load is None else 1 :],
        by_load,
        bars.by_route(view.id, account),
        *warnings,
        _slots(account),
        _unseen(account),
    )
    terminal = (Paragraph(account.sentence), figure, *grown, *routes, *warnings)
    return Section("account", TITLE, tuple(blocks), terminal=terminal)


def _grown(account: AccountDocument) -> list[str]:
    """Return what grew with the load, which the picture of all levels shows too, and what in the dips."""
    return [grown.sentence for grown in (account.loads, account.dips) if grown and grown.sentence]


def _warnings(account: AccountDocument) -> list[Block]:
    """Return what to mind of the server's account; the table's notes say it of other components."""
    server = account.components[SERVER]
    texts = [FLAGS[flag] for flag in server.flags if flag in FLAGS and flag not in QUIET]
    if server.unaccounted_share > LARGE_REST:
        share = show_share(server.unaccounted_share)
        texts.insert(0, TEXTS.time_not_accounted(share))
    return [Paragraph(text, size="note") for text in texts]


def _slots(account: AccountDocument) -> Table | None:
    """Return what cores, threads, workers and connections do, a row each; None where there are none."""
    slots = [
        (name, slot, _slot_states(component.per_slot, slot))
        for name, component in account.components.items()
        for slot in component.slots
    ]
    if not slots:
        return None
    return table_of(
        slots,
        left("component", lambda row: row[0]),
        left("slots", lambda row: f"{row[1].slot.replace('_', ' ')} {row[1].of}".rstrip()),
        right("number", lambda row: show_number(row[1].number)),
        left(TEXTS.what_they_do, lambda row: row[2], 2),
        right(
            TEXTS.none_free,
            lambda row: "–" if row[1].full_share is None else show_share(row[1].full_share),
            doc=TEXTS.share_time_none,
        ),
        caption=TEXTS.caption,
        folded=True,
    )


def _slot_states(states: Iterable[SlotStateDocument], slot: SlotDocument) -> str:
    own = [state for state in states if (state.slot, state.of) == (slot.slot, slot.of) and state.share > 0]
    return ", ".join(f"{state.state.replace('_', ' ')} {show_share(state.share)}" for state in own)


def _unseen(account: AccountDocument) -> Table | None:
    unseen = [(name, gap) for name, component in account.components.items() for gap in component.unseen]
    if not unseen:
        return None
    return table_of(
        unseen,
        left("component", lambda row: row[0]),
        left("what", lambda row: row[1].what),
        left("why", lambda row: row[1].why),
        caption=TEXTS.not_seen_account,
        folded=True,
    )
