"""The generator's own process: `python -m loadrig.engine` with the parent at both ends.

With `--null-server` it is the server that calibration measures against instead.

All is done in Rust; Python only starts it, so it imports nothing that takes time.
"""

import signal
import sys

from loadrig import _native


def main() -> int:
    """Serve one load; the exit code is the process's."""
    # A Ctrl-C reaches every process of the terminal. What it means is for the parent to say, who
    # wants to keep what was measured.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if "--null-server" in sys.argv[1:]:
        _native.serve_null()
        return 0
    return _native.serve()


if __name__ == "__main__":
    sys.exit(main())
