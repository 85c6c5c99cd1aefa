"""Saturation: users, or connections, that wait for the server most of their time."""

import numpy as np

from loadrig.base.units import show_number, show_share
from loadrig.judgement.constants import MOSTLY, USED_UP_SHARE
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.concurrency import are_kept_busy
from loadrig.judgement.harms.answers import least_unsent
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.harms import JudgementHarmsSaturationTexts

TEXTS = texts_of(JudgementHarmsSaturationTexts)


def harm(case: Case) -> str | None:
    """Return the harm "saturated" as a sentence; None where the server leaves users time, or connections."""
    return _of_rate(case) if case.load.is_open else _of_users(case)


def _of_rate(case: Case) -> str | None:
    """Return how many requests found no free connection: an open load at its cap on them is a closed one."""
    load = case.load
    unsent = load.unsent.get("no_connection", 0)
    if case.has_load or unsent <= least_unsent(case):
        if not are_kept_busy(case):
            return None
        unsent = round(load.capped_share * load.total(load.offered))
    return TEXTS.every_connection_waiting(f"{unsent:,}", show_number(load.ok_rps))


def _of_users(case: Case) -> str | None:
    """Return how many users waited at a time, or the program whose CPU they used up."""
    load = case.load
    # The users of the last step are those whom the end of the load has left.
    users = float(np.median(load.users[case.is_inside])) if case.is_inside.any() else 0.0
    if load.model == "saturate" or (users and load.waiting > MOSTLY * users):
        waiting, of = show_number(load.waiting), show_number(users or load.waiting)
        return TEXTS.users_waiting_answer(waiting, of, show_number(load.ok_rps))
    # Users with a long think time wait little, however full the server is.
    full = next((tier for tier in case.programs if tier.cpu_share >= USED_UP_SHARE), None)
    return None if full is None else TEXTS.used_cpu_may(full.name, show_share(full.cpu_share))
