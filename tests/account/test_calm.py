"""The account of dips beside the calm: which line grew while the throughput was low."""

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.account import growth_words
from loadrig.account.calm import Dipped, beside
from loadrig.account.compose import document_of
from loadrig.account.load import LoadSeries
from loadrig.account.observations import Observations
from loadrig.account.trial_account import account
from loadrig.base.documents import ABSENT
from loadrig.recording.steps import NS, Bools
from tests.account.made import a_call, a_component, a_load

SECONDS, EVERY = 120, 12
USERS = 20.0


def stalls() -> Bools:
    """Return where it stalls: two seconds in every twelve."""
    return np.arange(SECONDS) % EVERY < 2


def scene(*, seed: int = 1) -> tuple[Observations, LoadSeries]:
    """Return twenty users; while the database stalls nearly all of them wait for it, and few are answered."""
    rng = np.random.default_rng(seed)
    low = stalls()
    awaiting = np.where(low, 17.0, 4.0) + rng.normal(0, 0.3, SECONDS)
    unread = np.where(low, 1.0, 12.0) + rng.normal(0, 0.3, SECONDS)
    running = np.where(low, 0.2, 1.0)
    server = a_component(
        n=SECONDS, total=USERS, unread=unread, in_hand=USERS - unread, running=running,
        calls=(a_call("mariadb", awaiting, n=SECONDS),),
    )  # fmt: skip
    rate = np.where(low, 30.0, 200.0) + rng.normal(0, 2.0, SECONDS)
    return server, a_load(rate, USERS, n=SECONDS)


def spans() -> list[tuple[int, int]]:
    return [(begin * NS, (begin + 2) * NS) for begin in range(0, SECONDS, EVERY)]


def dipped_scene() -> Dipped:
    server, load = scene()
    dipped = beside([server], load, spans())
    assert dipped is not None
    return dipped


def test_the_line_that_grew_in_the_dips_is_named(snapshot: SnapshotAssertion) -> None:
    growth = dipped_scene().growth
    assert growth is not None
    assert [(line.state, line.of) for line in growth.most] == [("awaiting", "mariadb")]
    assert growth.low_ms == pytest.approx(100.0, rel=0.05)
    assert growth.high_ms == pytest.approx(667.0, rel=0.05)
    assert growth_words.in_dips(growth) == snapshot


def test_seconds_beside_a_dip_are_neither_dip_nor_calm() -> None:
    dipped = dipped_scene()
    assert dipped.dips.window_s == 2 * SECONDS / EVERY
    # One second before and one after each; the first dip has none before it.
    assert dipped.calm.window_s == SECONDS - 4 * SECONDS / EVERY + 1


def test_without_a_dip_there_is_nothing_to_compare() -> None:
    server, load = scene()
    assert beside([server], load, []) is None


def test_the_document_has_both_windows_and_what_grew() -> None:
    server, load = scene()
    whole = account([server], load)
    assert whole is not None
    document = document_of(whole, dips=dipped_scene())
    assert set(document.windows) == {"dips", "calm"}
    assert (document.loads, document.routes) == (ABSENT, ABSENT)
    assert document.dips
    assert document.dips.growth is not None
    assert [(line.state, line.of) for line in document.dips.growth.most] == [("awaiting", "mariadb")]
    assert document.dips.sentence == growth_words.in_dips(dipped_scene().growth)
