"""The command by which the rig starts an application of the suite: it becomes the real server by exec.

  python -I -S app.py RECIPE --port 8000 --redis 127.0.0.1:6379 --workers 4 …

RECIPE is a file of JSON, written by `start.offered`. argv: the server's, with {port}, and {options} where the
words of knobs go. dials: numbers of the application; settings: the file they are written to, `style` json or
properties. env: variables. told: for each --NAME how its value is told. before: commands to be run for a
knob, by its name and value. pids: a file that gets the pids of the first start, by their role. front: the
argv of an nginx that becomes the root in front of it; upstream: the port of the application then.

Standard library only: it must start fast, and a server that is exec'd must not have what others imported.
"""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

UP_WITHIN_S = 60.0


def main() -> None:
    """Become the server."""
    recipe: dict[str, Any] = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    arguments = {
        name.removeprefix("--"): value for name, value in zip(sys.argv[2::2], sys.argv[3::2], strict=True)
    }
    if "front" in recipe:
        arguments["port"] = str(recipe["upstream"])
    words = tell(recipe, arguments)
    argv = [part.replace("{port}", arguments["port"]) for word in recipe["argv"] for part in
            (words if word == "{options}" else [word])]  # fmt: skip
    os.environ.update(recipe["env"])
    pids = {"server": os.getpid()}
    if "front" in recipe:
        pids["upstream"] = apart(argv)
        wait_for(int(arguments["port"]))
        argv = recipe["front"]
    with suppress(FileExistsError), open(recipe["pids"], "x", encoding="ascii") as file:
        json.dump(pids, file)
    os.execvp(argv[0], argv)


def apart(argv: list[str]) -> int:
    """Start a server that is no child of this process, so that it is not taken for a part of it: its pid."""
    reading, writing = os.pipe()
    between = os.fork()
    if not between:
        pid = os.fork()
        if not pid:
            os.execvp(argv[0], argv)
        os.write(writing, str(pid).encode())
        os._exit(0)
    os.waitpid(between, 0)
    os.close(writing)
    with os.fdopen(reading) as words:
        return int(words.read())


def tell(recipe: dict[str, Any], arguments: dict[str, str]) -> list[str]:
    """Write the numbers, run what is to be run before; returns the words of the command line."""
    dials, words = dict(recipe["dials"]), []
    for name, value in arguments.items():
        how = recipe["told"][name]
        meant: Any = how["words"][value] if "words" in how else value
        if "before" in how:
            subprocess.run(recipe["before"][name][value], check=True, stdout=subprocess.DEVNULL)
        elif "word" in how:
            words.append(how["word"].replace("{}", str(meant)))
        else:
            # An address is told by its port: all of it is on this machine.
            dials[how["dial"]] = int(meant.rpartition(":")[2]) if isinstance(meant, str) else meant
    Path(recipe["settings"]).write_text(in_style(dials, recipe["style"]), encoding="utf-8")
    return words


def in_style(dials: Mapping[str, Any], style: str) -> str:
    """Numbers as the text of a file of JSON, or of properties."""
    if style == "properties":
        return "".join(f"{name}={value}\n" for name, value in dials.items())
    return json.dumps(dials)


def wait_for(port: int) -> None:
    """Until somebody takes connections there. Ends this process if nobody does."""
    end = time.monotonic() + UP_WITHIN_S
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    sys.exit(f"nobody listens on {port}")


if __name__ == "__main__":
    main()
