"""The account of a trial as its result holds it: the measured window, several loads, dips beside the calm."""

from loadrig.account.calm import Dipped, dipped
from loadrig.account.compose import document_of
from loadrig.account.document import AccountDocument
from loadrig.account.loads import loads_of
from loadrig.account.routes import routes_of
from loadrig.account.trial_account import account_of
from loadrig.base import members
from loadrig.judgement.facts.read import case_of
from loadrig.judgement.soak import dips
from loadrig.recording.reader import Recording
from loadrig.trial.validity import Validity
from loadrig.trial.widening import factors_of


def account_in(recording: Recording, validity: Validity) -> AccountDocument | None:
    """Return where requests and slots spent their time; None where nothing is known of it."""
    account = account_of(recording)
    if account is None:
        return None
    # Only the account's times are widened, which are means; shares of slots are ratios, and stand.
    mean = members.load("loadrig.measures", "mean")
    around = factors_of(recording, validity, mean).around
    return document_of(account, around, loads_of(recording), _dipped(recording), routes_of(recording))


def _dipped(recording: Recording) -> Dipped | None:
    """Return the account of the dips; None where the throughput has no dips worth reporting."""
    case = case_of(recording)
    all_dips = None if case is None else dips.reported(case)
    if case is None or all_dips is None:
        return None
    edges = case.edges_ns[int(case.is_inside.argmax()) :]
    return dipped(recording, [(int(edges[dip.first]), int(edges[dip.last + 1])) for dip in all_dips.dips])
