"""The states of a request, the slots and the flags of an account: names, meanings, how each is counted.

The names stand in results and are part of the format. A state that cannot be counted is left out of the
lines; its time is then in `inside` or in what is not accounted for, and the component's `unseen` says why.
"""

from dataclasses import dataclass

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
        "The request is due and the generator has not sent it: no connection is free, or it is late.",
        "Response time less service time, less `connecting`; where a queue grows, the queue's length.",
    ),
    State(
        CONNECTING,
        "A connection is being opened, the TLS handshake included. With `of`: a connection to a dependency.",
        "The generator's histogram `connect`. With `of`: the server's own sockets that are not yet open.",
    ),
    State(
        ACCEPT_QUEUE,
        "The request has arrived, and no process has accepted its connection.",
        "Connections without a process on which data has come.",
    ),
    State(
        UNREAD,
        "The connection is accepted, and no worker or event loop has read the request.",
        "Connections of the served port whose receive queue is not empty.",
    ),
    State(
        AWAITING,
        "The request is in hand and waits for an answer of the dependency `of`.",
        "The component's own connections to it on which data went out after data last came in; over a Unix"
        " socket its threads that read such a connection.",
    ),
    State(
        ANSWER_UNREAD,
        "The dependency `of` has answered, and the component has not read the answer.",
        "The component's own connections to it whose receive queue is not empty.",
    ),
    State(
        RUNNING,
        "The request is in hand and runs on a core.",
        "CPU seconds of the component's processes, at most what is left of the time in hand.",
    ),
    State(
        RUNNABLE,
        "The request is in hand, and its thread could run but has no core.",
        "Run delay of the component's threads, at most what `running` and `disk` leave of the time in hand."
        " Where each thread reads a connection of its own, some of them have yet to read what has come, and"
        " the delay is shared with `unread` and `answer_unread` by their numbers; the interval holds all"
        " of it.",
    ),
    State(
        THROTTLED,
        "As `runnable`, while the control group has used up its CPU quota.",
        "Time throttled by the threads that wanted to run on each core, at most the run delay.",
    ),
    State(
        DISK,
        "The request is in hand, and its thread waits for a disk.",
        "Threads in disk wait, at most what is left of the time in hand.",
    ),
    State(
        HOLDING,
        "The request is in hand, holds a connection to the database `of` in the middle of a transaction, and"
        " asks nothing of it.",
        "Connections on which nothing is under way and whose session the database lists as idle in a"
        " transaction, at most what is left of the time in hand.",
    ),
    State(
        INSIDE,
        "The rest of the time in hand: the request waits inside the process, for a connection of a pool, a"
        " lock, the interpreter, an event loop, a queue, a timer or another thread's work.",
        "Time in hand less all of the above. Waits for a lock are in it: from outside, a thread that waits"
        " for a lock and one that waits for work look alike.",
    ),
    State(
        SENDING,
        "The answer, or its first part, is sent and has not arrived: the network, a slow client, Nagle's"
        " algorithm against a delayed acknowledgement.",
        "Connections of the served port with bytes unsent or on their way; of a dependency at most"
        " what its callers still wait.",
    ),
)

ORDER = {state.name: place for place, state in enumerate(STATES)}
"""Place of each state on a request's way."""

FLAGS: dict[str, str] = {
    "parallel": "More calls to dependencies are under way than requests are in hand: calls run beside each"
    " other, or in the background. Their times are scaled to fit.",
    "multiplexed": "A connection carries several requests at once (HTTP/2, gRPC, WebSocket), so sockets count"
    " too few of them. The time in hand is what the other states leave.",
    "in_hand_unseen": "Sockets do not show how many requests are in hand, so what is not on the CPU or at a"
    " dependency is not accounted for.",
    "background_cpu": "The component uses more CPU time than its requests in hand could, or threads of it ran"
    " on when no request was there: threads that answer no request, or work before and after a request is in"
    " hand.",
    "others": "More requests are at the component than its known callers wait for: it has other callers.",
    "alone": "No caller's sockets say how long its requests take, so the total is the sum of its own states.",
    "abandoned": "Clients have gone while their requests wait or are in hand: the server works for nobody.",
    "tied": "Of many connections nothing tells whether they are idle: in hand and awaiting are less certain.",
    "partly_seen": "The sockets were seen for a part of the window only; the account is of that part.",
}
"""Flags of a component's account, each with its meaning."""

SLOTS: dict[str, str] = {
    "cores": "The cores that the component may use: `running`, `background` (its own threads that ran on when"
    " no request was there), `others` (other programs, measured or not), `stolen` by the hypervisor, `free`;"
    " beside them `runnable`.",
    "quota": "The CPU quota of its control group: `used`, `free`, and `throttled`, a share of the time.",
    "threads": "All its threads, `of` a group where there are several: the states of `thread_states`.",
    "busiest_thread": "The thread that ran most: `running`, `runnable`, `waiting`.",
    "interpreter": "The lock of a Python interpreter, of its busiest process: `held`, `free`; beside them"
    " `waiting`, the threads that want it.",
    "workers": "Its worker processes, where each holds one request at most: `in_hand`, `free`.",
    "connections": "Its own connections to the dependency `of`, as a pool has them: `awaiting`,"
    " `in_transaction` (idle in the middle of a transaction, by the database's word: taken, and nothing is"
    " asked), `idle`, …",
    "host_cores": "All cores of its machine: `used`, `free`, and `stolen` by the hypervisor.",
}
"""Slots, each with the states in which it is counted."""
