"""Two runs against each other, and the runs of one plan over time.

    read        a folder becomes a side: its trials, with what each measured
    side        what a side is
    refuse      what cannot be compared, and why
    differences what was not the same: plan, machine, versions, knobs, load
    pairing     which trials of both ran side by side
    noise       how far runs of the same differ, where that is known from elsewhere
    effects     one measure of both: how much larger, and how sure that is
    mix         shares of the routes, and both sides at the same shares
    shifts      how each quantile moved
    judged      all of it together: a verdict for each measure and route, as a document
    history     the runs of one plan in the order of time, and where their level changed
    document    comparison and history as JSON, for the report and for other programs

Nothing is measured here: everything is a function of folders. How it is told stands in the report.
"""
