"""Metrics of redis from INFO, with the commands told apart."""

from collections.abc import Mapping

from loadrig.base.series import Metric
from loadrig.probes._counting import SubjectValues, counter, gauge, numbers
from loadrig.probes._databases.looks import DatabaseLook, with_deviations
from loadrig.probes._databases.peaks import peak_metrics

FIGURES = (
    gauge("blocked_clients", "blocked_clients", "1", "Clients in BLPOP and such.", "redis.clients.blocked"),
    gauge(
        "client_recent_max_output_buffer", "largest_output_buffer_bytes", "B",
        "Largest of the answers that wait for a client to read, of the last seconds.",
    ),
    gauge(
        "client_recent_max_input_buffer", "largest_input_buffer_bytes", "B",
        "Largest of the commands that wait to be whole, of the last seconds.",
    ),
    gauge("mem_clients_normal", "clients_memory_bytes", "B", "Memory of all clients' buffers."),
    gauge("instantaneous_ops_per_sec", "commands_per_s", "1/s", "Commands per second, a mean of 1.6 s."),
    gauge("used_memory", "memory_bytes", "B", "Memory allocated.", "redis.memory.used"),
    gauge("used_memory_peak", "memory_peak_bytes", "B", "Most memory allocated so far.", "redis.memory.peak"),
    gauge("used_memory_rss", "memory_resident_bytes", "B", "Memory the process holds.", "redis.memory.rss"),
    gauge("maxmemory", "memory_limit_bytes", "B", "What it may allocate; 0 is no limit.", "redis.maxmemory"),
    gauge(
        "mem_fragmentation_ratio", "fragmentation", "1", "Memory held over memory allocated.",
        "redis.memory.fragmentation_ratio",
    ),
    gauge("rdb_bgsave_in_progress", "snapshots_running", "1", "1 while a snapshot is written."),
    gauge("aof_rewrite_in_progress", "rewrites_running", "1", "1 while the append-only file is rewritten."),
    gauge("loading", "loading", "1", "1 while it loads its data."),
    gauge("latest_fork_usec", "fork_s", "s", "How long the last fork stopped all commands.", factor=1e-6),
    gauge("connected_slaves", "replicas", "1", "Replicas connected to it.", "redis.slaves.connected"),
    gauge(
        "master_last_io_seconds_ago", "replication_silence_s", "s",
        "Of a replica: time since it last heard of its primary.",
    ),
    counter("total_commands_processed", "commands", "1", "Commands served.", "redis.commands.processed"),
    counter(
        "total_connections_received", "connections", "1", "Connections accepted.",
        "redis.connections.received",
    ),
    counter(
        "rejected_connections", "rejected_connections", "1", "Connections turned away: maxclients reached.",
        "redis.connections.rejected",
    ),
    counter("total_net_input_bytes", "received_bytes", "B", "Bytes that clients sent.", "redis.net.input"),
    counter("total_net_output_bytes", "sent_bytes", "B", "Bytes sent to clients.", "redis.net.output"),
    counter("keyspace_hits", "hits", "1", "Look-ups of a key that was there.", "redis.keyspace.hits"),
    counter("keyspace_misses", "misses", "1", "Look-ups of a key that was not.", "redis.keyspace.misses"),
    counter("expired_keys", "expired_keys", "1", "Keys whose time was over.", "redis.keys.expired"),
    counter("evicted_keys", "evicted_keys", "1", "Keys removed: memory was full.", "redis.keys.evicted"),
    counter("evicted_clients", "evicted_clients", "1", "Clients cut off: their buffers were too large."),
    counter(
        "client_output_buffer_limit_disconnections", "slow_readers_cut_off", "1",
        "Clients cut off: they did not read their answers (from 7.2).",
    ),
    counter(
        "total_eviction_exceeded_time", "memory_exceeded_s", "s",
        "Time in which more memory was used than allowed.", factor=1e-3,
    ),
    counter("total_error_replies", "errors", "1", "Commands answered with an error."),
    counter("used_cpu_user", "cpu_user_s", "s", "CPU time in user code, all its threads."),
    counter("used_cpu_sys", "cpu_system_s", "s", "CPU time in the kernel, all its threads."),
    counter("used_cpu_user_children", "cpu_children_user_s", "s", "CPU time of snapshots in user code."),
    counter("used_cpu_sys_children", "cpu_children_system_s", "s", "CPU time of snapshots in the kernel."),
    counter("total_forks", "forks", "1", "Forks for snapshots and rewrites."),
)  # fmt: skip

