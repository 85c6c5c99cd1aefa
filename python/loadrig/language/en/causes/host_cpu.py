"""Sentences of `host_cpu` in English, and the sections of its page.

## Signature

The cores that a program may use are busy nearly all of the time, by that program more than by anybody
else; its threads wait for a core, and no control group holds them back.

## Data

CPU time of the program and of each core, time that threads waited for a core (schedstat), pressure (PSI).

## Deciding test

`--prove` takes a part of the cores from all that run on them, while load runs, or of the program's own CPU
where it has them to itself: throughput follows in proportion.

## Guard

The generator or a neighbour may be who uses the cores; so the program's own use is what counts, not the
machine's. A program in one thread at a time (an event loop, the interpreter lock of CPython) fills one core
and no more: that is another cause.

## Fix

More cores or another machine beside it; before that, the function that takes most of the time.
"""


class HostCpuTexts:
    """Sentences about a program that uses up the CPU of its machine."""

    title = "the CPU is used up"

    def most_time_in(self, function: str) -> str:
        return f"most of its CPU time went to {function}"

    def waited_for_core(self, seconds: str) -> str:
        return f"its threads waited for a core {seconds} s every second"

    def mend(self, function: str) -> str:
        return f"make {function} cheaper, or add cores or another instance"

    mend_unnamed_node = (
        "more cores or another instance; before that, the function that takes most of the time, "
        "which the next run names with --permit node-inspector"
    )
