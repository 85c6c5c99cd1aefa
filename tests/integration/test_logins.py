"""Users whose tokens expire together, in front of a real server: when they log in again."""

import itertools
import json
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.integration.program import loadrig

pytestmark = pytest.mark.integration

USERS = 10
LIFE_S = 2.0
LOAD_S = 7.0

PLAN = """\
loadrig: 1
target: {external: "http://127.0.0.1:%d"}
workload:
  users: %d
  think: 50ms
  login: {post: "/login?user={user}", extract: {token: $.token}, lasts_from: $.lasts_s, jitter: %s}
  requests: [{get: "/?token={token}", expect: 200}]
  feeds: {user: {counter: 1, order: unique}}
trial: {warm_up: 0s, measure: {at_least: %gs, at_most: %gs}}
unwatched: all
"""


class Issuer(BaseHTTPRequestHandler):
    """Gives each user a token for a time, and refuses those that it has not given or that have ended."""

    protocol_version = "HTTP/1.1"
    logins: dict[str, list[float]]
    ends: dict[str, float]
    lasts: Callable[[float], float]

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        now, user = time.monotonic(), self.path.partition("=")[2]
        lasts_s = type(self).lasts(now)
        self.logins[user].append(now)
        token = f"{user}-{len(self.logins[user])}"
        # Its holder counts from the answer, and asks until then; what it sent may still be on its way.
        self.ends[token] = now + lasts_s + 5.0
        self._answer(200, {"token": token, "lasts_s": lasts_s})

    def do_GET(self) -> None:
        token = self.path.partition("=")[2]
        self._answer(200 if self.ends.get(token, 0.0) > time.monotonic() else 401, {})

    def _answer(self, status: int, body: dict[str, Any]) -> None:
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Say nothing: what matters is in `logins`."""


@contextmanager
def issuing(lasts: Callable[[float], float]) -> Iterator[tuple[int, dict[str, list[float]]]]:
    """Yield the port of a server whose tokens live so long, and the times of the logins by user."""
    logins: dict[str, list[float]] = defaultdict(list)
    facts = {"logins": logins, "ends": {}, "lasts": staticmethod(lasts)}
    with ThreadingHTTPServer(("127.0.0.1", 0), type("AnIssuer", (Issuer,), facts)) as server:
        server.daemon_threads = False
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port, logins
        finally:
            server.shutdown()
            thread.join(60)


def loaded(folder: Path, jitter: str, lasts: Callable[[float], float]) -> list[list[float]]:
    """Return when each user logged in, in a load of seven seconds."""
    with issuing(lasts) as (port, logins):
        text = PLAN % (port, USERS, jitter, LOAD_S, LOAD_S)
        (folder / "plan.yaml").write_text(text, encoding="utf-8")
        ended = loadrig("run", "plan.yaml", "--json", "--out", jitter.strip("%"), cwd=folder)
    # A busy machine may make the trial void; who logged in when is known all the same.
    assert ended.code in (0, 111), ended.err
    assert json.loads(ended.out)["outcomes"].get("http_4xx", 0) == 0, "a token was used after its end"
    assert len(logins) == USERS
    return list(logins.values())


def spaces(times: list[float]) -> list[float]:
    return [after - before for before, after in itertools.pairwise(times)]


def test_tokens_that_live_equally_long_are_renewed_at_each_users_own_times(tmp_path: Path) -> None:
    # A slow machine only lengthens what lies between two logins: the bounds from below always hold.
    together = [space for times in loaded(tmp_path, "0%", lambda _: LIFE_S) for space in spaces(times)]
    assert len(together) >= USERS
    assert min(together) >= LIFE_S
    by_user = [spaces(times) for times in loaded(tmp_path, "50%", lambda _: LIFE_S)]
    spread = [space for each in by_user for space in each]
    assert min(spread) >= LIFE_S / 2
    assert sum(space < LIFE_S for space in spread) > len(spread) / 2
    firsts = [each[0] for each in by_user if each]
    assert max(firsts) - min(firsts) > LIFE_S / 10, "their first renewals lie apart"


def test_tokens_that_end_at_moments_of_the_clock_are_renewed_early_once_and_not_ever_again(
    tmp_path: Path,
) -> None:
    """No client can spread these; it must not log in again and again before an end that stays."""
    times = loaded(tmp_path, "100%", lambda now: LIFE_S - now % LIFE_S)
    lives = LOAD_S / LIFE_S + 1
    assert max(len(each) for each in times) <= 2 * lives + 2


OPEN_PLAN = PLAN.replace("  users: %d\n  think: 50ms\n", "  rate: {rate: 100, identities: %d}\n")


@pytest.mark.parametrize(("users", "each"), [(6, 1), (5, 3)])
def test_users_of_a_fleets_open_load_log_in_once_in_each_thread_that_has_their_requests(
    users: int, each: int, tmp_path: Path
) -> None:
    with issuing(lambda _: 60.0) as (port, logins):
        text = OPEN_PLAN % (port, users, "0%", 2.0, 2.0) + "fleet: 3\n"
        (tmp_path / "plan.yaml").write_text(text, encoding="utf-8")
        ended = loadrig("run", "plan.yaml", "--json", cwd=tmp_path)
    assert ended.code in (0, 111), ended.err
    assert [len(times) for times in logins.values()] == [each] * users
    reasons = json.loads(ended.out)["validity"]["reasons"]
    notes = [reason for reason in reasons if (reason["check"], reason["level"]) == ("G18", "note")]
    assert len(notes) == (each > 1)
