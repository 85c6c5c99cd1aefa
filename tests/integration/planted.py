"""Secrets planted in every place of a plan and in a server's answers, and the search for them.

The server is the worst that a careful user may have: it prints all that it is sent and answers, writes it
into its log, and repeats it in its error page and in the headers of that.
"""

import base64
import gzip
import html
import os
import random
import re
import string
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq

SERVER = """\
import json, os, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLD = json.load(open(os.environ["TOLD"]))
LOG = open(os.path.join(os.path.dirname(os.environ["SEEN"]), "shop.log"), "a", buffering=1)

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        sent = [self.path, *self.headers.values(), body]
        with open(os.environ["SEEN"], "a") as seen:
            seen.write(json.dumps(sent) + "\\n")
        print("was sent", self.path, dict(self.headers), body, flush=True)
        # Secrets in the midst of a sentence, where no name gives them away.
        who = [self.headers.get(name) for name in ("X-Tenant", "X-From-File", "Authorization", "X-Session")]
        if who[0]:  # others ask as well, whether it is ready and what it is, and bring no secret
            words = (who[0], who[1], body, *who[2:])
            LOG.write("ERROR the caller %s with %s sent %s for %s and %s\\n" % words)
        if self.path.startswith("/login"):
            status, answer = 200, json.dumps({"token": TOLD["token"]})
        elif self.path == "/health":
            status, answer = 200, "well"
        else:
            status = 500
            echo = self.headers.get("Authorization"), TOLD["token"], sent
            answer = "Authorization: %s; token %s; %s" % echo
        cookie, token = "sid=%s; Path=/" % TOLD["cookie"], json.dumps({"token": TOLD["token"]})
        # As dictionaries, raw headers, lists of pairs and structured logs have them. In one write: else a
        # line of another thread could come between a name and its value.
        lines = (
            "answers %s %s" % ({"Set-Cookie": cookie}, token),
            "Set-Cookie: theme=dark; " + cookie,
            "%s %s" % ([("set-cookie", cookie)], json.dumps({"message": token})),
        )
        print("\\n".join(lines) + "\\n", end="", flush=True)
        self.send_response(status)
        self.send_header("Set-Cookie", cookie)
        if status == 500:
            self.send_header("Retry-After", "7")
            self.send_header("X-Token-Given", TOLD["token"])
            self.send_header("Via", "1.1 shop for %s, %s" % (who[2], TOLD["token"]))
        self.send_header("Content-Length", str(len(answer.encode())))
        self.end_headers()
        self.wfile.write(answer.encode())

    do_POST = do_PUT = do_GET

    def log_message(self, *words):
        pass

print("begins with", [os.environ.get(name) for name in TOLD["variables"]], flush=True)
if "dies" in sys.argv:
    sys.exit("cannot go on with " + os.environ["DATABASE_URL"])
ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""

PLAN = """\
loadrig: 1
# kept from the last time: {authorization}
target:
  command:
    argv: "{python} {server} {{port}} --api-key {argv}{fails}"
    ready: {{http: /health, within: 60s}}
    env:
      SHOP_TOKEN: {variable}
      DATABASE_URL: "postgresql://shop:{dsn}@127.0.0.1:5432/shop"
      SETTINGS: "host=db user=shop password={pair}"
      FROM_ENV: "x-{{env:PLANTED}}"
      TOLD: {talk}
      SEEN: {seen}
secrets: [X-Tenant, pin_of_shop]
probes: [{{redis: {{at: "127.0.0.1:1", user: shop, password_env: PROBE_PASSWORD}}}}]
workload:
  users: 2
  think: 20ms
  headers: {{Authorization: Bearer {authorization}, X-Tenant: {tenant}}}
  login:
    post: /login?access_token={query}
    json: {{user: anna, password: {login}, pin_of_shop: {pin}}}
    extract: {{got: $.token}}
  requests:
    - get: "/of-user?key_of={{env:PLANTED}}"
      headers:
        X-Session: "Bearer {{got}}"
        Cookie: "a=b; session={cookie}"
        X-From-File: "{{file:key.txt}}"
    - post: /text
      body: '{{{{"client_secret": "{body}"}}}}'
    - post: /form
      form: {{password: {form}, plain: text}}
    - post: /json
      json: {{inner: [{{api_key: {json}}}], of_env: "{{env:PLANTED}}"}}
