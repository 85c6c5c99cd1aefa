"""The three small C programs of the benchmarks, built when they are needed."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from bench.programs import find

SOURCES = Path(__file__).parent / "native"


@dataclass(frozen=True)
class Natives:
    """cost: runs a command and says what it cost; limit: the fastest client; stalling: a known server."""

    cost: Path
    limit: Path
    stalling: Path


def build(folder: Path) -> Natives:
    """Compile them into a folder, which takes about a second. Ends the program if it cannot be done."""
    compiler = find("cc")
    if compiler is None:
        sys.exit("the limit client is written in C, and there is no compiler\n\n   mend: apt-get install gcc")
    built = {}
    for name in ("cost", "limit", "stalling"):
        built[name] = folder / name
        source = SOURCES / f"{name}.c"
        done = subprocess.run(
            [compiler, "-O2", "-o", str(built[name]), str(source)],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            sys.exit(f"{source.name} does not compile:\n{done.stderr}")
    return Natives(**built)
