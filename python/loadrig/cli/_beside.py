"""The page's server beside a run: begun with it, told to its user, and left to end by itself."""

import contextlib
import subprocess
import sys
import threading
from pathlib import Path


def begin(run: Path) -> None:
    """Begin a server that shows a run; its address is printed once it is known.

    The run waits for nothing of it, and goes on where it cannot be begun. The server ends by itself when the
    run is over and no page watches it, see ui.serve.
    """
    words = [sys.executable, "-m", "loadrig.cli", "ui", str(run), "--beside", "--no-browser"]
    with contextlib.suppress(OSError):
        # A session of its own: Ctrl-C ends the run, and whoever watches still sees how it ended.
        server = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        threading.Thread(target=_tell, args=(server,), name="loadrig-ui", daemon=True).start()


def _tell(server: "subprocess.Popen[bytes]") -> None:
    assert server.stdout is not None
    with server.stdout as output:
        address = output.readline().decode(errors="replace").strip()
    if address.startswith("http"):
        print(f"watch it: {address}", file=sys.stderr, flush=True)
        _open(address)


def _open(address: str) -> None:
    if sys.stderr.isatty():
        import webbrowser

        webbrowser.open(address)
