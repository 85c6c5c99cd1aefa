"""Pictures as plain data. A file is a figure; each has `draw(...) -> Figure`, a pure function.

The kinds of pictures, each with a renderer of the same name in assets/:

    time         lines over the trial's time axis (view.axis), zoomed and hovered together
    heat         counts by time and latency on the same axis
    intervals    points with intervals on one scale, a row each
    percentiles  latency over the share of requests, in nines
    flame        functions as wide as their share of the time, each under its caller
    slots        outcomes of stretches of a trial over the bands in which something was changed
    slopes       pairs before and after joined by lines
"""
