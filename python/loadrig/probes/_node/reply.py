"""Reply of the script `watch.js` in a Node process, as types."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec


class NodeMemory(msgspec.Struct, frozen=True, rename="camel"):
    """Memory of a process in bytes, as process.memoryUsage() tells it."""

    heap_used: float
    heap_total: float
    external: float
    array_buffers: float
    rss: float


class NodePause(NamedTuple):
    """Pause by the collector. start_ms: on the clock of `now_ms`; kind, flags: perf_hooks.constants."""

    start_ms: float
    duration_ms: float
    kind: int
    flags: int


class NodeReply(msgspec.Struct, frozen=True):
    """Reply of a process. resources: numbers of what keeps its event loop alive, by kind.

    limit: of the heap, in bytes. collections, paused_ms, paused_by_major_ms: since the script began.
    delay_ms: delay of a timer by quantile, None before it has fired. now_ns, now_ms: one instant, on the
    monotonic clock and on that of the pauses.
    """

    utilization: float
    memory: NodeMemory
    limit: float
    collections: int
    paused_ms: float
    paused_by_major_ms: float
    resources: Mapping[str, int]
    delay_ms: Mapping[str, float] | None
    pauses: tuple[NodePause, ...]
    now_ns: str
    now_ms: float


def reply_of(answer: Any) -> NodeReply:
    """Return a process's reply. Raises msgspec.ValidationError for what the script does not say."""
    return msgspec.convert(answer, NodeReply)
