"""The block of a trial that runs: the account of the last seconds as a bar and a sentence."""

import io

from rich.console import Console
from syrupy.assertion import SnapshotAssertion

from loadrig.account.trial_account import account
from loadrig.cli._trial_state import TrialState
from loadrig.cli._trial_view import BAR_WIDE, draw_trial
from tests.account.made import a_call, a_component, a_load


def drawn(state: TrialState, width: int = 100) -> str:
    out = io.StringIO()
    Console(file=out, width=width, color_system=None).print(draw_trial(state))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def shown() -> TrialState:
    server = a_component(
        total=20.0, unread=14.0, in_hand=5.5, running=1.0, calls=(a_call("\x1b[31mmariadb", 4.0),)
    )
    whole = account([server], a_load(100.0, 20.0))
    assert whole is not None
    assert whole.server is not None
    state = TrialState()
    state.account(whole.server)
    return state


def test_the_account_of_the_last_seconds_is_a_bar_and_a_sentence(snapshot: SnapshotAssertion) -> None:
    text = drawn(shown())
    assert text[text.index("a request") :] == snapshot
    assert text.count("█") == BAR_WIDE * 0.7
    assert "\x1b" not in text


def test_without_an_account_there_is_no_bar() -> None:
    assert "a request" not in drawn(TrialState())


def test_it_fits_a_narrow_terminal() -> None:
    assert max(map(len, drawn(shown(), 60).splitlines())) <= 60