RATES = {
    "keyspace_hits": "hits_peak_per_s", "keyspace_misses": "misses_peak_per_s",
    "evicted_keys": "evicted_keys_peak_per_s", "expired_keys": "expired_keys_peak_per_s",
    "total_connections_received": "connections_peak_per_s",
}  # fmt: skip
"""Counts that may come in bursts, by redis's name, with the metric of their highest rate."""

PEAKS = peak_metrics(RATES)

LOOKED_AT: Mapping[str, Metric] = with_deviations(
    {
        "mean_clients": Metric("1", "gauge", "Connections of clients, ours left out. Mean number."),
        "mean_blocked_clients": Metric("1", "gauge", "Clients in BLPOP and such. Mean number."),
    }
)

OURS = frozenset(("info", "slowlog|get", "slowlog", "latency|latest", "latency", "command|info", "auth"))
"""Commands that this probe sends; a redis before version 7 does not tell subcommands apart."""


def parse_info(text: str) -> dict[str, str]:
    """Return the lines `field:value` of INFO; headings and blank lines are left out."""
    pairs = (line.partition(":") for line in text.splitlines() if line and line[0] != "#")
    return {name: value for name, colon, value in pairs if colon}


def parse_fields(text: str) -> dict[str, float]:
    """Return the numbers of a value such as "keys=3,expires=0,avg_ttl=0"; all else is left out."""
    return numbers(pair.partition("=")[::2] for pair in text.split(","))


def number(text: str | None) -> float | None:
    """Return the number in a text, or None."""
    try:
        return float(text or "")
    except ValueError:
        return None


def levels(info: Mapping[str, str]) -> SubjectValues:
    """Return the figures that have to be worked out from INFO, by metric and subject."""
    figures: SubjectValues = {}
    clients, most = number(info.get("connected_clients")), number(info.get("maxclients"))
    if clients is not None:
        figures["clients", ""] = max(0.0, clients - 1)
        if most:
            figures["clients_share", ""] = figures["clients", ""] / most
    if "role" in info:
        figures["is_primary", ""] = float(info["role"] == "master")
    offset = number(info.get("master_repl_offset"))
    behind = []
    for field, text in info.items():
        if field[:2] == "db" and field[2:].isdigit():
            figures["keys", field] = parse_fields(text).get("keys", 0.0)
        elif field[:5] == "slave" and field[5:].isdigit() and offset is not None:
            behind.append(offset - parse_fields(text).get("offset", offset))
    if behind:
        figures["replication_lag_bytes", ""] = max(0.0, *behind)
    return figures


def look_of(values: Mapping[str, float]) -> DatabaseLook:
    """Return how many clients there are at an instant, from the numbers of INFO clients."""
    counts: SubjectValues = {}
    if "connected_clients" in values:
        counts["mean_clients", ""] = max(0.0, values["connected_clients"] - 1)
    if "blocked_clients" in values:
        counts["mean_blocked_clients", ""] = values["blocked_clients"]
    return DatabaseLook(counts)


def costs(info: Mapping[str, str]) -> dict[str, dict[str, float]]:
    """Return the cost of each command since redis began, from INFO commandstats; the rig's are left out."""
    costs_of = {}
    for field, text in info.items():
        name = field.removeprefix("cmdstat_")
        if name != field and name not in OURS:
            fields = parse_fields(text)
            costs_of[f"command:{name}"] = {
                "command_calls": fields.get("calls", 0.0),
                "command_s": fields.get("usec", 0.0) / 1e6,
                "command_failures": fields.get("failed_calls", 0.0) + fields.get("rejected_calls", 0.0),
            }
    return costs_of
