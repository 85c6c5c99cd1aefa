"""Sentences of `gc_pressure` in English."""


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

    def after_collections_greatest(self, heap: str) -> str:
        return f"after collections {heap} of the greatest heap was still in use"

    def collections_whole_heap(self, full: str) -> str:
        return f"{full} collections were of the whole heap"

    def pauses_long_slow(self, size: str, over_s: str, met: str) -> str:
        return f"{size} pauses were as long as the slow requests waited ({over_s}), and met {met} of them"

    def pauses_dips_work(self, stood_s: str, lost_s: str, bound: str) -> str:
        return f"{stood_s} of pauses in the dips, {lost_s} of work lost in them: {bound} at most"

    def gc_took_time(self, share: str) -> str:
        return f"GC took {share} of the time: it cannot make a dip of"

    def threads_wanted_core(self, mean: str) -> str:
        return f"{mean} of its threads wanted a core at a time, and its code runs in one"

    def threads_work_beside(self, mean: str) -> str:
        return f"{mean} threads work beside its own code, as its collector does"

    def stood_still_time(self, paused: str) -> str:
        return f"it stood still {paused} of the time for collections"

    def pauses_longest(self, size: str, max_text: str) -> str:
        return f" ({size} pauses, the longest {max_text})"

    def cpu_went_into(self, beside: str) -> str:
        return f", and {beside} of its CPU went into them beside its threads"
