"""Receivers to which a run is told while it goes on: a file is a format, and its name is what `--to` takes.

A member has TITLE (the format in a few words), PLACE (how a place is written), and

    check(place: str) -> None    before there is a run: raises ValueError for a place that is none
    begin(place: str, plan: str) -> a context manager with take(news: LiveNews)

begin raises ValueError as check does, OSError where the place cannot be had. `take` raises
OSError where the receiver is gone: that is said once, and the next second is tried again. All of it
runs in a
process of its own, at the lowest priority, which reads the run's folder: no receiver can hold up the load.
A member's docstring is its reference page: headings What is told, Who receives it, What is missing.
"""

from loadrig.publishers._news import LiveFigure, LiveNews, NewsReceiver
from loadrig.publishers._places import host_and_port

__all__ = ["LiveFigure", "LiveNews", "NewsReceiver", "host_and_port"]
