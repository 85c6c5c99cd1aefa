"""A run whose result has an account: two workers that wait for a database, at a low and at a high load."""

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np

from loadrig.account.compose import document_of
from loadrig.account.document import AccountDocument
from loadrig.account.levels import levels_of
from loadrig.account.loads import loads
from loadrig.account.routes import routes
from loadrig.account.trial_account import account
from loadrig.base.documents import plain
from loadrig.recording.layout import RunFolder
from tests.account.made import a_call, a_component, a_load, each
from tests.account.routed import scene
from tests.report.folders import NASTY_TIER, single


def document() -> AccountDocument:
    """100 requests a second take 312 ms: most of it they wait for a worker."""
    planned = np.repeat([8.0, 24.0, 32.0], 4)
    queued = planned - 6.0
    server = a_component(
        total=planned + 0.2, unread=queued, in_hand=5.2, sending=0.3, running=0.8, runnable=0.3, cores=2.0,
        workers=2,
        calls=(a_call(NASTY_TIER, 3.0, idle=0.1), a_call("redis", 0.2, connecting=0.4)),
    )  # fmt: skip
    database = a_component(NASTY_TIER, total=3.0, in_hand=2.6, running=0.4, disk=1.5, cores=1.0)
    load = a_load(each(np.repeat([50.0, 75.0, 80.0], 4)), planned + 0.2, generator=0.3, planned=planned)
    time_account = account([server, database], load)
    assert time_account is not None
    return document_of(time_account)


def document_by_load(overload: bool = False) -> AccountDocument:
    """Six stages of 10 s: near 900 requests a second the queue for a worker makes a request 40 ms longer.

    overload: with a seventh stage, of which less is answered than comes.
    """
    rates = np.array([200.0, 400.0, 600.0, 700.0, 800.0, 900.0, *([1000.0] if overload else [])])
    n = 10 * rates.size
    rate = np.repeat(rates, 10)
    wobble = 1 + 0.08 * np.random.default_rng(4).standard_normal(n)
    queue_ms = np.where(rate > 950, 400.0, 1.5 + 38.0 * (np.minimum(rate, 900.0) / 900.0) ** 9) * wobble
    database_ms = 4.0 + 2.5 * (rate / 900.0) ** 2
    unread, awaiting, running = (ms * rate / 1e3 for ms in (queue_ms, database_ms, 1.4 + 0 * rate))
    total = unread + awaiting + running + 0.4 * rate / 1e3
    server = a_component(
        n=n, total=total, unread=unread, in_hand=awaiting + running, running=running, cores=2.0, workers=2,
        calls=(a_call(NASTY_TIER, awaiting, n=n),),
    )  # fmt: skip
    load = a_load(np.minimum(rate, 930.0), total, planned=rate, n=n)
    load = replace(load, due=rate, model="rate")
    time_account = account([server], load)
    assert time_account is not None
    return document_of(time_account, loads=loads([server], load, levels_of(load)))


def document_by_route() -> AccountDocument:
    """Two routes, of which one asks the database."""
    server, load, timed = scene()
    time_account = account([server], load)
    assert time_account is not None
    return document_of(time_account, routes=routes(server, load, timed))


def accounted(folder: Path, account: AccountDocument | None = None) -> Path:
    """Return the folder of a run of one trial with an account: of two workers unless another is given."""
    single(folder, seconds=40)
    run = RunFolder(folder)
    result = json.loads(run.result.read_text(encoding="utf-8"))
    result["account"] = plain(account or document())
    for path in (run.result, run.trial(1).result):
        os.chmod(path, 0o600)
        path.write_text(json.dumps(result), encoding="utf-8")
    return folder
