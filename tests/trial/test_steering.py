"""Orders of a person to a trial: carried out, or refused. In the generator's place is a list of levels."""

from dataclasses import dataclass, field
from typing import Literal

import pytest

from loadrig.base.clock import NS
from loadrig.base.series import Event
from loadrig.plan.load import read
from loadrig.recording.orders import TakenOrder
from loadrig.recording.steering import End, HandMark, Order, Pause, Resume, SetLevel
from loadrig.trial.levels import FEW_USERS, MANY_USERS, MOST_TIMES, most_level
from loadrig.trial.pace import Pace
from loadrig.trial.spec import Watcher
from loadrig.trial.steering import Steering

AT_RATE = "rate: 50/1s"
OF_USERS = "users: 8"
SHARED = "connections: {most: 8}, users: 8"
STAGES = "rate: {stages: [{to: 9/1s, over: 9s}]}"


@dataclass
class Desk(Watcher):
    """A person's desk: the orders that lie there, and the answers."""

    has_one_trial: bool = True
    waiting: list[TakenOrder] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)
    is_ended: bool = False

    @property
    def is_alone(self) -> bool:
        return self.has_one_trial

    def orders(self) -> list[TakenOrder]:
        waiting, self.waiting = self.waiting, []
        return waiting

    def answer(self, order_id: str, outcome: Literal["done", "refused"], text: str) -> None:
        assert text
        self.answers[order_id] = outcome

    def end_early(self) -> None:
        self.is_ended = True


class SteeredTrial:
    """A trial under way, and all that orders did to it."""

    def __init__(self, load: str = AT_RATE, *, is_alone: bool = True, is_steered: bool = False) -> None:
        text = "loadrig: 1\nname: n\ntarget: {external: 'http://127.0.0.1:1/'}\n"
        plan = read(f"{text}workload: {{{load}, requests: [{{get: /}}]}}\n", "plan.yaml")
        self.desk = Desk(is_alone)
        self.pace = Pace(plan.trial, scheduled=False)
        self.pace.begin(0)
        self.levels: list[float] = []
        self.events: list[Event] = []
        self.steering = Steering(
            self.desk, plan, self.pace, self._level, self.events.append, is_steered=is_steered
        )

    def _level(self, to: float) -> int:
        self.levels.append(to)
        return len(self.levels) * NS

    def give(self, *orders: Order) -> list[str]:
        self.desk.answers.clear()
        self.desk.waiting = [TakenOrder(str(number), order) for number, order in enumerate(orders)]
        self.steering.obey(self.desk.orders())
        return list(self.desk.answers.values())


def test_a_rate_is_changed_paused_and_goes_on_and_the_warm_up_begins_anew_each_time() -> None:
    room = SteeredTrial()
    room.pace.from_ns = NS // 2
    assert room.give(SetLevel(to=120.0)) == ["done"]
    assert room.pace.phase == "warm_up"
    room.pace.from_ns = NS // 2
    assert room.give(Pause()) == ["done"]
    assert room.steering.is_paused
    assert room.pace.phase == "measuring", "what was measured until then stands, should nothing follow"
    assert room.give(Resume()) == ["done"]
    assert not room.steering.is_paused
    assert room.pace.phase == "warm_up"
    assert room.levels == [120.0, 0.0, 120.0]
    assert [event.facts["order"] for event in room.events] == ["level", "pause", "resume"]
    assert [event.t_ns for event in room.events] == [NS, 2 * NS, 3 * NS]


def test_a_level_while_the_load_is_paused_lets_it_go_on() -> None:
    room = SteeredTrial(OF_USERS)
    assert room.give(Pause(), SetLevel(to=3.0)) == ["done", "done"]
    assert not room.steering.is_paused
    assert room.levels == [0.0, 3.0]


@pytest.mark.parametrize(
    ("load", "most"),
    [(AT_RATE, 50.0 * MOST_TIMES), (OF_USERS, FEW_USERS), (SHARED, 8.0)],
    ids=["rate", "users", "shared"],
)
def test_no_level_beyond_what_the_run_can_be_given(load: str, most: float) -> None:
    room = SteeredTrial(load)
    assert room.give(SetLevel(to=most + 1)) == ["refused"]
    assert room.levels == []
    assert room.give(SetLevel(to=most)) == ["done"]


def test_users_are_whole() -> None:
    assert SteeredTrial(OF_USERS).give(SetLevel(to=2.5)) == ["refused"]
    assert SteeredTrial(AT_RATE).give(SetLevel(to=2.5)) == ["done"]


CHANGES: tuple[Order, ...] = (Pause(), SetLevel(to=1.0), Resume())


@pytest.mark.parametrize(
    "room",
    [
        lambda: SteeredTrial(is_alone=False),
        lambda: SteeredTrial(is_steered=True),
        lambda: SteeredTrial(STAGES),
        lambda: SteeredTrial("rate: 0"),
    ],
    ids=["a study", "a search", "stages", "saturate"],
)
def test_where_the_load_is_not_a_persons_to_change_it_can_be_marked_and_ended(
    room: "type[SteeredTrial]",
) -> None:
    trial = room()
    assert trial.give(*CHANGES) == ["refused"] * 3
    assert trial.levels == []
    assert trial.give(HandMark(text="deployed")) == ["done"]
    assert [(event.kind, event.text) for event in trial.events] == [("mark", "deployed")]
    assert trial.pace.to_ns is None
    assert trial.give(End()) == ["done"]
    assert trial.pace.to_ns is not None
    assert trial.desk.is_ended


def test_orders_that_have_no_sense_now_are_refused() -> None:
    room = SteeredTrial()
    assert room.give(Resume()) == ["refused"]
    assert room.give(Pause(), Pause()) == ["done", "refused"]
    assert room.give(End(), End(), SetLevel(to=5.0)) == ["done", "refused", "refused"]
    room.desk.waiting = [TakenOrder("x", None, "it is no order")]
    room.steering.obey(room.desk.orders())
    assert room.desk.answers["x"] == "refused"


@pytest.mark.parametrize(
    ("load", "most"),
    [("users: 30", 300), ("users: 3_000", MANY_USERS), ("users: 9_000", 9_000),
     ("users: 8, feeds: {id: {values: [a, b, c, d, e, f, g, h], order: unique}}", 8)],
    ids=["some", "many", "more", "rows"],
)  # fmt: skip
def test_users_are_raised_as_far_as_connections_and_rows_are_there(load: str, most: float) -> None:
    text = "loadrig: 1\nname: n\ntarget: {external: 'http://127.0.0.1:1/'}\n"
    assert most_level(read(f"{text}workload: {{{load}, requests: [{{get: /}}]}}\n", "plan.yaml")) == most
