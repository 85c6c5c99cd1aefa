"""The observer as a process of its own: `python -m loadrig.probes`, on another host or on this one.

The rig starts it by the command that a plan's observer names (`via: ssh web1`), and speaks with it over
its standard input and output; `_remote/wire.py` says how. Nothing is installed or left there: it ends when
its standard input closes, and when the rig has been silent for a minute. `--version` says who answers.
"""

import os
import sys

USAGE = """\
The observer of loadrig on another host; a rig starts it and speaks with it over a pipe.
To use it name it in a plan: `observers: [{name: web1, via: "ssh web1", port: 8000}]`.
"""


def main() -> int:
    """Observe for the rig at the other end of the pipe. Return the exit code of the process."""
    from loadrig import __version__
    from loadrig.probes._remote import serve as _serve
    from loadrig.probes._remote import wire as _wire

    if "--version" in sys.argv[1:]:
        sys.stdout.write(f"loadrig {__version__}, observer's protocol {_wire.PROTOCOL}\n")
        return 0
    if sys.argv[1:] or os.isatty(0):
        sys.stderr.write(USAGE)
        return 2
    # The pipe is for the protocol alone: what a library prints goes to the standard error, and programs
    # that probes start get nothing to read.
    questions, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return _serve.serve(questions, answers)


if __name__ == "__main__":
    sys.exit(main())
