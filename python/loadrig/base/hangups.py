"""SIGHUP: the terminal was closed, or the connection to it is gone.

It asks a command to end as SIGTERM does, with two differences. A command that was started by nohup ignores
it, and goes on ignoring it. And one closed terminal often sends it twice, from the kernel and from the shell:
only the first asks, and no later one disturbs what the command does to end.
"""

import signal
from collections.abc import Callable
from types import FrameType

Handler = Callable[[int, FrameType | None], None]


def listen(handler: Handler) -> object:
    """Let the first SIGHUP call this; return the handler that was there before, for `put_back`.

    Where it is ignored nothing changes. To be called in the main thread.
    """
    before = signal.getsignal(signal.SIGHUP)
    if before == signal.SIG_IGN:
        return before

    def once(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        handler(number, frame)

    signal.signal(signal.SIGHUP, once)
    return before


def put_back(before: object) -> None:
    """Set the handler of SIGHUP from before `listen`; once a SIGHUP has come, it stays ignored."""
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        signal.signal(signal.SIGHUP, before)  # type: ignore[arg-type]  # as signal.getsignal returned it
