"""Labs made for a test: a folder with the files that a lab must have."""

from collections.abc import Mapping
from pathlib import Path

SERVER = """\
import http.server, sys

class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *words):
        pass

http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Answer).serve_forever()
"""
"""A server that is as healthy as can be; its port is its argument."""

LAB = """\
lab: 1
title: nothing is wrong
case: 1
plans:
  plan: {about: "a few requests a second"}
"""

PLAN = """\
loadrig: 1
name: a few requests
target:
  command: {argv: "${python} server.py {port}", chdir: "."}
workload:
  rate: 40/1s
  requests: [{get: /}]
trial:
  warm_up: 500ms
  measure: {at_least: 2s, at_most: 2s}
"""

TRUTH = "plan: {cause: healthy}\n"


def lab_folder(folder: Path, files: Mapping[str, str] | None = None, name: str = "made") -> Path:
    """Return a lab in a new folder. files: more of its files by path, or others in place of its own."""
    lab = folder / name
    lab.mkdir()
    own = {
        "lab.yaml": LAB, "plan.yaml": PLAN, "truth.yaml": TRUTH, "server.py": SERVER,
        "README.md": f"# {name}\n\nNothing is wrong with it.\n",
    }  # fmt: skip
    for path, text in {**own, **(files or {})}.items():
        (lab / path).parent.mkdir(parents=True, exist_ok=True)
        (lab / path).write_text(text)
    return lab
