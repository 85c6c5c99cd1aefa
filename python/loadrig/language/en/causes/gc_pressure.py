"""Sentences of `gc_pressure` in English, and the sections of its page.

## Signature

Collections take a good part of the time or of the CPU, or their pauses are the slow requests, or they stand
in the dips and are as long as the dips are deep.

## Data

Each pause with its length (GC log of a JVM, Go's and Node's own account, CPython where the server was started
with `inside: true`), work beside the threads (of Node the CPU time of all but its first), heap after
collections against its greatest size.

## Deciding test

`--prove` gives it more heap, or sets the collector's own knob (GOGC), in turns: the share and the pauses
fall, and what is wrong falls with them as predicted. Where collections only stood in the dips, spreading the
logins takes the dips away and leaves the collections.

## Guard

Collections are always to be seen, and often periodic. What counts is their time: a server that stands still
0.005 % of the time loses no more than that, whatever the charts look like.

## Fix

More heap where it is nearly full after collections; fewer allocations where they are frequent; another
collector (ZGC, generational) only where the pauses themselves are the slow requests.
"""


class GcPressureTexts:
    title = "garbage collection takes too much of the time"
    decides = "the same load with twice the heap: the share of garbage collection falls, and the harm with it"
    whether_they_collect = (
        "whether they collect garbage was not observed: its inspector tells (node --inspect)"
    )
    mend_go = "allocate less (pprof: allocs), or raise GOGC or GOMEMLIMIT: fewer collections for more memory"
    mend_node = (
        "allocate less, or a larger young generation (--max-semi-space-size) and heap (--max-old-space-size)"
    )
    mend_cpython = "fewer objects in cycles, gc.freeze() after the start, or a higher gc.set_threshold"
    more_heap_xmx = "more heap (-Xmx), as it is nearly full after collections; then look for what fills it"
    allocate_less_profile = (
        "allocate less (a profile of allocations shows where), or more heap (-Xmx) for fewer collections"
    )

    def threads_wanted_core(self, mean: str) -> str:
        return f"{mean} of its threads were runnable at a time, although its code runs in one"

    def threads_work_beside(self, mean: str) -> str:
        return f"{mean} threads run beside its own code, as a garbage collector's do"
