"""A lab that is up: work copy built, services started, and what its plans' placeholders mean.

Left in whatever way, everything is undone; after a SIGKILL by the kernel and `loadrig doctor --clean`.
"""

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from loadrig.base import user_files
from loadrig.labs import needs, quota, services
from loadrig.labs.fill import Meaning, fill, uses
from loadrig.labs.format import Lab, Service
from loadrig.labs.work import data_folder, sweep, work_copy
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.labs import LabsSessionErrors
from loadrig.target._running import Running

ERRORS = texts_of(LabsSessionErrors)

Say = Callable[[str], None]


class LabSession:
    """Lab as one of its plans wants it. Entering it checks its needs, builds it and starts its services.

    lab: as Lab.for_plan gives it. say: called with sentences about what takes a while.
    Entering raises TargetError: lab.needs, lab.port-in-use, lab.build-failed, lab.quota, or the error of a
    service that does not come up.
    """

    def __init__(self, lab: Lab, say: Say) -> None:
        self.lab = lab
        self.running: dict[str, Running] = {}
        self._say = say
        self._stack = ExitStack()
        self._data = Path()
        self._work = Path()
        self._cores = sorted(os.sched_getaffinity(0))
        self._capacity: float | None = None

    @property
    def work(self) -> Path:
        """Work copy of the lab: plans are read as if they lay there."""
        return self._work

    def __enter__(self) -> Self:
        needs.require(self.lab)
        services.raise_if_taken(self.lab)
        sweep()
        self._work = work_copy(self.lab, self._fill_build, needs.search_path(), self._say)
        with ExitStack() as stack:
            self._data = stack.enter_context(data_folder())
            for name in self.lab.services:
                self._start(name, stack)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def _start(self, name: str, stack: ExitStack) -> None:
        service = self.lab.services[name]
        self._say(f"starting {name}")
        prefix = stack.enter_context(quota.make(service.cpu)).prefix if service.cpu else []
        run = fill(service.run, self._meanings(self._work, stack), "lab.yaml")
        self.running[name] = stack.enter_context(
            services.start(name, service, self._data, self._work, prefix, self._cores, run)
        )

    def plan_text(self, plan: str, capacity: float | None = None) -> str:
        """Return the text of a plan, its placeholders filled. capacity: requests a second, None if not known.

        Raise PlanError lab.placeholder; TargetError lab.quota.
        """
        self._capacity = capacity
        text = user_files.read_text(self.lab.plan_file(plan))
        return fill(text, self._meanings(self._work, self._stack), str(self.lab.plan_file(plan)))

    def server_folder(self) -> Path:
        """Return a folder for the output of a server started without a run; removed with the session."""
        folder = self._data / "server"
        folder.mkdir(exist_ok=True)
        return folder

    def wants_capacity(self, plan: str) -> bool:
        """Return whether a plan has a rate that is a share of its capacity."""
        return uses(user_files.read_text(self.lab.plan_file(plan)), "rate")

    def _fill_build(self, text: str, folder: Path) -> str:
        return fill(text, self._meanings(folder, self._stack), "lab.yaml")

    def _meanings(self, work: Path, stack: ExitStack) -> Mapping[str, Meaning]:
        return {
            "python": lambda _: needs.interpreter(self.lab.needs.python) or "python3",
            "work": lambda _: str(work),
            "core": self._core,
            "port": lambda name: str(self._service(name).port),
            "socket": lambda name: services.socket_of(name, self._service(name), self._data),
            "hold": lambda cores: stack.enter_context(quota.make(float(cores))).text,
            "rate": self._rate,
        }

    def _core(self, text: str) -> str:
        number = int(text)
        if number >= len(self._cores):
            raise KeyError(ERRORS.few_cores(len(self._cores)))
        return str(self._cores[number])

    def _service(self, name: str) -> Service:
        if name not in self.lab.services:
            raise KeyError(ERRORS.no_service(repr(name)))
        return self.lab.services[name]

    def _rate(self, text: str) -> str:
        share = float(text)
        if self._capacity is None:
            raise KeyError(ERRORS.no_capacity)
        # Three significant digits: a capacity is not known better than that.
        return f"{float(f'{share * self._capacity:.3g}'):g}"
