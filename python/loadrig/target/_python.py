"""Python servers: questions to an interpreter, and the mistakes that their logs report."""

import json
import os
import re
import subprocess
from functools import cache

from loadrig.base.errors import Problem, TargetError
from loadrig.target._server import Mistake

ASK_WITHIN_S = 20.0


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
