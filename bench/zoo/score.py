"""The tables of a judgement: a line for each case, shares that were right, what was taken for what."""

from collections.abc import Callable, Iterable, Sequence

from bench.diagnosis.answers import OF_NOBODY
from bench.figures import markdown
from bench.zoo.judge import BASELINES, ZooVerdict
from loadrig.stats.intervals import wilson_share

VOID = "void"


def text_of(verdicts: Sequence[ZooVerdict]) -> str:
    """Return a line for each case, then the tables."""
    parts = [
        "\n".join(map(line, verdicts)),
        score(verdicts),
        left_out(verdicts),
        pairs(verdicts),
        confusion(verdicts),
    ]
    return "\n\n".join(filter(None, parts))


def line(verdict: ZooVerdict) -> str:
    """Return a case in a line: right or not, its truth, and what was said first."""
    truth = verdict.case.causes[0] if verdict.is_sick else "healthy"
    first = verdict.findings[0] if verdict.findings else None
    accused = f"{first.cause} of {first.component} ({first.verdict})" if first else "nothing"
    mark = ("right" if verdict.is_right else "WRONG") if verdict.counts else "no truth"
    void = " void" if verdict.validity == VOID else ""
    rank = (
        f"rank {verdict.rank or '-'}{'' if verdict.is_part_right else ' elsewhere'}"
        if verdict.is_sick
        else ""
    )
    return (
        f"{mark:8} {verdict.case.name:36} {truth:28} {accused:58} {rank:16}{void} {'; '.join(verdict.harm)}"
    )


def score(verdicts: Sequence[ZooVerdict]) -> str:
    """Table of the shares that were right, for all and by stack: nothing is fitted to any of the stacks."""
    head = [
        "stack",
        "sick",
        "top-1",
        "top-3",
        "top-1 and part",
        "no answer",
        "healthy accused",
        "named wrongly",
    ]
    counted = [verdict for verdict in verdicts if verdict.counts]
    rows = [_row("all", counted)]
    rows += [
        _row(stack, [verdict for verdict in counted if verdict.case.stack == stack])
        for stack in sorted({verdict.case.stack for verdict in counted})
    ]
    return markdown(head, [*rows, *(_baseline(name, counted) for name in BASELINES)])


def _baseline(name: str, verdicts: Sequence[ZooVerdict]) -> list[str]:
    """Row of a simple way to name a cause, from the same recordings."""
    sick = [verdict for verdict in verdicts if verdict.is_sick]
    healthy = [verdict for verdict in verdicts if not verdict.is_sick]
    return [
        name, str(len(sick)), share(sick, lambda verdict: verdict.guesses.get(name) in verdict.case.causes),
        "–", "–", share(sick, lambda verdict: verdict.guesses.get(name) in OF_NOBODY),
        share(healthy, lambda verdict: verdict.guesses.get(name, "healthy") not in OF_NOBODY), "–",
    ]  # fmt: skip


def left_out(verdicts: Sequence[ZooVerdict]) -> str:
    """Return how much the share that is right depends on each stack: it is told without each in turn."""
    sick = [verdict for verdict in verdicts if verdict.is_sick]
    stacks = sorted({verdict.case.stack for verdict in sick})
    if len(stacks) < 2:
        return ""
    shares = {
        stack: sum(verdict.rank == 1 for verdict in rest) / len(rest)
        for stack in stacks
        if (rest := [verdict for verdict in sick if verdict.case.stack != stack])
    }
    low, high = min(shares, key=lambda stack: shares[stack]), max(shares, key=lambda stack: shares[stack])
    least, most = (f"{shares[stack]:.0%} (without {stack})" for stack in (low, high))
    return f"Top-1 with one stack left out: {least} – {most}."


def pairs(verdicts: Sequence[ZooVerdict]) -> str:
    """Return how two faults at once were told, by what their mends gain; empty where there are none."""
    sick = [verdict for verdict in verdicts if verdict.is_sick and verdict.case.pair]
    if not sick:
        return ""
    one_first, dearer_first, both = (
        share(sick, holds)
        for holds in (
            lambda verdict: verdict.rank == 1,
            lambda verdict: verdict.is_dearer_first,
            lambda verdict: verdict.has_both,
        )
    )
    return (
        f"Two faults at once: one of them first in {one_first}, the one whose mend gains more in"
        f" {dearer_first}, both among the first three in {both}."
    )


def _row(name: str, verdicts: Sequence[ZooVerdict]) -> list[str]:
    sick = [verdict for verdict in verdicts if verdict.is_sick]
    healthy = [verdict for verdict in verdicts if not verdict.is_sick]
    return [
        name, str(len(sick)), share(sick, lambda verdict: verdict.rank == 1),
        share(sick, lambda verdict: (verdict.rank or 9) <= 3),
        share(sick, lambda verdict: verdict.rank == 1 and verdict.is_part_right),
        share(sick, lambda verdict: verdict.is_silent),
        share(healthy, lambda verdict: bool(verdict.accused)),
        share(verdicts, lambda verdict: verdict.is_wrongly_named),
    ]  # fmt: skip


def share(verdicts: Sequence[ZooVerdict], holds: Callable[[ZooVerdict], bool]) -> str:
    """Return how many verdicts hold, with Wilson's interval of 95 %."""
    if not verdicts:
        return "–"
    hits = sum(map(holds, verdicts))
    span = wilson_share(hits, len(verdicts))
    return f"{hits}/{len(verdicts)} = {span.value:.0%} ({span.low:.0%} – {span.high:.0%})"


RESOURCES = {
    "CPU": ("host_cpu", "gil", "cpu_quota", "database_cpu", "noisy_neighbour", "cpu_frequency",
            "request_overhead", "quota_unaware_runtime", "too_many_workers", "missing_index",
            "pool_too_large", "warm_up"),
    "slots and locks": ("too_few_workers", "pool_too_small", "lock_contention", "row_lock", "worker_class",
                        "blocked_event_loop", "worker_timeouts", "restarts_in_step", "process_limit"),
    "memory": ("gc_pressure", "leak", "memory_pressure", "oom_kill", "descriptor_limit"),
    "network": ("connection_churn", "delayed_ack", "packet_loss", "network_bandwidth", "accept_backlog",
                "client_port_exhaustion", "dependency_port_exhaustion", "conntrack_full",
                "time_wait_overflow", "keep_alive_mismatch"),
    "disk": ("disk_io",),
    "what is asked": ("slow_dependency", "cache_bottleneck", "n_plus_one"),
    "nothing": ("healthy",),
    "the load": ("generator_limited", "workload_artefact"),
}  # fmt: skip
"""Causes by the resource that they are about."""


def resource(cause: str) -> str:
    """Return the resource that a cause is about."""
    return next(name for name, causes in RESOURCES.items() if cause in causes)


def confusion(verdicts: Iterable[ZooVerdict]) -> str:
    """Table of the resource that was said first (columns) by the true one (rows)."""
    counts: dict[tuple[str, str], int] = {}
    for verdict in verdicts:
        if verdict.counts:
            truth = resource(verdict.case.causes[0]) if verdict.is_sick else "nothing"
            first = resource(verdict.findings[0].cause) if verdict.findings else "no answer"
            counts[truth, first] = counts.get((truth, first), 0) + 1
    columns = [*RESOURCES, "no answer"]
    rows = [[truth, *(str(counts.get((truth, column), "")) for column in columns)] for truth in RESOURCES]
    return markdown(["truth \\ first", *columns], [row for row in rows if any(row[1:])])
