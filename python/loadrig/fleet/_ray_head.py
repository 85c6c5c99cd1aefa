"""Watch on the head of a Ray cluster: without it Ray goes on for a minute, and then ends all it has."""

import socket
import threading
import time
from collections.abc import Callable

LOOKS_EVERY_S = 2.0
"""Time between two looks whether the head answers, in seconds, and the longest wait for its answer."""

HEAD_LOST_AFTER_S = 20.0
"""Time without an answer of the head after which the load is ended, in seconds. Ray's own processes give up
after 60 (gcs_rpc_server_reconnect_timeout_s), and nothing more is heard of them: a third leaves time to end
in order. A load that is over before, and a head that is back before, lose nothing."""

HEAD_LOST = "HeadLost"
"""Word for this loss, in place of the name of an error of Ray."""


def answers(address: str) -> bool:
    """Return whether a head takes connections."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=LOOKS_EVERY_S).close()
    except OSError:
        return False
    return True


class HeadWatch:
    """Watch on one head, on a thread of its own. lose: called once, where the head is lost."""

    def __init__(self, address: str, lose: Callable[[], None]) -> None:
        self._address, self._lose = address, lose
        self._is_over = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def stop(self) -> None:
        """Look no more."""
        self._is_over.set()

    def _watch(self) -> None:
        answered_s = time.monotonic()
        while not self._is_over.wait(LOOKS_EVERY_S):
            if answers(self._address):
                answered_s = time.monotonic()
            elif time.monotonic() - answered_s > HEAD_LOST_AFTER_S:
                self._lose()
                return
