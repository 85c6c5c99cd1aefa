"""The account that is made while the load runs: every two seconds, for little, and never a trial's end."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from loadrig.recording.frame import Frame
from loadrig.trial.live_account import EVERY_S, FIRST_S, MOST_SHARE, LiveAccount

if TYPE_CHECKING:
    from loadrig.account.trial_account import ComponentAccount

FRAME, BROKEN = cast("Frame", SimpleNamespace()), cast("Frame", SimpleNamespace())


class AccountRig:
    """A live account with a clock of its own, and of accounts that cost so much CPU time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, cost_s: float = 0.0) -> None:
        self.now_s, self.cpu_s, self.cost_s = 0.0, 0.0, cost_s
        self.at: list[float] = []
        self.notes: list[str] = []
        monkeypatch.setattr("loadrig.account.recent.Recent", lambda *_: self)
        self.live = LiveAccount(
            {}, {}, dict, self.show, self.notes.append, clock=lambda: self.now_s, cpu=lambda: self.cpu_s
        )

    is_seen = True

    def see(self, frame: Frame) -> None:
        if frame is BROKEN:
            raise ValueError("a frame of another kind")

    def know(self, facts: Mapping[str, Any]) -> None: ...

    def account(self) -> "AccountRig":
        self.cpu_s += self.cost_s
        return self

    def show(self, shown: "ComponentAccount") -> None:
        assert shown is not None
        self.at.append(self.now_s)

    def run(self, seconds: int) -> None:
        for _ in range(4 * seconds):
            self.now_s += 0.25
            self.live.see(FRAME)


def test_it_comes_every_two_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = AccountRig(monkeypatch)
    rig.run(10)
    assert rig.at == [FIRST_S, FIRST_S + EVERY_S, FIRST_S + 2 * EVERY_S, FIRST_S + 3 * EVERY_S]


def test_one_that_costs_much_comes_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = AccountRig(monkeypatch, cost_s=0.05)
    rig.run(60)
    assert len(rig.at) > 2
    assert rig.cpu_s / 60 <= 1.5 * MOST_SHARE  # the first comes before anything is known of its cost


def test_what_goes_wrong_is_said_once_and_ends_no_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = AccountRig(monkeypatch)
    rig.live.see(BROKEN)
    rig.run(10)
    rig.live.hear([], "server")
    assert rig.at == []
    assert len(rig.notes) == 1
    assert ValueError.__name__ in rig.notes[0]
