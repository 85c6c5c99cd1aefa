"""Python servers: questions to an interpreter, and the mistakes that their logs report."""

import json
import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from loadrig.base.error_words import ErrorWords
from loadrig.base.errors import Problem, TargetError
from loadrig.base.setting import Setting
from loadrig.base.shape import option
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.target_python import TargetPythonErrors
from loadrig.target import _knobs
from loadrig.target._knobs import FreeKnob
from loadrig.target._ready import Ready
from loadrig.target._running import joined
from loadrig.target._server import Mistake, Stop
from loadrig.target._within import Within

ERRORS = texts_of(TargetPythonErrors)

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
        wording = ERRORS.interpreter_not_run(program, python, str(error))
        raise TargetError.of(wording, code="target.not-found") from None
    if done.returncode:
        lines = tuple(done.stderr.strip().splitlines()[-3:])
        wording = ERRORS.program_not_installed(program, python)
        raise TargetError.of(wording, code="target.not-found", detail=lines)
    answer: dict[str, object] = json.loads(done.stdout)
    return answer


def unsupported(wording: ErrorWords) -> Problem:
    """Return the problem of an installed server that does not know a knob, or lacks what a value needs."""
    return Problem.of(wording, code="target.knob-unsupported")


def no_app(wording: ErrorWords) -> Problem:
    """Return the problem of a server that runs but cannot find the application."""
    return Problem.of(wording, code="target.app-not-found")


def no_module(name: str, module: str) -> Problem:
    """Return the problem of a server that cannot find the application's module."""
    return no_app(ERRORS.no_module(name, module))


def no_variable(name: str, variable: str, module: str) -> Problem:
    """Return the problem of a server that finds the application's module without the application."""
    return no_app(ERRORS.no_variable(name, variable, module))


def mistakes(app: str) -> tuple[Mistake, ...]:
    """Return the mistakes that both gunicorn and uvicorn may report. app: as written in the plan."""
    top = re.escape(app.partition(":")[0].partition(".")[0])

    def no_module_for_app(name: str, module: str) -> Problem:
        return no_app(ERRORS.no_module_for_app(name, module, app))

    def unknown_option(name: str, option: str) -> Problem:
        return unsupported(ERRORS.unknown_option(name, option))

    def value_not_taken(name: str, option: str, value: str) -> Problem:
        return unsupported(ERRORS.value_not_taken(name, value, option))

    return (
        Mistake(rf"^ModuleNotFoundError: No module named '({top})'", no_module_for_app),
        Mistake(r"^(?:Error: )?No such option:? (\S+)", unknown_option),
        Mistake(r"error: unrecognized arguments: (.+)", unknown_option),
        Mistake(r"error: argument (.+?): invalid .*value: (.+)", value_not_taken),
    )
