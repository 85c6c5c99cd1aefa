"""Errors of the probes that read the kernel in English: of groups, cores, processes, threads and sockets."""

from collections.abc import Mapping
from typing import ClassVar

from loadrig.base.error_words import ErrorWords

_NETLINK = "sudo modprobe tcp_diag, or let the container use netlink"


class ProbesCgroupErrors:
    def groups_gone(self) -> ErrorWords:
        return ErrorWords(what="its control groups are gone", mend="see whether it still runs, and where")

    def no_group(self) -> ErrorWords:
        return ErrorWords(
            what="no control group of the server can be read", mend="mount the cgroup file system"
        )


class ProbesCpuClockErrors:
    def speed_unknown(self) -> ErrorWords:
        return ErrorWords(
            what="the machine does not say how fast its cores run",
            mend="switch it off: unwatched: [cpu_clock]",
        )


class ProbesProcessErrors:
    def memory_hidden(self, pid: str) -> str:
        return (
            f"the memory of process {pid} may not be read by this user: RSS only, which counts shared pages"
            " in each process"
        )

    def too_many_threads(self, most: str) -> str:
        return (
            f"more than {most} threads: states, context switches and run-queue delay are not read (option"
            " `threads` of the probe)"
        )


class ProbesSocketStagesErrors:
    def netlink_failed(self, why: str) -> ErrorWords:
        return ErrorWords(what=f"the kernel does not tell of its sockets by netlink: {why}", mend=_NETLINK)

    def namespace_refused(self, component: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"entering the network namespace of {component} needs the right CAP_SYS_ADMIN ({why})",
            mend="run loadrig as root",
        )

    def netlink_refused(self, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"the kernel does not tell of its sockets by netlink, sock_diag ({why})", mend=_NETLINK
        )

    def descriptors_hidden(self, component: str) -> ErrorWords:
        return ErrorWords(
            what=(
                f"the descriptors of {component} may not be read by this user: its own connections are not"
                " told apart from those of others, and its ports are those that are known"
            ),
            mend="run loadrig as root, or as the user of that program",
        )

    def sockets_left_out(self, count: str) -> ErrorWords:
        return ErrorWords(
            what=f"there are too many sockets: {count} were not looked at, so the numbers are too small",
            mend="close connections that nobody uses",
        )


class ProbesTcpSocketsErrors:
    def namespace_refused(self, component: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=(
                f"entering the network namespace of {component} needs the right CAP_SYS_ADMIN ({why}):"
                " /proc/net/tcp is read, without opened, backlog and round trips"
            ),
            mend="run loadrig as root",
        )

    def netlink_refused(self, why: str) -> ErrorWords:
        return ErrorWords(
            what=(
                f"the kernel does not tell of its sockets by netlink (sock_diag) ({why}): /proc/net/tcp is"
                " read, without opened, backlog and round trips"
            ),
            mend=_NETLINK,
        )


class ProbesThreadStatesErrors:
    """Errors of `probes.thread_states`. gap: its name, one of `gaps`."""

    system_calls = "the system calls"
    as_root = "run loadrig as root"
    gaps: ClassVar[Mapping[str, str]] = {
        "calls": "the system calls of process {0} may not be read: what its threads wait for is told by the "
        "place in the kernel (wchan), without peers",
        "places": "what the threads of process {0} wait for may not be read: they count as unseen",
        "foreign": "process {0} is a 32 bit program: what its threads wait for is told by the place in the "
        "kernel (wchan), without peers",
        "sockets": "the kernel does not tell of the sockets of process {0} by netlink (sock_diag): their "
        "peers are told as `socket`",
        "delay": "the kernel does not count the time in the run queue (CONFIG_SCHED_INFO): run times are "
        "those of its ticks, and waits for a core those that looks have seen",
    }

    def with_reason(self, gap: str, reason: str) -> str:
        return f"{gap} ({reason})"

    def threads_left_out(self, count: str) -> str:
        return f"{count} threads beyond the first 20,000 are not read"
