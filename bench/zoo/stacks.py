"""Every stack by its name, and how it is started within its limits.

What a stack's `dials` have is healthy. A dial is a number of an application, of a service behind it or of the
limits that hold it; which of them a case has turned stands in no file that a diagnosis reads.
"""

import contextlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack

from bench.diagnosis.services import group
from bench.programs import need
from bench.zoo import parts, stacks_other, stacks_python
from bench.zoo.parts import Dials, Site
from bench.zoo.stack import ZooStack

STACKS: Mapping[str, ZooStack] = {**stacks_python.STACKS, **stacks_other.STACKS}


@contextlib.contextmanager
def started(name: str, turned: Dials, site: Site) -> Iterator[None]:
    """Start a stack, with the dials that differ from healthy ones. Raises KeyError for an unknown dial."""
    stack = STACKS[name]
    if unknown := set(turned) - set(stack.dials):
        raise KeyError(f"{name} has no {', '.join(sorted(unknown))}")
    dials = {**stack.dials, **turned}
    with ExitStack() as limits:
        words = limits.enter_context(group(dials["quota"], dials["memory_mb"]))
        for limit in (parts.tasks(dials["tasks"]), parts.disk(dials["writes"])):
            words = [*words, *parts.within(limits.enter_context(limit))]
        if dials["nofile"] is not None:
            words = [*words, need("prlimit", "util-linux"), f"--nofile={dials['nofile']}", "--"]
        site.prefix = words
        limits.enter_context(stack.start(site, dials))
        limits.enter_context(parts.batch(site, dials["batch"]))
        yield
