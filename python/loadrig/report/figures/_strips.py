"""Which metrics are shown of a tier, in which order: what a reader looks for first, then what explains it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pick:
    """Series that one strip shows. metric, subject: patterns as of a shell ("redis.*", "out:*").

    label: of the line, "*" stands for the subject; empty for the subject itself. most: of them at most.
    """

    metric: str
    subject: str = "*"
    label: str = ""
    most: int = 5


@dataclass(frozen=True, slots=True)
class Strip:
    """One panel of a tier. is_always: shown also where it stood at zero, as that says something too."""

    title: str
    picks: tuple[Pick, ...]
    about: str = ""
    is_always: bool = False


STRIPS: tuple[Strip, ...] = (
    Strip(
        "CPU",
        (
            Pick("process.cpu_s", "tree", "cores used"),
            Pick("cgroup.quota_cores", label="quota of *", most=1),
            Pick("process.run_delay_s", "tree", "waiting for a core"),
        ),
        "cores used by the whole tree, dead workers included",
        is_always=True,
    ),
    Strip("Cores", (Pick("system_cpu.busy"),), "time not idle, per core", is_always=True),
    Strip("Throttled", (Pick("cgroup.throttled_s", label="standing still, *", most=2),)),
    Strip("GIL", (Pick("python.gil_share", label="held, *"),)),
    Strip(
        "Memory",
        (
            Pick("process.pss_bytes", "tree", "whole tree"),
            Pick("cgroup.memory_limit_bytes", label="limit of *", most=1),
            Pick("memory.available_bytes", label="available"),
        ),
        "shared pages divided among those that share them",
    ),
    Strip("TIME_WAIT by direction", (Pick("tcp_sockets.time_wait", "*:*"),)),
    Strip("Connections opened by direction", (Pick("tcp_sockets.opened", "*:*"),)),
    Strip("Waiting to be accepted", (Pick("tcp_sockets.accept_queue"),)),
    Strip("Stalled", (
        Pick("system_cpu.stalled_s", label="for a core"),
        Pick("memory.stalled_some_s", label="for memory"),
        Pick("disks.stalled_some_s", label="for a disk"),
    ), "share of time in which a task waited (PSI some)"),
    Strip("Taken by the hypervisor", (Pick("system_cpu.steal_s"),)),
    Strip("Disk time", (Pick("disks.busy_s"),)),
    Strip("Threads", (Pick("process.threads", "tree", "threads"),)),
    Strip("Processes", (Pick("process.processes", "tree", "processes"),)),
)  # fmt: skip
