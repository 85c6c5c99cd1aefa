"""Observation while load runs: of hosts, processes, groups, sockets, runtimes, databases.

A member is a file: Options, METRICS, EFFECTS (what it does to a server beside reading, see base.effects),
fits(component), attach(options, component, place) -> Session, EVENTS where it tells of some, and
prepare(options, folder) where a server that the rig starts needs something in its environment for it.
ONLY, a literal on one line, names facts of the components that it fits, where it fits no others: it is read
from the file, so that the module of a probe that cannot fit is not imported while the load runs.
Where ONLY says all of it, fits is `members.only(ONLY)`. A session that reads whenever it is asked is a
`_watch.Watch`; one that has to wait for an answer reads in an `_aside.Aside`.
What a probe reads it parses by pure functions, so that a recorded case can test it. What it costs stands in
its docstring; what it cost in a trial is measured by the Observer.
"""

from loadrig.probes._observer import Observer
from loadrig.probes._session import Lost, Place, Session, Unavailable

__all__ = ["Lost", "Observer", "Place", "Session", "Unavailable"]
