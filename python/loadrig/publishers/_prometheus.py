"""Messages that Prometheus understands, made at run time from the schema beside this room."""

from functools import cache
from importlib.resources import as_file, files
from typing import Any

from loadrig.publishers._exponential import ExponentialHistogram


@cache
def _pool() -> Any:
    """Return the messages; made once a process, in some milliseconds."""
    from google.protobuf import descriptor_pb2, descriptor_pool

    from loadrig._native import compile_protos

    with as_file(files("loadrig.publishers") / "protos") as folder:
        compiled = compile_protos([str(folder / "prometheus.proto")], [str(folder)])
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(compiled).file:
        pool.Add(file)
    return pool


@cache
def message(name: str) -> Any:
    """Return the class of a message."""
    from google.protobuf import message_factory

    return message_factory.GetMessageClass(_pool().FindMessageTypeByName(f"loadrig.prometheus.{name}"))


def lay_out(histogram: ExponentialHistogram, spans: Any, deltas: Any) -> None:
    """Write the buckets as spans, and as how much each count is above the one before it."""
    before = 0
    for number, (gap, counts) in enumerate(histogram.spans()):
        # Prometheus numbers a bucket by its upper edge, we by its lower one.
        spans.add(offset=gap if number else histogram.first + 1, length=len(counts))
        for count in counts:
            deltas.append(count - before)
            before = count
