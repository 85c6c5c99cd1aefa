"""A plan made of a collection sends what newman, Postman's own runner, sent: request for request, in order.

`python -m tests.converters.test_same_as_newman NEWMAN [NAME…]` runs newman (its program, from npm) over the
cases and writes `recorded/postman/*.jsonl` anew.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from loadrig.base import members
from loadrig.converters import convert_files
from tests.converters.documents import HERE
from tests.converters.recording import at_port, recording

pytestmark = [pytest.mark.integration, pytest.mark.nightly]

RUN_S = 60
CASES, RECORDED = HERE / "cases" / "postman", HERE / "recorded" / "postman"


class NewmanRun(NamedTuple):
    """Run of a collection. option, beside: another file of it. loops: iterations that newman makes of it."""

    collection: str
    option: str
    beside: str
    loops: int = 1


RUNS = {
    "sent": NewmanRun("sent.json", "-e", "test.postman_environment.json"),
    "data-csv": NewmanRun("data.json", "-d", "logins.csv", 4),
    "order": NewmanRun("order.json", "-e", "test.postman_environment.json", 2),
    "data-json": NewmanRun("data.json", "-d", "logins.json", 3),
}
"""Runs by the name of their recording. Newman makes an iteration of each row of data."""

OF_THE_TOOL = frozenset(("cache-control", "postman-token", "referer"))
MADE = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|(?<=at\\\": )\d{10}|(?<=n\\\": )\d+")
"""Values that are new in each run: each has its form, and no other value."""


def comparable(requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    comparables = []
    for request in requests:
        headers = {name: value for name, value in request["headers"].items() if name not in OF_THE_TOOL}
        if "x-number" in headers:
            assert 0 <= int(headers.pop("x-number")) <= 1000
        comparables.append(json.loads(MADE.sub("#", json.dumps({**request, "headers": headers}))))
    return comparables


@pytest.mark.parametrize("name", RUNS)
def test_every_kind_of_request_is_sent_as_newman_sends_it(name: str, tmp_path: Path) -> None:
    run = RUNS[name]
    with recording() as server:
        case = at_port(CASES / run.collection, server.server_port, tmp_path / "test")
        member = members.load("loadrig.converters", "postman")
        files = [case, case.parent / "beside" / run.beside]
        plan = convert_files(files, member, tmp_path / "plan" / "plan.yaml").path
        text = plan.read_text(encoding="utf-8")
        limit = f"  users: 1\n  limit: {{loops: {run.loops}}}\n"
        plan.write_text(text.replace("  users: 1\n", limit), encoding="utf-8")
        words = [sys.executable, "-m", "loadrig.cli", "run", str(plan), "-o", str(tmp_path / "run")]
        subprocess.run(words, capture_output=True, timeout=RUN_S, check=False)
        requests = server.requests
    lines = (RECORDED / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    assert comparable(requests) == comparable([json.loads(line) for line in lines])


def main(newman: str, names: Sequence[str], folder: Path) -> None:
    for name in names or RUNS:
        run = RUNS[name]
        with recording() as server:
            case = at_port(CASES / run.collection, server.server_port, folder / name)
            words = [newman, "run", str(case), run.option, str(case.parent / "beside" / run.beside)]
            words += ["-n", str(run.loops)] if run.option == "-e" else []
            subprocess.run(
                [*words, "--working-dir", str(folder / name)], check=True, timeout=RUN_S, cwd=folder
            )
            lines = [json.dumps(request, ensure_ascii=False) for request in server.requests]
        (RECORDED / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        main(sys.argv[1], sys.argv[2:], Path(place))