trial: {{warm_up: 0s, measure: 1500ms, drain: 1s}}
"""

KINDS = (
    "argv", "authorization", "tenant", "variable", "dsn", "pair", "query", "login", "pin", "cookie", "body",
    "form", "json", "of_env", "of_file", "probe", "given_token", "given_cookie", "typed_header", "typed_body",
    "typed_query",
)  # fmt: skip


def drawn(seed: int) -> dict[str, str]:
    """Draw a secret for each place: letters of all kinds, and signs that some texts write in another way."""
    chance = random.Random(seed)
    letters = string.ascii_letters + string.digits
    secrets = {
        kind: "".join(chance.choices(letters, k=chance.randint(9, 30))) + chance.choice("-_.~") + "Q7z"
        for kind in KINDS
    }
    # What a plan needs no quotes for is not all that there is: these come from outside of it.
    secrets["of_env"] += '"<&{x} %'
    secrets["of_file"] += "'\\>/+é"
    return secrets


class CommandLineWatch:
    """Reads the command lines of all that a process starts, as any user of the machine could."""

    def __init__(self) -> None:
        self.command_lines: set[str] = set()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> "CommandLineWatch":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.is_set():
            # Not the programs themselves: what was typed for them stands where the user typed it.
            programs = _children_of({os.getpid()})
            typed = {_command_line(pid) for pid in programs}
            below = _children_of(programs)
            while below:
                # Between fork and exec a child has the command line of the program that starts it.
                self.command_lines |= {_command_line(pid) for pid in below} - typed
                below = _children_of(below)
            time.sleep(0.05)


def _children_of(parents: set[int]) -> set[int]:
    pids = set()
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(status.read_text().rpartition(")")[2].split()[1])
        except (OSError, IndexError, ValueError):
            continue
        if parent in parents:
            pids.add(int(status.parent.name))
    return pids


def _command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def found_in(texts: Mapping[str, bytes], secrets: Mapping[str, str]) -> set[tuple[str, str]]:
    """Return which secret stands in which text, in whatever form: as (name of the text, kind)."""
    return {
        (name, kind)
        for name, text in texts.items()
        for form in _readings(text)
        for kind, secret in secrets.items()
        if secret in form or secret.encode().decode("latin-1") in form
    }


def written(*folders: Path) -> Iterator[tuple[str, bytes]]:
    """Yield every file below the folders, unpacked: by its path."""
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if not path.is_file():
                continue
            content = path.read_bytes()
            yield str(path), content
            if content[:2] == b"\x1f\x8b":
                yield f"{path} (unpacked)", gzip.decompress(content)
            if path.suffix == ".parquet":
                yield f"{path} (rows)", str(pq.read_table(path).to_pydict()).encode()
            if path.suffix == ".arrow":
                yield f"{path} (rows)", str(pa.ipc.open_stream(content).read_all().to_pydict()).encode()


def _readings(text: bytes) -> Iterator[str]:
    """Yield a text as it is, as JSON, a page and an address mean it, and what stands in it in base64."""
    plain = text.decode("utf-8", errors="replace")
    yield plain
    yield html.unescape(plain)
    yield unquote(plain)
    yield plain.replace('\\"', '"').replace("\\\\", "\\").replace("\\'", "'")
    for blob in re.findall(r"[A-Za-z0-9+/]{12,}={0,2}", plain):
        for start in range(4):
            part = blob[start:].rstrip("=")
            with_end = part + "=" * (-len(part) % 4)
            try:
                yield base64.b64decode(with_end).decode("latin-1")
            except ValueError:
                continue


def environment(secrets: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that the plan's holes and probes ask for."""
    return {**os.environ, "PLANTED": secrets["of_env"], "PROBE_PASSWORD": secrets["probe"]}
