"""The generator's own process, with the parent at both ends of it.

With `--null-server` it is the server that calibration measures against instead.

All is done in Rust; Python only starts it. The rig runs this file by its path with an interpreter that
knows no site packages (see engine.process), and imports nothing that takes time: a trial waits for it.
`python -m loadrig.engine` does the same.
"""

import sys

if not __package__:
    # Run by its path: the package lies three folders up, and nothing else is needed of what lies there.
    sys.path.append(__file__.rpartition("/loadrig/")[0])

from loadrig import _native


def main() -> int:
    """Serve one load; return the exit code of the process.

    A Ctrl-C reaches every process of the terminal. What it means is for the parent to say, who wants
    to keep what was measured: the engine ignores it from its first line on, and until then the parent
    has put it into a session of its own.
    """
    if "--null-server" in sys.argv[1:]:
        _native.serve_null()
        return 0
    return _native.serve()


if __name__ == "__main__":
    sys.exit(main())
