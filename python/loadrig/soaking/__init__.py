"""Answers that only a long run gives: what grows, where that ends, what drifts, which goals lapse.

A room above `findings`, which judges what grows (`leaks`, `slopes`) and what dips, and below `trial`, which
may ask it whether a soak is sure enough to end; nothing in here knows a plan, a process or a clock.

    keeping     readings of hours in constant memory, while they come
    forecast    when growth reaches its limit, or that it does not within a time
    mix         change of what was asked for, which must be known before routes are compared
    drift       steps and slopes of latency and throughput by route
    dips        dips of throughput: which are worth reporting, what comes with them
    windows     goals that hold for every stretch of a length
    stop        whether the answer is sure enough to end before the time is up
    spike       what a sudden load leaves behind, and how long until it is gone
    verdict     all of it as one answer: records, sentences
    result      the answer of a recording as its document, with the courses that its charts show
    spike_result  the answer of a recording of a spike as its document
    document    what both are as JSON (loadrig.soak/1, loadrig.spike/1)
"""
