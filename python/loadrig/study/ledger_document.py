"""Document of a ledger's lines, for its schema: each line is one of these, told apart by its `kind`."""

from typing import Annotated

from loadrig.base.documents import Document, Says
from loadrig.study.ledger import LedgerEnd, LedgerHead, LedgerLoss
from loadrig.study.trials import DoneTrial


class LedgerDocument(Document, frozen=True, kw_only=True):
    """Lines of `ledger.jsonl`, by their kind."""

    study: Annotated[LedgerHead, Says("the first line: what is studied")]
    trial: Annotated[DoneTrial, Says("a trial that is over; its line has `kind` besides")]
    lost: Annotated[LedgerLoss, Says("a node was lost, and its trial is run again; there may be several")]
    end: Annotated[LedgerEnd, Says("the study came to an end; there may be several")]
