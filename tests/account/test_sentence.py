"""Words of an account, and its document."""

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.account import sentence, states
from loadrig.account.compose import document_of
from loadrig.account.observations import Observations
from loadrig.account.trial_account import Account, account
from loadrig.trial.widening import Factors
from tests.account.made import a_call, a_component, a_load, threads
from tests.wording import numbers


def account_of(**fields: object) -> Account:
    total = {"total": 20.0, **fields}
    whole = account([a_component(**total)], a_load(100.0, 20.0))  # type: ignore[arg-type]
    assert whole is not None
    return whole


def sentence_of(**fields: object) -> str:
    server = account_of(**fields).server
    assert server is not None
    return sentence.sentence_of(server)


def test_the_longest_parts_come_first_and_the_rest_last(snapshot: SnapshotAssertion) -> None:
    sentence_of_five = sentence_of(unread=15.0, in_hand=4.0, running=0.5, calls=(a_call("mariadb", 3.0),))
    assert numbers(sentence_of_five) == [200, 150, 30, 5, 5, 10]
    assert sentence_of_five == snapshot


def test_no_more_than_five_parts_are_named() -> None:
    calls = tuple(a_call(f"db{n}", 1.0 + n) for n in range(5))
    text = sentence_of(in_hand=18.0, running=1.5, unread=0.5, calls=calls)
    assert text.count(" ms ") == sentence.MOST_PARTS + 1
    assert "db0" not in text


def test_lines_that_are_more_than_the_total_leave_no_rest() -> None:
    server = account_of(unread=24.0).server
    assert server is not None
    assert [part.share for part in sentence.parts(server)] == [pytest.approx(1.2)]
    assert numbers(sentence_of(unread=24.0)) == [200, 240, 40]


def told_with(*behind: Observations, **server: object) -> str:
    whole = account([a_component(total=20.0, **server), *behind], a_load(100.0, 20.0))  # type: ignore[arg-type]
    assert whole is not None
    assert whole.server is not None
    return sentence.sentence_of(whole.server, whole.components)


def test_the_sentence_goes_on_with_what_is_mostly_waited_for(snapshot: SnapshotAssertion) -> None:
    redis = a_component("redis", total=12.0, unread=9.0, in_hand=2.5, running=2.5)
    mariadb = a_component("mariadb", total=16.0, in_hand=16.0, running=1.0, calls=(a_call("redis", 12.0),))
    calls = (a_call("mariadb", 16.0), a_call("cache", 2.0))
    sentences = told_with(redis, mariadb, in_hand=20.0, calls=calls)
    assert numbers(sentences) == [200, 160, 20, 20, 160, 120, 30, 10, 120, 90, 25, 5]
    assert sentences == snapshot


@pytest.mark.parametrize(
    ("behind", "awaited"),
    [
        (a_component("mariadb", total=9.0, in_hand=9.0), 9.0),
        (a_component("mariadb", total=16.0, unread=None, in_hand=None, accept_queue=None), 16.0),
        (a_component("mariadb", total=18.0, in_hand=18.0), 16.0),
        (a_component("mariadb", total=16.0, in_hand=19.0), 16.0),
        (a_component("redis", total=16.0, in_hand=16.0), 16.0),
    ],
    ids=["not mostly", "not seen", "calls of another", "unknown callers", "another component"],
)
def test_the_sentence_ends_where_the_time_of_a_dependency_is_not_that_wait(
    behind: Observations, awaited: float
) -> None:
    assert told_with(behind, in_hand=20.0, calls=(a_call("mariadb", awaited),)).count("Of ") == 1


def test_components_that_call_each_other_are_told_once() -> None:
    mariadb = a_component("mariadb", total=16.0, in_hand=16.0, calls=(a_call("server", 15.0),))
    assert told_with(mariadb, in_hand=20.0, calls=(a_call("mariadb", 16.0),)).count("Of ") == 2


def test_nothing_is_said_of_what_was_not_seen() -> None:
    assert sentence_of(unread=None, in_hand=None, accept_queue=None, sending=None) == ""


def test_every_state_has_words() -> None:
    for state in states.STATES:
        assert (
            sentence.words(state.name) if state.name in sentence.WORDS else sentence.words(state.name, "db")
        )
    assert set(sentence.WORDS) | set(sentence.WORDS_OF) == set(states.ORDER)


def test_the_document_has_lines_and_slots() -> None:
    document = document_of(account_of(unread=15.0, in_hand=2.0, cores=2.0, threads=threads(futex=2.0)))
    server = document.components["server"]
    line = next(line for line in server.per_request if line.state == "unread")
    assert line.of == ""
    assert line.ms == pytest.approx(150.0)
    assert line.interval == pytest.approx((150.0, 150.0))
    assert line.source == "socket_stages.unread"
    slots = {slot.slot for slot in server.slots}
    assert slots == {"cores", "threads"}
    assert slots <= set(states.SLOTS)


def test_a_disturbance_widens_the_times_and_leaves_values_and_shares() -> None:
    account = account_of(unread=15.0, in_hand=2.0, cores=2.0, threads=threads(futex=2.0))
    calm = document_of(account).components["server"]
    noisy = document_of(account, Factors(0.5, 2.0).around).components["server"]
    assert calm.total_interval is not None
    low, high = calm.total_interval
    assert noisy.total_interval == pytest.approx((0.5 * low, 2 * high))
    assert (noisy.per_slot, noisy.slots) == (calm.per_slot, calm.slots)
    for before, after in zip(calm.per_request, noisy.per_request, strict=True):
        assert before.ms == after.ms
        if before.interval is not None:
            assert after.interval == pytest.approx((0.5 * before.interval[0], 2 * before.interval[1]))
