"""Targets: servers started with a setting, known to be ready, and stopped with nothing left behind.

A member is a file: it has Options, KNOBS (or knobs(options)), where(options) -> Address and
start(options, setting, folder, base, cpus, environment) -> Running; environment: what probes need in
the server's environment, where its own options say nothing else. STARTS = False marks one that
watches a server that runs already.
"""

from loadrig.target._running import Running, StopReport

__all__ = ["Running", "StopReport"]
