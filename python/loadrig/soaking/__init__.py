"""Rule and readings of a soak while it runs, and the documents that recordings of soaks and spikes become.

A room above `judgement`, whose `soak` judges what grows, drifts, dips and lapses, and below `trial`, which
may ask it whether a soak is sure enough to end; nothing in here knows a plan, a process or a clock.

    keeping       readings of hours in constant memory, while they come
    stop          whether the answer is sure enough to end before the time is up
    read          counts of a recording's histograms, in one pass
    result        the document of a soak, with the courses that its charts show
    spike_result  the document of a spike, with the run in steps
"""
