"""Run the benchmarks and print their tables: `python -m bench [MODE …]`, from the project's root.

  python -m bench                          every mode: a good hour
  python -m bench closed tls --runs 9      two of them
  python -m bench --quick                  every mode, a run of a second each: to see that it runs
  python -m bench diagnosis --only 'go-*'  causes of injected faults, some of them; goes on where it stopped
  python -m bench diagnosis --prove        the same with each cause proved: five to six hours; goes on, too
  python -m bench open --tools loadrig,wrk2 --path FOLDER
  python -m bench conversions --files PROJECT=FOLDER   what becomes of tests that others wrote

The generator has core 0, the server core 1, and all traffic is on loopback. Tools take turns in
random order within each block. Summaries go to bench/results, from which `python -m bench.tables`
writes README and docs; raw rows go to bench/results/local/raw, which git ignores.
"""

import argparse
import importlib
import os
import pkgutil
import signal
import sys
import tempfile
from pathlib import Path

from bench import modes, results
from bench.lab import CLIENT_CORE, SERVER_CORE, Bench
from bench.natives import build
from bench.server import make_certificate

ORDER = (
    "closed", "scenario", "tls", "h2", "open", "honest", "memory", "scaling", "cold", "instructions",
    "probe_cost", "weight", "sockets", "stages", "threads", "account", "capacity", "capacity_live", "compare",
    "tune", "soak", "soak_live", "fleet_peers", "fleet_merge", "nodes", "nodes_tune",
    "nodes_live", "diagnosis", "interventions", "disturbance",
)  # fmt: skip

ON_REQUEST = ("conversions",)
"""Modes that are run only where they are named, as they need files of other projects (--files)."""


def main() -> int:
    """Run, print, write. Returns 0 also when a goal was missed: that is said, not judged."""
    if sys.argv[1:2] == ["zoo"]:
        return importlib.import_module("bench.zoo.command").main(sys.argv[2:])  # type: ignore[no-any-return]
    asked = _asked()
    # So that servers and generators end with the benchmark, also when it is asked to end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if not {CLIENT_CORE, SERVER_CORE} <= os.sched_getaffinity(0):
        sys.exit("these benchmarks need cores 0 and 1, one for each side")
    with tempfile.TemporaryDirectory(prefix="loadrig-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        lab = Bench(
            folder, build(folder), make_certificate(folder), asked.runs, asked.seconds, asked.tools,
            (*asked.path, str(Path(sys.executable).parent)), asked.turns,
            {"only": asked.cases, "rounds": asked.rounds, "ledger": asked.ledger, "prove": asked.prove,
             "again": asked.again, "files": asked.files, "nothing_new": asked.nothing_new},
        )  # fmt: skip
        for mode in asked.modes or ORDER:
            module = importlib.import_module(f"bench.modes.{mode}")
            noise = results.noise()
            for warning in noise:
                print(f"note: {warning}", file=sys.stderr)
            print(f"{mode}: {str(module.__doc__).splitlines()[0]}", file=sys.stderr)
            section = module.measure(lab)
            lab.let_others()
            path, summary = results.write(
                mode,
                {
                    "command": " ".join(["python -m bench", mode, *_flags(asked)]), "runs": asked.runs,
                    "cores": {"client": CLIENT_CORE, "server": SERVER_CORE}, "noise": noise,
                    "versions": lab.versions, "commands": lab.commands, **section,
                },
                getattr(module, "summarise", dict),
                asked.results,
            )  # fmt: skip
            print(f"\n## {mode}\n\n{str(module.__doc__).strip()}\n")
            print("\n\n".join(module.tables(summary)), flush=True)
        print(f"\nwritten: {path}", file=sys.stderr)
    return 0


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    mode_names = sorted(module.name for module in pkgutil.iter_modules(modes.__path__))
    parser.add_argument(
        "modes",
        nargs="*",
        metavar="MODE",
        help=f"any of {', '.join(ORDER)} (default: all of these), or {', '.join(ON_REQUEST)}",
    )
    parser.add_argument("--runs", type=int, default=5, help="of each tool (default: 5)")
    parser.add_argument("--seconds", type=float, help="of each run, at most 15 (default: as the mode needs)")
    parser.add_argument("--quick", action="store_true", help="one run of a second each")
    parser.add_argument("--tools", default="", help="only these, with commas between (default: all found)")
    parser.add_argument("--path", default="", help="folders searched for tools first, with colons between")
    parser.add_argument(
        "--turns", type=Path, metavar="FILE",
        help="a lock held while something runs and given up every 95 s, for a machine with other users",
    )  # fmt: skip
    parser.add_argument(
        "--only",
        dest="cases",
        metavar="PATTERN",
        help="diagnosis: cases of such names; account: cells (default: all)",
    )
    parser.add_argument(
        "--prove", action="store_true",
        help="diagnosis: the rig starts the servers and proves what it finds (some four minutes a fault)",
    )  # fmt: skip
    parser.add_argument(
        "--rounds", type=int, help="diagnosis: runs of each case (default: 1); capacity_live: of each server"
        " (default: 3); soak_live: of each (default: 1); interventions: on the real server (default: 20);"
        " disturbance: trials of each (default: 8)",
    )  # fmt: skip
    parser.add_argument(
        "--ledger", type=Path, metavar="FOLDER",
        help="of modes that take long: what need not be run again (default: a folder of the mode's name in"
        " bench/results/local, with -prove for proofs)",
    )  # fmt: skip
    parser.add_argument(
        "--again", type=Path, metavar="FOLDER",
        help="diagnosis: a ledger of faults run again after a change, told beside the first answers",
    )  # fmt: skip
    parser.add_argument(
        "--files", action="append", metavar="PROJECT=FOLDER",
        help="conversions: files of other tools; may be given again",
    )  # fmt: skip
    parser.add_argument(
        "--nothing-new", action="store_true",
        help="conversions: count what the ledger has, and run no tool (default: run what it lacks)",
    )  # fmt: skip
    parser.add_argument(
        "--results", type=Path, default=results.FOLDER, help="where results go (default: bench/results)"
    )
    asked = parser.parse_args()
    if unknown := [mode for mode in asked.modes if mode not in mode_names]:
        parser.error(f"no mode {unknown[0]!r}; there are {', '.join((*ORDER, *ON_REQUEST))}")
    if asked.quick:
        asked.runs, asked.seconds = 1, asked.seconds or 1.0
    if asked.runs < 1 or not 0 < (asked.seconds or 1) <= 15:
        parser.error("at least one run, and at most 15 seconds each")
    asked.tools = tuple(name for name in asked.tools.split(",") if name)
    asked.path = tuple(folder for folder in asked.path.split(":") if folder)
    return asked


def _flags(asked: argparse.Namespace) -> list[str]:
    flags = ["--runs", str(asked.runs)]
    flags += ["--prove"] if asked.prove else []
    return [*flags, "--seconds", f"{asked.seconds:g}"] if asked.seconds else flags


if __name__ == "__main__":
    sys.exit(main())
