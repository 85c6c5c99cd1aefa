"""Sentences of `gc_pressure` in English."""


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
