"""Process that starts the runs which the pages ask for, and ends them when the pages' server ends.

The server gives up its priority, so what it started itself would load and measure at the lowest one. This
process is begun before that. It reads a line of JSON a run, and writes one when the run's command has ended.
"""

import contextlib
import json
import signal
import subprocess
import sys
import threading
import time

ENDS_WITHIN_S = 45.0
"""Time that runs have to end, to keep what they measured and to judge it, in seconds."""


def main() -> None:
    """Start what is asked for until the input ends; then end all that still runs, as Ctrl-C would."""
    running: list[subprocess.Popen[bytes]] = []
    for line in sys.stdin:
        wish = json.loads(line)
        with open(wish["errors"], "wb") as errors:
            command = subprocess.Popen(
                wish["words"], cwd=wish["folder"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=errors, start_new_session=True,
            )  # fmt: skip
        running.append(command)
        threading.Thread(target=_tell_end, args=(wish["id"], command), daemon=True).start()
    _end(running)


def _tell_end(wish_id: int, command: "subprocess.Popen[bytes]") -> None:
    status = command.wait()
    with contextlib.suppress(OSError, ValueError):  # nobody listens any more
        sys.stdout.write(json.dumps({"id": wish_id, "status": status}) + "\n")
        sys.stdout.flush()


def _end(running: "list[subprocess.Popen[bytes]]") -> None:
    until_s = time.monotonic() + ENDS_WITHIN_S
    for command in running:
        if command.poll() is None:
            command.send_signal(signal.SIGINT)
    for command in running:
        with contextlib.suppress(subprocess.TimeoutExpired):
            command.wait(max(0.0, until_s - time.monotonic()))
    for command in running:
        if command.poll() is None:
            command.terminate()


if __name__ == "__main__":
    main()
