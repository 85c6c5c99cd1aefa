"""Pictures as plain data. A file is a figure; each has `draw(...) -> Figure`, a pure function.

The kinds of pictures, each with a renderer of the same name in assets/:

    account      stacked bars of a request's time, a component each
    loads        parts of a request's time stacked over the load
    cpu          stacked bars of CPU time by class of work, a component each
    time         lines over the trial's time axis (view.axis), zoomed and hovered together
    heat         counts by time and latency on the same axis
    intervals    points with intervals on one scale, a row each
    percentiles  latency over the share of requests, in nines
    flame        functions as wide as their share of the time, each under its caller
    slots        outcomes of stretches of a trial over the bands in which something was changed
    curve        latency against load, a mark a level, with goal and capacity
    strips       courses of hours over a time axis of their own, with bands, stretches and limits
    moved        change of each quantile with its interval, a panel a route
    history      a measure run by run, with its levels and changes
    slopes       pairs before and after joined by lines
    pairs        a cell for each pair of two knobs' values, coloured by what is believed of it
    parallel     one axis a knob, a line a setting
    scatter      a mark a setting or a trial on two axes, with a front or with stages
"""
