"""Nothing is lost, tried on purpose: faults of every call of ours, and kills at random instants, as a table.

    .venv/bin/python scripts/faults.py                       a fault for each line that makes a call
    .venv/bin/python scripts/faults.py --every               every fault of every call (hours)
    .venv/bin/python scripts/faults.py --only attack run     these commands alone
    .venv/bin/python scripts/faults.py --kills 50            so many kills of each command (default: 10)

Prints a line for each fault that lost data, left something or was answered wrongly, then the table of what
was tried. Exit code 1 where a number of the columns of troubles is not 0.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

HOUSE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HOUSE))

from tests.faults.commands import COMMANDS, server  # noqa: E402
from tests.faults.harness import Command, Tried, faults_at_each_call, faults_at_each_site, tried  # noqa: E402
from tests.faults.kills import Killed, killed  # noqa: E402

AT_ONCE = 4
"""Commands beside each other: they wait for their load most of the time."""

AT_A_TIME = 40
"""Faults between two looks at what is left on the machine: what is found is laid at the door of so many."""

HEAD = (
    "command",
    "faults tried",
    "hit",
    "went on whole",
    "data lost",
    "left over",
    "wrong answer",
    "kills",
    "bad",
)


def main() -> int:
    """Try, print; 1 where anything was lost, left or wrong."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    words.add_argument("--every", action="store_true", help="every call (default: each line once)")
    words.add_argument("--only", nargs="+", default=list(COMMANDS), metavar="NAME", help="commands")
    words.add_argument("--kills", type=int, default=10, metavar="N", help="of each command (default: 10)")
    asked = words.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder, server() as values:
        for name in asked.only:
            place = Path(folder) / name.replace(" ", "")
            rows.append(_row(COMMANDS[name], place, values, every=asked.every, kills=asked.kills))
    print("| " + " | ".join(HEAD) + " |")
    print("|" + " --- |" * len(HEAD))
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |")
    bad = sum(sum(map(int, row[4:7])) + int(row[8]) for row in rows)
    print(f"{sum(int(row[1]) + int(row[7]) for row in rows)} passed, {bad} failed")
    return int(bad > 0)


def _row(
    command: Command, place: Path, values: Mapping[str, object], *, every: bool, kills: int
) -> Sequence[object]:
    began = time.monotonic()
    clean = command.run(place / "clean", values)
    longest_s = time.monotonic() - began
    if clean.code not in command.codes:
        sys.exit(f"{command.name} does not run here: {clean.err}")
    faults = faults_at_each_call(clean.calls) if every else faults_at_each_site(clean.calls)
    results: list[Tried] = []
    remains = 0
    for start in range(0, len(faults), AT_A_TIME):
        try:
            results += tried(command, place / str(start), faults[start : start + AT_A_TIME], AT_ONCE, values)
        except AssertionError as error:
            remains += 1
            print(f"{command.name}, faults {start + 1} to {start + AT_A_TIME}: {error}", flush=True)
    ends: list[Killed] = [
        killed(command, place / f"kill{seed}", longest_s, seed, values) for seed in range(kills)
    ]
    for outcome in [*results, *ends]:
        if outcome.troubles:
            print(f"{command.name}: {outcome}", flush=True)
    return (
        command.name, len(faults), sum(result.was_hit for result in results),
        sum(result.was_hit and result.ended.code == 0 for result in results),
        sum(bool(result.lost) for result in results),
        remains + sum(bool(result.left) for result in results),
        sum(bool(result.wrong) for result in results),
        len(ends), sum(bool(end.troubles) for end in ends),
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
