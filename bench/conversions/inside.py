"""A test and its plan let loose on the recording server, inside a network namespace of their own.

  unshare --net --mount python -m bench.conversions.inside ASK.json

ASK.json names the converter, the tool's program, the test, its plan, a folder with key.pem and cert.pem, the
server that the plan names, and the file that gets what came of it. Started by `bench.modes.conversions`.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

from tests.converters.recording import OF_THE_TOOL

from bench.conversions import plans, sameness, tools
from bench.conversions.world import Request, every_host, isolate

SETTLE_S = 0.3
"""Time after a run in which its last requests are noted, in seconds."""


def compared(ask: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Run the tool, then the plan; return in what they differ, and how many requests each sent."""
    command, test, plan = tools.COMMANDS[ask["tool"]], Path(ask["test"]), Path(ask["plan"])
    text, of_test = plan.read_text(encoding="utf-8"), test.read_text(encoding="utf-8-sig")
    named = command.naming(of_test)
    ignored = frozenset(name for name in OF_THE_TOOL | command.own_headers if name not in named)
    with every_host(plans.ports_in(text, of_test), Path(ask["certificate"]), ignored) as notes:

        def theirs(name: str) -> tuple[list[Request], str]:
            printed = tools.run(command, ask["program"], test, ask["server"], folder / name)
            return _drained(notes), printed

        requests, printed = theirs("once")
        if not requests:
            needs = command.lacking(of_test, printed)
            return {"failed": f"the tool sent nothing: {printed[-600:]}", "needs": needs}
        is_in_order = command.is_ordered(of_test)
        sequences, complaint = [], ""
        loops = tools.LOOPS if is_in_order else 0
        for number, plan_text in enumerate(
            plans.plans_of(text, loops=loops, requests=tools.REQUESTS, users=command.users(of_test))
        ):
            complaint = complaint or plans.run(plan_text, plan.parent, f"run{number}")
            sequences.append(_drained(notes))
        ours = [request for sequence in sequences for request in sequence]
        if is_in_order:
            is_at_once = bool(command.at_once) and command.at_once in of_test
            differs = sameness.difference_in_order(requests, (), sequences, is_at_once=is_at_once)
            if differs and len(requests) == len(ours):
                again, _ = theirs("again")
                differs = sameness.difference_in_order(requests, again, sequences, is_at_once=is_at_once)
        else:
            differs = sameness.difference_of_shares(requests[: tools.REQUESTS], ours[: tools.REQUESTS])
    return {"theirs": len(requests), "ours": len(ours), "differs": differs, "complaint": complaint}


def _drained(notes: list[Request]) -> list[Request]:
    """Return what was noted since the last call."""
    time.sleep(SETTLE_S)
    sequence = notes[:]
    del notes[: len(sequence)]
    return sequence


def main(path: Path) -> None:
    """Compare, and write what came of it."""
    ask = json.loads(path.read_text(encoding="utf-8"))
    isolate(path.parent)
    answer = compared(ask, path.parent)
    Path(ask["answer"]).write_text(json.dumps(answer), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
