"""Watches a server with every default probe for some seconds, then prints what that cost as JSON.

python bench/scripts/watcher.py PID PORT SECONDS

It says "ready" first; what it took to begin (imports) is not counted, what finding and attaching took is.
"""

import json
import resource
import sys
import time

from loadrig.base import members, processes
from loadrig.base.component import of_target
from loadrig.base.running import Address, RunningTarget
from loadrig.base.series import Event, Sample
from loadrig.discovery import ComponentFinder
from loadrig.plan.model import ChosenMember
from loadrig.probes import Observer


class Nowhere:
    """Takes samples and events, and keeps none."""

    def samples(self, samples: list[Sample], component: str) -> None:
        """Drop them."""

    def event(self, event: Event) -> None:
        """Drop it."""


def used_s() -> float:
    """CPU seconds of this program and of those that it has started and waited for."""
    usages = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def main(pid: int, port: int, seconds: float) -> None:
    """Watch, and print."""
    server = of_target(RunningTarget(Address("127.0.0.1", port), pid=pid), processes.start_of(pid))
    chosen = [ChosenMember(name, None, is_asked=False) for name in members.names("loadrig.probes")]
    for member in chosen:
        members.load("loadrig.probes", member.member)
    observer = Observer(chosen, [server], 1.0, Nowhere(), finder=ComponentFinder(server))
    print("ready", flush=True)
    before_s, began = used_s(), time.monotonic()
    with observer:
        time.sleep(seconds)
    cost = {"cpu_s": used_s() - before_s, "seconds": time.monotonic() - began, **observer.cost()}
    cost["observer_cpu_s"], cost["cpu_s"] = observer.cost()["cpu_s"], used_s() - before_s
    print(
        json.dumps({name: cost[name] for name in ("cpu_s", "observer_cpu_s", "seconds", "ticks", "probes")})
    )


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))
