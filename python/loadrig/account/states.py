"""The states of a request, the slots and the flags of an account: names, meanings, how each is counted.

The names stand in results and are part of the format. A state that cannot be counted is left out of the
lines; its time is then in `inside` or in what is not accounted for, and the component's `unseen` says why.
"""

from dataclasses import dataclass

from loadrig.language.choice import texts_of
from loadrig.language.en.account import AccountStatesTexts

TEXTS = texts_of(AccountStatesTexts)

GENERATOR = "generator"
CONNECTING = "connecting"
ACCEPT_QUEUE = "accept_queue"
UNREAD = "unread"
AWAITING = "awaiting"
ANSWER_UNREAD = "answer_unread"
RUNNING = "running"
RUNNABLE = "runnable"
THROTTLED = "throttled"
DISK = "disk"
HOLDING = "holding"
INSIDE = "inside"
SENDING = "sending"


@dataclass(frozen=True, slots=True)
class State:
    """A state of a request or slot: its name, what happens in it, and how its time is counted."""

    name: str
    meaning: str
    counted: str


STATES: tuple[State, ...] = (
    State(
        GENERATOR,
        TEXTS.request_due_generator,
        TEXTS.response_time_less,
    ),
    State(
        CONNECTING,
        TEXTS.connection_being_opened,
        TEXTS.generator_histogram_connect,
    ),
    State(
        ACCEPT_QUEUE,
        TEXTS.request_has_arrived,
        TEXTS.connections_without_process,
    ),
    State(
        UNREAD,
        TEXTS.connection_accepted_no,
        TEXTS.connections_served_port,
    ),
    State(
        AWAITING,
        TEXTS.request_hand_waits,
        TEXTS.component_own_connections,
    ),
    State(
        ANSWER_UNREAD,
        TEXTS.dependency_has_answered,
        TEXTS.component_own_connections_whose,
    ),
    State(
        RUNNING,
        TEXTS.request_hand_runs,
        TEXTS.cpu_seconds_component,
    ),
    State(
        RUNNABLE,
        TEXTS.request_hand_thread,
        TEXTS.run_delay_component,
    ),
    State(
        THROTTLED,
        TEXTS.runnable_while_control,
        TEXTS.time_throttled_threads,
    ),
    State(
        DISK,
        TEXTS.request_hand_thread_waits,
        TEXTS.threads_disk_wait,
    ),
    State(
        HOLDING,
        TEXTS.request_hand_holds,
        TEXTS.connections_nothing_under,
    ),
    State(
        INSIDE,
        TEXTS.rest_time_hand,
        TEXTS.time_hand_less,
    ),
    State(
        SENDING,
        TEXTS.answer_or_first,
        TEXTS.connections_served_port_bytes,
    ),
)

ORDER = {state.name: place for place, state in enumerate(STATES)}
"""Place of each state on a request's way."""

FLAGS: dict[str, str] = {
    "parallel": TEXTS.flag_parallel,
    "multiplexed": TEXTS.flag_multiplexed,
    "in_hand_unseen": TEXTS.flag_in_hand_unseen,
    "background_cpu": TEXTS.flag_background_cpu,
    "others": TEXTS.flag_others,
    "alone": TEXTS.flag_alone,
    "abandoned": TEXTS.flag_abandoned,
    "tied": TEXTS.flag_tied,
    "partly_seen": TEXTS.flag_partly_seen,
}
"""Flags of a component's account, each with its meaning."""

SLOTS: dict[str, str] = {
    "cores": TEXTS.slot_cores,
    "quota": TEXTS.slot_quota,
    "threads": TEXTS.slot_threads,
    "busiest_thread": TEXTS.slot_busiest_thread,
    "interpreter": TEXTS.slot_interpreter,
    "workers": TEXTS.slot_workers,
    "connections": TEXTS.slot_connections,
    "host_cores": TEXTS.slot_host_cores,
}
"""Slots, each with the states in which it is counted."""
