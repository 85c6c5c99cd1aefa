"""The container image: what its two ways of being built have in common, and that nobody runs as root."""

import re

from tests.house.places import ROOT

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_both_ways_share_what_a_container_runs_and_as_whom() -> None:
    common = DOCKERFILE.partition("# In common\n")[2]
    instructions = dict(line.split(" ", 1) for line in common.splitlines() if line)
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", instructions["USER"])
    assert instructions["ENTRYPOINT"] == '["loadrig"]'
    # A stopped container ends its run as Ctrl-C does, and keeps what was measured.
    assert instructions["STOPSIGNAL"] == "SIGINT"
    assert {"FROM", "RUN", "COPY", "ADD"} & instructions.keys() == set()


def test_only_wheels_and_their_lock_are_sent_to_the_engine() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert lines == ["*", "!dist/*.whl", "!locks/run.txt"]


def test_every_package_is_installed_by_its_hash() -> None:
    installs = re.findall(r"pip install (.*)", DOCKERFILE)
    assert len(installs) == 2
    assert "--require-hashes -r /tmp/run.txt" in installs[0]
    assert "--no-index" in installs[1]


def test_the_lock_of_the_image_holds_what_loadrig_needs_and_nothing_for_tests() -> None:
    names = set(re.findall(r"^([a-z0-9-]+)==", (ROOT / "locks/run.txt").read_text(), re.MULTILINE))
    assert {"numpy", "scipy", "msgspec", "argcomplete"} <= names
    assert not {"pytest", "mypy", "flask"} & names
