"""Metrics of memcached from `stats`, and the connection over which it is asked.

Its protocol of text is one line to ask and lines of `STAT NAME VALUE` to read. The client library that most
use (pymemcache) has had no release since 2022, and none other speaks the text without keys.
"""

from collections.abc import Mapping

from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_databases import ProbesMemcachedErrors
from loadrig.language.en.errors.probes_line import ProbesLineErrors
from loadrig.probes._counting import SubjectValues, counter, gauge
from loadrig.probes._databases.peaks import peak_metrics
from loadrig.probes._line import BrokenConnection, Door, RefusedAccess, answering, connected
from loadrig.probes._session import Lost

ERRORS = texts_of(ProbesMemcachedErrors)
LINE_ERRORS = texts_of(ProbesLineErrors)

FIGURES = (
    gauge("bytes", "items_bytes", "B", "Bytes of all items."),
    gauge("limit_maxbytes", "memory_limit_bytes", "B", "What it may use for items; beyond that it evicts."),
    gauge("curr_items", "items", "1", "Items."),
    gauge("threads", "threads", "1", "Its threads that serve clients."),
    gauge("accepting_conns", "accepting", "1", "1 while it accepts connections; 0 at max_connections."),
    gauge("hash_is_expanding", "growing", "1", "1 while its table of keys is made larger."),
    counter("get_hits", "hits", "1", "Keys asked for that were there."),
    counter("get_misses", "misses", "1", "Keys asked for that were not."),
    counter("get_expired", "misses_expired", "1", "Of the misses, those whose item was too old."),
    counter("cmd_get", "gets", "1", "Keys asked for."),
    counter("cmd_set", "sets", "1", "Items stored."),
    counter("cmd_touch", "touches", "1", "Times of items put off."),
    counter("cmd_flush", "flushes", "1", "Commands that made all items old."),
    counter("delete_hits", "deletes", "1", "Items removed by a client."),
    counter("cas_badval", "lost_races", "1", "Changes refused: somebody else had changed the item."),
    counter("evictions", "evictions", "1", "Items thrown out to make room, before their time."),
    counter("evicted_unfetched", "evictions_unfetched", "1", "Of these, items that nobody had asked for."),
    counter("evicted_active", "evictions_active", "1", "Of these, items that had been asked for lately."),
    counter("expired_unfetched", "expired_unfetched", "1", "Items too old that nobody had asked for."),
    counter("reclaimed", "reclaimed", "1", "Items stored in the room of one that was too old."),
    counter("store_no_memory", "refused_full", "1", "Items refused: no room could be made."),
    counter("store_too_large", "refused_large", "1", "Items refused: larger than the largest allowed."),
    counter("total_connections", "connections", "1", "Connections accepted."),
    counter("rejected_connections", "rejected_connections", "1", "Connections turned away."),
    counter("listen_disabled_num", "listen_disabled", "1", "Times that max_connections was reached."),
    counter(
        "time_in_listen_disabled_us", "listen_disabled_s", "s", "Time in which none was accepted.",
        factor=1e-6,
    ),
    counter("conn_yields", "conn_yields", "1", "Times that a client's many requests waited for others."),
    counter("auth_errors", "login_failures", "1", "Logins refused."),
    counter("bytes_read", "received_bytes", "B", "Bytes that clients sent."),
    counter("bytes_written", "sent_bytes", "B", "Bytes sent to clients."),
    counter("rusage_user", "cpu_user_s", "s", "CPU time in user code."),
    counter("rusage_system", "cpu_system_s", "s", "CPU time in the kernel."),
)  # fmt: skip

RATES = {
    "get_hits": "hits_peak_per_s", "get_misses": "misses_peak_per_s", "cmd_set": "sets_peak_per_s",
    "evictions": "evictions_peak_per_s", "total_connections": "connections_peak_per_s",
}  # fmt: skip
"""Counts that may come in bursts, by memcached's name, with the metric of their highest rate."""

PEAKS = peak_metrics(RATES)

MOST_BYTES = 65536
"""Bytes of the longest answer that is read: memcached 1.6 sends 3 kB."""


def parse(text: str) -> dict[str, str]:
    """Return names and values of the lines `STAT NAME VALUE`; other lines are left out."""
    fields = (line.split(" ", 2) for line in text.splitlines())
    return {words[1]: words[2] for words in fields if len(words) == 3 and words[0] == "STAT"}


def levels(values: Mapping[str, float]) -> SubjectValues:
    """Return the figures that have to be worked out, without the rig's own connection."""
    figures: SubjectValues = {}
    if "curr_connections" in values:
        figures["connections_open", ""] = max(0.0, values["curr_connections"] - 1)
        if most := values.get("max_connections"):
            figures["connections_share", ""] = figures["connections_open", ""] / most
    if (limit := values.get("limit_maxbytes")) and "bytes" in values:
        figures["memory_share", ""] = values["bytes"] / limit
    return figures


class MemcachedWire:
    """A connection to a memcached. Raises Lost where it is no memcached, and the errors of _line."""

    def __init__(self, door: Door) -> None:
        self.name = door.name
        self._socket = connected(door)

    def stats(self) -> dict[str, str]:
        """Return the answer to `stats`: names and values."""
        with answering(self.name):
            self._socket.sendall(b"stats\r\n")
            text = self._answer()
        if text.startswith("CLIENT_ERROR unauthenticated"):
            raise RefusedAccess.of(ERRORS.login_wanted(self.name), code="probe.refused")
        stats = parse(text)
        if "curr_connections" not in stats:
            raise Lost.of(ERRORS.other_protocol(self.name), code="probe.not-that")
        return stats

    def _answer(self) -> str:
        received = bytearray()
        while len(received) < MOST_BYTES:
            chunk = self._socket.recv(16384)
            if not chunk:
                # A server that wants the binary protocol closes at the first byte of text.
                wording = LINE_ERRORS.connection_closed(self.name)
                raise BrokenConnection.of(wording, code="probe.no-answer")
            received += chunk
            if received.endswith((b"END\r\n", b"ERROR\r\n")) or not received.startswith(
                b"STAT "[: len(received)]
            ):
                break
        return received.decode("utf-8", "replace")

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()
