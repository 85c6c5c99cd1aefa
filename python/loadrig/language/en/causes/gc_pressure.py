class GcPressureTexts:
    """Sentences of `causes.gc_pressure`."""

    title = "garbage collection takes the time"
    decides = "the same load with twice the heap: the share of collections falls, and the harm with it"
    whether_they_collect = "whether they collect garbage was not seen: its inspector tells (node --inspect)"
    mend_go = "allocate less (pprof: allocs), or raise GOGC or GOMEMLIMIT: fewer collections for more memory"
    mend_node = (
        "allocate less, or a larger young generation (--max-semi-space-size) and heap (--max-old-space-size)"
    )
    mend_cpython = "fewer objects in cycles, gc.freeze() after the start, or a higher gc.set_threshold"
    more_heap_xmx = "more heap (-Xmx): it is nearly full after collections; then look for what holds it"
    allocate_less_profile = (
        "allocate less (a profile of allocations shows where), or more heap (-Xmx) for fewer collections"
    )

    def threads_wanted_core(self, mean: str) -> str:
        return f"{mean} of its threads wanted a core at a time, and its code runs in one"

    def threads_work_beside(self, mean: str) -> str:
        return f"{mean} threads work beside its own code, as its collector does"
