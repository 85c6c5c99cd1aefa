"""Long run of changed files: `python -m tests.hostile SECONDS [PART OF A KEY…]`, so many seconds a format.

Prints a line for each format: how many files were tried, and what they ended in. A file that ends in anything
but a plan, a run or an error with place and mend is kept, and its trace is printed. Exit code 1 then.
"""

import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

from tests.hostile.formats import Format, formats, outcome
from tests.hostile.mutations import changed, drawn

MOST_TROUBLES = 5
"""Troubles of a format that are printed: the same cause is met again and again."""


def run(form: Format, seconds: float, seed: int, trouble: Path) -> int:
    """Try changed files of a format for some seconds; return how many different troubles there were."""
    lot = random.Random(f"{seed} {form.key}")
    content = form.sample.read_bytes()
    ends: Counter[str] = Counter()
    traces: dict[str, Path] = {}
    until = time.monotonic() + seconds
    while time.monotonic() < until and len(traces) < MOST_TROUBLES:
        file = changed(content, drawn(lot))
        with tempfile.TemporaryDirectory(prefix="loadrig-hostile-") as folder:
            try:
                ends[outcome(form, file, Path(folder))] += 1
            except Exception as error:
                ends["TROUBLE"] += 1
                place = traceback.extract_tb(error.__traceback__)[-1]
                key = f"{type(error).__name__} {place.filename}:{place.lineno}"
                if key not in traces:
                    trouble.mkdir(parents=True, exist_ok=True)
                    traces[key] = trouble / f"{form.key.replace('/', '-')}.{len(traces)}"
                    traces[key].write_bytes(file)
                    traceback.print_exc(limit=-6)
    print(f"{form.key:44} {ends.total():6}  " + "  ".join(f"{n} {code}" for code, n in ends.most_common()))
    for key, path in traces.items():
        print(f"  {key}: {path}")
    return len(traces)


def main(words: list[str]) -> int:
    """Run the formats whose keys hold one of the parts, or all."""
    seconds, parts = float(words[0]), words[1:]
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    chosen = [form for form in formats() if not parts or any(part in form.key for part in parts)]
    trouble = Path(tempfile.gettempdir()) / "loadrig-hostile"
    return int(sum(run(form, seconds, seed, trouble) for form in chosen) > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
