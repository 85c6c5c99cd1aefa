"""Fuzzing that is guided by what a file reaches: `python -m tests.hostile.guided SECONDS [PART OF A KEY…]`.

Needs atheris (`pip install atheris`, Apache-2.0), which is no part of the locks: it instruments the readers,
keeps files that reach something new, and changes those again, as a text by `mutations` and by single bytes.
A process a format; where a file ends in anything but a plan, a run or an error with place and mend, its trace
is printed, the file is kept below FOUND, and the exit code is 1.
"""

import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.hostile.mutations import MOST_BYTES, changed, drawn

FOUND = Path(tempfile.gettempdir()) / "loadrig-hostile"
ROOMS = ["loadrig.converters", "loadrig.importers"]
OWN_CHANGES = 0.5
"""Share of files that are changed by single bytes, as libFuzzer does it: the rest as an editor would."""


def _fuzz(key: str, seconds: str, corpus: Path) -> None:
    """Fuzz a format in this process, which ends with it."""
    import atheris  # type: ignore[import-untyped,unused-ignore]

    with atheris.instrument_imports(include=ROOMS):
        from tests.hostile.formats import formats, outcome
    form = next(form for form in formats() if form.key == key)
    # Parts of the other forms that a reader knows are begun with, too: it takes them all.
    member = "/".join(key.split("/")[:2]) + "/"
    for number, other in enumerate(formats()):
        if other.key.startswith(member):
            (corpus / str(number)).write_bytes(other.sample.read_bytes())

    def take(content: bytes) -> None:
        with tempfile.TemporaryDirectory(prefix="loadrig-hostile-") as folder:
            outcome(form, content[:MOST_BYTES], Path(folder))

    def mutate(content: bytes, most: int, seed: int) -> bytes:
        lot = random.Random(seed)
        if lot.random() < OWN_CHANGES:
            mutated: bytes = atheris.Mutate(content, most)
            return mutated
        return changed(content, drawn(lot))[:most]

    options = [f"-max_total_time={seconds}", f"-max_len={MOST_BYTES}", "-timeout=60", "-print_final_stats=1"]
    place = FOUND / key.replace("/", "-")
    atheris.Setup(
        [sys.argv[0], *options, f"-artifact_prefix={place}.", str(corpus)], take, custom_mutator=mutate
    )
    atheris.Fuzz()


def main(words: list[str]) -> int:
    """Run the formats whose keys hold one of the parts, or all; return how many failed."""
    seconds, parts = words[0], words[1:]
    if "LOADRIG_HOSTILE_KEY" in os.environ:
        _fuzz(os.environ["LOADRIG_HOSTILE_KEY"], seconds, Path(os.environ["LOADRIG_HOSTILE_CORPUS"]))
        return 0
    from tests.hostile.formats import formats

    FOUND.mkdir(parents=True, exist_ok=True)
    failed = 0
    for form in formats():
        if parts and not any(part in form.key for part in parts):
            continue
        with tempfile.TemporaryDirectory(prefix="loadrig-corpus-") as corpus:
            environment = {**os.environ, "LOADRIG_HOSTILE_KEY": form.key, "LOADRIG_HOSTILE_CORPUS": corpus}
            done = subprocess.run(
                [sys.executable, "-m", "tests.hostile.guided", seconds],
                env=environment, capture_output=True, text=True, check=False,
            )  # fmt: skip
        tries = [line.rpartition(" ")[2] for line in done.stderr.splitlines() if "executed_units" in line]
        result = "TROUBLE" if done.returncode else "fine"
        print(f"{form.key:48} {''.join(tries) or '?':>8} files  {result}")
        if done.returncode:
            failed += 1
            print(done.stdout[-3000:], done.stderr[-1500:], sep="\n")
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
