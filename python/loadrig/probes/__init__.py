"""What is observed while load runs: the server's processes, its host, its sockets, its cgroup.

A member is a file: Options, METRICS, attach(options, target) -> Session, and Watch, the session
itself. It reads text and parses it by pure functions, so that a recorded case can test it. What it
costs stands in its docstring; what it cost in a trial is measured by the Observer.
"""

from loadrig.probes._observer import Observer
from loadrig.probes._session import Session, Unavailable

__all__ = ["Observer", "Session", "Unavailable"]
