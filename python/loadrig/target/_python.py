"""Python servers: questions to an interpreter, and the mistakes that their logs report."""

import json
import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from loadrig.base.errors import Problem, TargetError
from loadrig.base.setting import Setting
from loadrig.base.shape import option
from loadrig.target import _knobs
from loadrig.target._knobs import FreeKnob
from loadrig.target._ready import Ready
from loadrig.target._running import joined
from loadrig.target._server import Mistake, Stop
from loadrig.target._within import Within

ASK_WITHIN_S = 20.0


@dataclass(frozen=True, slots=True)
class PythonServerOptions:
    """Options that all servers of Python applications have."""

    SHORT = "app"
    app: str = option("The application, module:variable or module:factory().", example='"shop:app"')
    chdir: str = option("Folder of the application; counts from the plan's folder.", default=".")
    python: str | None = option(
        "Interpreter, or folder of its environment; by default loadrig's own.", default=None
    )
    args: tuple[str, ...] = option("Further arguments of the server.", default=())
    env: Mapping[str, str] = option("Variables added to the rig's own environment.", factory=dict)
    app_knobs: Mapping[str, FreeKnob] = option(
        "Knobs of the application itself, and the variable that tells it each (`env`); limits, too.",
        factory=dict,
    )
    ready: Ready = option(
        "How it is known to be ready; by default / must answer, with any status.",
        factory=lambda: Ready(http="/"),
    )  # fmt: skip
    stop: Stop = option("How it is stopped.", factory=Stop)
    cpus: tuple[int, ...] = option("Cores to hold it on; by default apart from the generator's.", default=())


@dataclass(frozen=True, slots=True)
class SplitSetting:
    """Setting of a Python server, apart for the server and for the application.

    own: values of the server's knobs. env: variables that tell the application its values. within: limits.
    """

    own: Setting
    env: Mapping[str, str]
    within: Within


def split(setting: Setting, options: PythonServerOptions) -> SplitSetting:
    """Return a setting, apart for the server and for the application."""
    channels = _knobs.channels_of(options.app_knobs)
    of_app = {name: value for name, value in setting.items() if name in channels}
    return SplitSetting(
        {name: value for name, value in setting.items() if name not in channels},
        joined(options.env, _knobs.environment(of_app, channels)),
        _knobs.within(of_app, channels),
    )


@cache
def asked(python: str, program: str, question: str) -> dict[str, object]:
    """Return the answer of an interpreter to a question: Python source that prints one JSON object.

    program: the distribution that the question is about ("gunicorn"). The answer is kept: a study
    starts the same server many times.
    Raises TargetError target.not-found if the interpreter is missing or has no such program.
    """
    try:
        done = subprocess.run(
            [python, "-c", question], capture_output=True, text=True, timeout=ASK_WITHIN_S,
            stdin=subprocess.DEVNULL, cwd="/", env={**os.environ, "PYTHONSAFEPATH": "1"}, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        mend = f"name another `python`, one that has {program}"
        raise TargetError(_missing(program, python, str(error), (), mend)) from None
    if done.returncode:
        lines = tuple(done.stderr.strip().splitlines()[-3:])
        mend = f"install it there: {python} -m pip install {program}; or name another `python`"
        raise TargetError(_missing(program, python, f"{python} cannot import it", lines, mend))
    answer: dict[str, object] = json.loads(done.stdout)
    return answer


def _missing(program: str, python: str, why: str, lines: tuple[str, ...], mend: str) -> Problem:
    return Problem(
        what=f"{program} is not there for {python}", why=why, mend=mend, code="target.not-found", detail=lines
    )


def unsupported(what: str, why: str, mend: str) -> Problem:
    """Return the problem of an installed server that does not know a knob, or lacks what a value needs."""
    return Problem(what=what, why=why, mend=mend, code="target.knob-unsupported")


def no_app(what: str) -> Problem:
    """Return the problem of a server that runs but cannot find the application."""
    return Problem(
        what=what,
        why="it is named module:variable, and the module is looked for in the server's folder",
        mend="correct `app`, or set `chdir` to the module's folder (it counts from the plan's folder)",
        code="target.app-not-found",
    )


def mistakes(app: str) -> tuple[Mistake, ...]:
    """Return the mistakes that both gunicorn and uvicorn may report. app: as written in the plan."""
    module = re.escape(app.partition(":")[0].partition(".")[0])
    shown = app.replace("{", "{{").replace("}", "}}")
    mend = "leave the knob out, or install another version"
    return (
        Mistake(
            rf"^ModuleNotFoundError: No module named '({module})'",
            no_app(f"{{name}} finds no module {{1!r}} for the app {shown!r}"),
        ),
        Mistake(
            r"^(?:Error: )?No such option:? (\S+)",
            unsupported("{name} does not know {1}", "the installed version has no such option", mend),
        ),
        Mistake(
            r"error: unrecognized arguments: (.+)",
            unsupported("{name} does not know {1}", "the installed version has no such option", mend),
        ),
        Mistake(
            r"error: argument (.+?): invalid .*value: (.+)",
            unsupported("{name} does not take {2} for {1}", "", "write another value"),
        ),
    )
