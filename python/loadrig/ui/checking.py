"""Mistakes of a plan in the language of a browser.

A process takes its sentences in one language when it imports them. In another language a plan is checked by a
process of its own, for that look alone; it reads the text from its input and writes the mistakes as JSON.
"""

import os
import subprocess
import sys
from pathlib import Path

import msgspec

from loadrig.base.safe_python import safe_python
from loadrig.language.choice import VARIABLE, language
from loadrig.ui import plan_files
from loadrig.ui.plan_files import PlanProblem

CHECKED_WITHIN_S = 60.0
"""Longest time that a check may take, in seconds: half a second, more at the lowest priority under load."""


def mistakes_in(code: str, folder: Path, path: str, text: str) -> list[PlanProblem]:
    """Return what is wrong with a plan's text, in a language. Raises PlanFileError as `mistakes` does."""
    plan_files.place_below(folder, path)
    if code == language():
        return plan_files.mistakes(folder, path, text)
    try:
        done = subprocess.run(
            safe_python("-m", __name__, str(folder), path),
            input=text.encode(), env={**os.environ, VARIABLE: code}, capture_output=True, check=True,
            timeout=CHECKED_WITHIN_S,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        # On a machine that hardly lets it run: mistakes in another language are better than none.
        return plan_files.mistakes(folder, path, text)
    return msgspec.json.decode(done.stdout, type=list[PlanProblem])


def main() -> None:
    """Write the mistakes of the plan that comes on the input, for a folder and a path below it."""
    folder, path = sys.argv[1:]
    problems = plan_files.mistakes(Path(folder), path, sys.stdin.buffer.read().decode())
    sys.stdout.buffer.write(msgspec.json.encode(problems))


if __name__ == "__main__":
    main()
