"""The Rust half of loadrig: the engine, the histograms that it and Python share, and facts of the kernel."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from os import PathLike
from typing import Any, Self, final

__all__ = [
    "Connections",
    "Histogram",
    "Listener",
    "Look",
    "ProcessFacts",
    "SeriesPart",
    "SeriesParts",
    "SocketStages",
    "Sockets",
    "StageMeans",
    "StageSight",
    "ThreadBurst",
    "ThreadCounts",
    "Threads",
    "check_config",
    "check_expression",
    "compile_protos",
    "core_work",
    "due_arrivals",
    "grpc_method",
    "pack_series",
    "process_table",
    "process_tree",
    "read_processes",
    "read_tasks",
    "render_requests",
    "serve",
    "serve_null",
    "serve_proxy",
    "socket_holders",
]

def serve() -> int:
    """Runs one load over this process's standard streams, and returns its exit code.

    Reads lines of JSON from stdin: a config, then {"start_at_ns"} and perhaps {"stop"}; writes
    {"ready"} or {"refused"}, then {"frame"}s and {"end"} to stdout. Needs neither the
    interpreter nor its lock while it runs. Once a process. Interrupts (SIGINT) are ignored,
    SIGTERM ends it gracefully, the end of stdin at once.
    Returns 0 when the load is done, 1 when the config was refused, 70 after a fault of our own.
    """

def serve_null() -> None:
    """Answers every request on a free port of 127.0.0.1 with two bytes, until stdin is closed.

    Prints {"port": N} first. What a machine can do at most is measured against it.
    Raises OSError if it cannot listen.
    """

def serve_proxy() -> int:
    """Runs one proxy over this process's standard streams, and returns its exit code.

    Reads lines of JSON from stdin: {"listen": port or 0, "to": "127.0.0.1:3306"}, perhaps with "host"
    (where to listen) and "cpus"; then any number of {"set": {"delay_s", "loss", "bytes_per_s",
    "connections"}}, where what is not named is off, and {"ask": "counters"}. Writes {"ready"} or
    {"refused"}, then an answer to each, to stdout. Ends when stdin does. Needs neither the interpreter
    nor its lock while it runs.
    Returns 0 when stdin has ended, 1 when it could not begin, 70 after a fault of our own.
    """

def check_config(json: str) -> str | None:
    """Compiles a generator's config without sending anything.

    json: an engine config (see loadrig.engine.compile). Returns None if it is right, else what
    is wrong with it as JSON: {"what", "where" (a JSON path), "mend", "code"}.
    """

def check_expression(kind: str, text: str) -> str | None:
    """Compiles an expression of a plan by itself: a `regex`, a place in `json`, or a selector of `css`.

    Returns None if it is right, else what is wrong with it as check_config says it.
    """

def due_arrivals(json: str, most: int) -> list[tuple[int, int]]:
    """Return the first arrivals of a generator's config, as (number over the whole load, ns from the start).

    In order of time, until its time is over; `most` of each thread at most. A limit of requests is not looked
    at, as not every session makes as many. None of a closed load, where a request is due when the answer
    before it has come. Raises ValueError with the JSON of check_config if the config is malformed.
    """

def render_requests(json: str) -> list[tuple[str, bytes]]:
    """The bytes of the first request of each route, as (route, bytes), in the config's order.

    A hole that only an answer can fill shows its name in braces. Cookies are left out, as no
    answer has set any. The message of a gRPC route is shown as JSON. Raises ValueError with the
    JSON of check_config if the config is wrong.
    """

def compile_protos(files: list[str], includes: list[str]) -> bytes:
    """A serialised google.protobuf.FileDescriptorSet of `.proto` files and all that they import.

    includes: folders in which imports are looked for, in turn; each file must lie below one of
    them. Raises ValueError with "FILE:LINE:COL: what is wrong"; without line and column for a file
    that cannot be read.
    """

def grpc_method(descriptor_set: bytes, path: str) -> tuple[str, str]:
    """Full names of the message types that a unary method takes and answers.

    path: package.Service/Method. Raises ValueError that says what there is if there is no such
    service or method, and if it streams.
    """

def process_table(
    proc_root: str | PathLike[str],
) -> list[tuple[int, str, str, int, int, int, int, int, int, int, int, int, int, int]]:
    """The fields of `loadrig.base.processes.Stat` in their order, of every process that can be seen.

    proc_root: "/proc", but in tests. Raises OSError if there is no such folder.
    """

def process_tree(root: int, known: Sequence[int], proc_root: str | PathLike[str]) -> list[int]:
    """A process and all its descendants, parents before their children; empty if it is gone.

    known: what an earlier call has returned, so that none of it is lacking while it lives.
    proc_root: "/proc", but in tests. Raises OSError if there is no such folder.
    """

def read_processes(
    pids: Sequence[int], threads_most: int, with_memory: bool, proc_root: str | PathLike[str]
) -> list[ProcessFacts]:
    """Facts about these processes; those that are gone are left out.

    threads_most: above so many threads of all together, they are not read one by one.
    with_memory: whether to read smaps_rollup, for which the kernel walks the page tables (10 ms for each
    GB). proc_root: "/proc", but in tests. Raises OSError if there is no such folder.
    """

def socket_holders(
    inodes: AbstractSet[int], pids: Sequence[int] | None, proc_root: str | PathLike[str]
) -> dict[int, set[int]]:
    """Who holds these sockets: process -> inodes, of those that hold any and may be read.

    pids: those that are looked at, None for all. proc_root: "/proc", but in tests. Raises OSError if there
    is no such folder.
    """

def read_tasks(
    pids: Sequence[int], most: int, proc_root: str | PathLike[str]
) -> list[tuple[int, int, str, int, int, list[int]]]:
    """The threads of these processes, up to so many of all together; those that are gone are left out.

    Each is (number, process, name, ns run since it began, core on which it ran last, cores on which it may
    run). proc_root: "/proc", but in tests. Raises OSError if there is no such folder.
    """

def core_work(core: int) -> float:
    """CPU seconds that a fixed piece of work (sorting the same 2,048 numbers) takes on a core now.

    The calling thread is held on that core meanwhile, and waits until the core has time for it, which is not
    counted. Raises OSError where this process may not run on that core or there is none of that number.
    """

@final
class ProcessFacts:
    """One process: the fields of `loadrig.base.processes.Stat`, and what else was read.

    thread_count: Stat's `threads`. Of a zombie there is no more than these.
    fds, fd_limit: open descriptors and how many may be; None where they may not be counted, or have no
    limit. memory_bytes: proportional and unique set size (PSS, USS); None if it was not asked for, is
    another user's (memory_refused), or the process is just ending. io_bytes: read from and written to
    disks; None if it is another user's. threads: (number, state, voluntary and involuntary context
    switches, ns spent waiting for a core and ns run, None where that is not counted); None if there are
    too many.
    """

    @property
    def pid(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def parent(self) -> int: ...
    @property
    def group(self) -> int: ...
    @property
    def session(self) -> int: ...
    @property
    def faults(self) -> int: ...
    @property
    def user(self) -> int: ...
    @property
    def system(self) -> int: ...
    @property
    def dead_user(self) -> int: ...
    @property
    def dead_system(self) -> int: ...
    @property
    def thread_count(self) -> int: ...
    @property
    def start(self) -> int: ...
    @property
    def rss_pages(self) -> int: ...
    @property
    def fds(self) -> int | None: ...
    @property
    def fd_limit(self) -> int | None: ...
    @property
    def memory_bytes(self) -> tuple[int, int] | None: ...
    @property
    def memory_refused(self) -> bool: ...
    @property
    def io_bytes(self) -> tuple[int, int] | None: ...
    @property
    def threads(self) -> list[tuple[int, str, int, int, int | None, int | None]] | None: ...

@final
class Sockets:
    """Watches the TCP sockets of one network namespace, by netlink. Holds one descriptor.

    netns: a path that leads into the namespace, such as /proc/PID/ns/net; None for this process's own.
    destinations, ports: how many destinations of outgoing connections, and how many ports that are
    listened on, are told apart; the first that are seen keep their names, the others are `out:others` and
    `in:others`.
    Raises PermissionError without the right to enter the namespace (CAP_SYS_ADMIN), another OSError
    where netlink is refused.
    """

    def __new__(
        cls, netns: str | PathLike[str] | None = None, destinations: int = 20, ports: int = 20
    ) -> Self: ...
    def look(self, with_info: bool = False, watched: Sequence[str] = ...) -> Look:
        """Reads all sockets and counts them by role. Without the interpreter's lock.

        with_info: also tcp_info (round trips, retransmits), which costs a third more. watched: names of
        roles that are told apart however many others there are; what names no role is left out.
        Raises OSError where the kernel refuses.
        """

    def connections(self) -> list[tuple[str, int, str, int, int, int]]:
        """Established connections: local address and port, remote address and port, inode, uid.

        A connection of two programs of this machine is there twice, once from each end. IPv4 inside
        IPv6 is given as IPv4. Raises OSError where the kernel refuses.
        """

    def listeners(self) -> list[tuple[str, int, int, int]]:
        """Listening TCP sockets: address and port, inode, uid. Raises OSError where the kernel refuses."""

    def settings(self, names: Sequence[str]) -> list[str | None]:
        """Texts of settings below /proc/sys/net as the namespace has them, None for what is not there.

        names: such as "ipv4/tcp_tw_reuse". Raises OSError if the namespace cannot be entered.
        """

@final
class Look:
    """What one look saw. Each property is made anew when it is asked for: ask once.

    roles: connections by role, "in:PORT" for the server's end of connections to a port that is listened
    on, "out:ADDRESS:PORT" for the near end of those to a destination; also those of which there are none
    any more. listeners: of TCP, then of Unix sockets with a name. sockets: how many TCP sockets in all.
    """

    @property
    def roles(self) -> dict[str, Connections]: ...
    @property
    def listeners(self) -> list[Listener]: ...
    @property
    def sockets(self) -> int: ...

@final
class Connections:
    """The connections in one role.

    states: how many are in each state ("established", "time_wait" …) that any is in.
    opened, closed_first: how many were opened, and closed by this side first, since the first look.
    receive_bytes, send_bytes: come and not yet read, sent and not yet acknowledged.
    retransmits: segments sent again, since the first look with tcp_info.
    rtt_s: median and highest smoothed round trip, None where tcp_info was not read.
    """

    @property
    def states(self) -> dict[str, int]: ...
    @property
    def opened(self) -> int: ...
    @property
    def closed_first(self) -> int: ...
    @property
    def receive_bytes(self) -> int: ...
    @property
    def send_bytes(self) -> int: ...
    @property
    def retransmits(self) -> int: ...
    @property
    def rtt_s(self) -> tuple[float, float] | None: ...

@final
class Listener:
    """A listening socket.

    address, port: "0.0.0.0", "::" …; of a Unix socket the path, "@" for an abstract one, and port 0.
    queue: connections that wait to be accepted; backlog: how many may. uid: None for a Unix socket.
    """

    @property
    def address(self) -> str: ...
    @property
    def port(self) -> int: ...
    @property
    def queue(self) -> int: ...
    @property
    def backlog(self) -> int: ...
    @property
    def inode(self) -> int: ...
    @property
    def uid(self) -> int | None: ...

@final
class SocketStages:
    """Looks at the sockets of components at random instants, in a thread of its own, until it is closed.

    Holds one descriptor for each network namespace in which a component lives.
    looks_per_s: on average and at most. cpu_share: of a core, what looking may take: where a look costs
    more, there are fewer, at least one in 5 s. destinations, ports: how many of each are told apart of a
    component. seed: decides the instants. Raises ValueError unless looks_per_s and cpu_share are above 0.
    """

    def __new__(
        cls, looks_per_s: float, cpu_share: float, destinations: int, ports: int, seed: int
    ) -> Self: ...
    def watch(self, pid: int, start: int | None, ports: Sequence[int]) -> int:
        """Watches a process and its descendants; returns the number to ask for it by.

        start: ticks since boot at which it was started. ports: that it is known to listen on, for where
        its descriptors may not be read. Raises PermissionError without the right to enter the network
        namespace that it lives in (CAP_SYS_ADMIN), another OSError where netlink is refused.
        """

    def take(self, number: int) -> StageSight:
        """What was seen since the last call. Raises ValueError for a number that is not watched."""

    def allow(self, cpu_share: float) -> None:
        """Lets looking take this share of a core from the next look on. Raises ValueError unless above 0."""

    def forget(self, number: int) -> None:
        """Watches it no longer."""

    def close(self) -> None:
        """Ends the thread. May be called twice; everything else raises ValueError after it."""

@final
class StageSight:
    """What was seen of a component.

    looks: how many there were. groups: its sockets. cpu_s: what looking at it has cost since it is watched.
    is_refused: some of its processes may not be read by this user. is_gone: its process has ended.
    left_out: sockets that the last look passed over, as there were too many. failure: why the last look
    failed, None where it did not.
    """

    @property
    def looks(self) -> int: ...
    @property
    def groups(self) -> list[StageMeans]: ...
    @property
    def cpu_s(self) -> float: ...
    @property
    def is_refused(self) -> bool: ...
    @property
    def is_gone(self) -> bool: ...
    @property
    def left_out(self) -> int: ...
    @property
    def failure(self) -> str | None: ...

@final
class StageMeans:
    """One group of a component's sockets, over the looks of an interval.

    group: "in:PORT", "out:ADDRESS:PORT", the path of a Unix socket for the port or the address, or "others".
    stages: by name, the mean number of sockets in the stage and its standard deviation from look to look.
    sockets: in all stages. tied: of those, split between a stage and idle. silent: of those not accepted,
    the ones that have brought no data. busy_s, client_limited_s, buffer_limited_s: how long their sending was
    under way, and waited for the other end and for the send buffer, since the component is watched.
    segments: those with data that they sent meanwhile, on connections that were met in two looks.
    """

    @property
    def group(self) -> str: ...
    @property
    def stages(self) -> dict[str, tuple[float, float]]: ...
    @property
    def sockets(self) -> float: ...
    @property
    def tied(self) -> float: ...
    @property
    def silent(self) -> float: ...
    @property
    def busy_s(self) -> float: ...
    @property
    def client_limited_s(self) -> float: ...
    @property
    def buffer_limited_s(self) -> float: ...
    @property
    def segments(self) -> int: ...

@final
class Threads:
    """Counts the threads of a program, and looks at what they wait for.

    pid, start: root of the program's processes and its start in ticks since boot, None for the process that
    has the number now. group: the folder of the program's own control group, if it has one; the processes are
    then those of the group. proc_root: "/proc", but in tests. groups, peers: how many groups of threads and
    how many peers are told apart; the others are `others`. busiest: how many threads are told by their own
    names at a time. most: so many threads are read.
    Raises OSError if there is no such folder.
    """

    def __new__(
        cls,
        pid: int,
        start: int | None,
        group: str | PathLike[str] | None,
        proc_root: str | PathLike[str],
        groups: int = 16,
        peers: int = 32,
        busiest: int = 10,
        most: int = 20_000,
    ) -> Self: ...
    def count(self, now_ns: int) -> ThreadCounts:
        """Reads how long every thread has run and has waited for a core. Without the interpreter's lock.

        now_ns: the instant, of a clock that goes on. Raises ProcessLookupError if the program has ended.
        """

    def burst(self, looks_per_s: float, seconds: float, cpu_s: float, seed: int) -> ThreadBurst:
        """Looks at all threads at random instants. Without the interpreter's lock; takes so many seconds.

        looks_per_s: fewer, but ten in all, where the burst would take more CPU seconds than `cpu_s`.
        seed: decides the instants. Raises ProcessLookupError if the program has ended, ValueError where one
        of these is not above zero.
        """

    def turn_to(self, proc_root: str | PathLike[str]) -> None:
        """Counts below another /proc from now on: of recorded ones each is an instant. Raises OSError."""

    def stop(self) -> None:
        """Ends the burst under way, in whichever thread it is, and each later one at its beginning."""

    def close(self) -> None:
        """Stops, and gives back what is open. After this `count` and `burst` raise ValueError."""

@final
class ThreadCounts:
    """What the threads of a program have used since the first count.

    groups: by the name of a group ("pool-2-thread-#", "others"): how many threads it has now, the seconds
    that they ran and the seconds that they waited for a core, those that have ended included. busiest:
    process, number, name, seconds run and seconds waited of the threads that ran most. most_share: the
    greatest share of a core that one thread ran since the count before. left_out: threads that were not read.
    is_exact: whether the kernel counts them in nanoseconds; else these are ticks of 10 ms, without waits.
    """

    @property
    def groups(self) -> dict[str, tuple[int, float, float]]: ...
    @property
    def busiest(self) -> list[tuple[int, int, str, float, float]]: ...
    @property
    def most_share(self) -> float: ...
    @property
    def left_out(self) -> int: ...
    @property
    def is_exact(self) -> bool: ...

@final
class ThreadBurst:
    """What a burst of looks has seen: mean numbers of threads.

    looks, seconds, cpu_s: how many, how long, and what they cost. states: by state, all of them, zeros too;
    they add up to the mean number of threads. peers: by state and what the descriptor leads to. groups: by
    state and group; they add up to the same as states. busy: process, number, name and shares of the burst by
    state, of the threads that ran most. gaps: what could not be seen, with a process: "calls" (system
    calls), "places" (nor the place in the kernel), "foreign" (a 32 bit program), "sockets" (their peers),
    "delay" (the time in the run queue). left_out: threads that were not looked at.
    """

    @property
    def looks(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def cpu_s(self) -> float: ...
    @property
    def states(self) -> dict[str, float]: ...
    @property
    def peers(self) -> dict[tuple[str, str], float]: ...
    @property
    def groups(self) -> dict[tuple[str, str], float]: ...
    @property
    def busy(self) -> list[tuple[int, int, str, dict[str, float]]]: ...
    @property
    def gaps(self) -> list[tuple[str, int]]: ...
    @property
    def left_out(self) -> int: ...

@final
class SeriesParts:
    """The rows of a file of series, some at a time; read without the interpreter's lock.

    The iterator raises ValueError where the content of a file is damaged, and OSError where the system
    refuses. rows: how many the file says it holds, 0 for a stream; holding others is damage.
    """

    @staticmethod
    def of_stream(path: str | PathLike[str], rows_a_part: int) -> SeriesParts:
        """Opens an Arrow stream, which is read up to its last whole batch.

        Of a stream that grows, the next part comes once more is written: ask again after StopIteration.
        rows_a_part: least number of rows of every part but the last. Raises OSError.
        """

    @staticmethod
    def of_parquet(path: str | PathLike[str], rows_a_part: int) -> SeriesParts:
        """Opens a Parquet file, of which no part holds rows of two row groups.

        rows_a_part: largest number of rows of a part. Raises ValueError if it is no such file, OSError.
        """

    @property
    def rows(self) -> int: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> SeriesPart: ...

@final
class SeriesPart:
    """Some rows of series by column, as they were written. Ask for each property once: it is copied.

    t_ns, value: int64 and float64 in the machine's own order of bytes. words: the different words of the
    columns component, probe, metric and subject; places: for each of these columns, the index of every row's
    word, int32.
    """

    @property
    def t_ns(self) -> bytes: ...
    @property
    def value(self) -> bytes: ...
    @property
    def words(self) -> list[list[str]]: ...
    @property
    def places(self) -> list[bytes]: ...

def pack_series(stream: str | PathLike[str], parquet: str | PathLike[str], rows_a_group: int) -> None:
    """Writes a stream, up to its last whole batch, into a Parquet file that is there already.

    Without the interpreter's lock, and no more than a row group in memory. rows_a_group: least number of rows
    of every row group but the last. Raises OSError, and ValueError if the stream holds no series.
    """

@final
class Histogram:
    """Counts of times in ns, from 1 ns to one hour, to three significant digits.

    The same buckets everywhere, so that adding up loses nothing. A value above an hour counts as
    one hour. An empty histogram has 0 for every figure. Unhashable, as it can change.
    Source: HdrHistogram, V2 encoding.
    """

    def __new__(cls) -> Self: ...
    @staticmethod
    def decode(text: str) -> Histogram:
        """The histogram of a text as in a line of an `.hlog` file.

        text: base64 of the V2 encoding, deflated or not at any precision. Other buckets than ours are
        recounted into ours, at the middle of each. Raises ValueError if it is no such text.
        """

    def encode(self) -> str:
        """The histogram as a line of an `.hlog` file carries it: V2, deflated, base64."""

    def add(self, other: Histogram) -> None:
        """Counts what the other one has counted, too."""

    def copy(self) -> Histogram:
        """Another histogram with the same counts."""

    def record(self, value_ns: int, count: int = 1) -> None:
        """Counts a value so many times. Raises OverflowError if either is negative."""

    @property
    def count(self) -> int:
        """How many values."""

    @property
    def min_ns(self) -> int:
        """The least value, to three digits downwards."""

    @property
    def max_ns(self) -> int:
        """The greatest value, to three digits upwards."""

    @property
    def mean_ns(self) -> float:
        """The mean, each value taken at the middle of its bucket."""

    @property
    def stdev_ns(self) -> float:
        """The standard deviation (of the values themselves, not of a sample of others)."""

    def quantile_ns(self, q: float) -> int:
        """The least value that a share q of all values does not exceed, to three digits upwards.

        Raises ValueError unless 0 <= q <= 1.
        """

    def count_between(self, low_ns: int, high_ns: int) -> int:
        """How many values lie from low to high, both included, to the width of a bucket."""

    def buckets(self, per_decade: int) -> list[tuple[float, float, int]]:
        """Counts between log-spaced edges, for a heatmap: (low_ns, high_ns, count), low included.

        per_decade: buckets for each factor of ten, at least 1. Only buckets with a count are
        given, in rising order; their counts add up to `count`.
        """

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...
