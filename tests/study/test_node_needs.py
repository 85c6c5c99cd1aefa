"""Needs of a server that no node is sent: its program, and the image of its container."""

import os
from pathlib import Path

import pytest

from loadrig.base.errors import PlanError, TargetError
from loadrig.plan.load import read
from loadrig.study.node_needs import NodeLack, NodeNeeds, image_of, lack_of, needs_of
from loadrig.study.ray_nodes import RayNodes

from .test_ray_nodes import NodesBeside, beside, plan_in, run_of, spec_of

__all__ = ["beside"]

ENGINE = """\
#!/bin/sh
if [ "$1 $2" = "image inspect" ]; then
    for name; do :; done
    [ "$name" = here:1 ] && exit 0
    echo "Error response from daemon:" >&2
    echo "Error: No such image: $name" >&2
    exit 1
fi
echo "docker: it cannot be run: $*" >&2
exit 125
"""


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put an engine that has one image before all programs."""
    path = tmp_path / "bin" / "docker"
    path.parent.mkdir()
    path.write_text(ENGINE)
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{path.parent}{os.pathsep}{os.environ['PATH']}")
    return path


@pytest.mark.parametrize(
    ("words", "image"),
    [
        ("run shop:1", "shop:1"),
        ("run --rm shop:1 serve --port 80", "shop:1"),
        ("run --rm -p 8000:80 --name shop -e MODE=fast shop:1", "shop:1"),
        ("run -it -p8000:80 --env=A=1 --memory 512m registry/shop@sha256:00", "registry/shop@sha256:00"),
        ("run -itp 8000:80 -v /data:/data shop:1", "shop:1"),
        ("container run --init --network=host shop", "shop"),
        ("run --pull=always shop:1", ""),
        ("run --pull always shop:1", ""),
        ("run --pull never shop:1", "shop:1"),
        ("compose up", ""),
        ("start shop", ""),
        ("run --rm", ""),
        ("", ""),
    ],
)
def test_the_image_is_the_first_word_behind_the_options(words: str, image: str) -> None:
    assert image_of(words.split()) == image


@pytest.mark.parametrize(
    ("command", "more", "needs"),
    [
        ("docker run -p {port}:80 shop:1", "", NodeNeeds(program="docker", image="shop:1")),
        ("/usr/bin/podman run -p {port}:80 shop:1", "", NodeNeeds(program="/usr/bin/podman", image="shop:1")),
        ("node server.js {port}", "", NodeNeeds(program="node")),
        # Files of the plan's folder are looked for as the server starts, as is what a PATH of its own has.
        ("./server {port}", "", NodeNeeds()),
        ("node server.js {port}", "env: {PATH: /opt/node}", NodeNeeds()),
    ],
)
def test_a_command_says_what_it_needs(command: str, more: str, needs: NodeNeeds) -> None:
    text = f'loadrig: 1\ntarget:\n  command:\n    argv: "{command}"\n'
    text += f"    {more}\nworkload: {{rate: 10, requests: [{{get: /}}]}}\n"
    assert needs_of(read(text, str(Path("plan.yaml").absolute()))) == needs


def test_what_is_lacking_is_named(docker: Path) -> None:
    assert lack_of(NodeNeeds()) is None
    assert lack_of(NodeNeeds(program="sh")) is None
    assert lack_of(NodeNeeds(program="no-such-program")) == NodeLack(program="no-such-program")
    assert lack_of(NodeNeeds(program="docker", image="here:1")) is None
    assert lack_of(NodeNeeds(program="docker", image="shop:1")) == NodeLack(
        image="shop:1", how="Error: No such image: shop:1"
    )
    docker.write_text("#!/nowhere\n")
    lack = lack_of(NodeNeeds(program="docker", image="here:1"))
    assert lack is not None
    assert (lack.image, bool(lack.how)) == ("here:1", True)


@pytest.mark.parametrize(
    ("program", "words", "named"),
    [("docker", "run -p {port}:80 shop:1", "shop:1"), ("no-such-program", "{port}", "no-such-program")],
)
def test_a_host_that_lacks_something_is_refused_before_any_load(
    tmp_path: Path, docker: Path, beside: NodesBeside, program: str, words: str, named: str
) -> None:
    plan = plan_in(tmp_path / "plan", words, program=program)
    run = run_of(tmp_path)
    with pytest.raises(PlanError) as refused, RayNodes(plan, run, tmp_path / "log", 0, beside):
        pass
    (problem,) = refused.value.problems
    assert problem.code == "nodes.lacks"
    assert "10.0.0.5" in problem.what
    assert named in problem.what
    assert docker.exists()


def test_a_container_that_does_not_start_is_told_with_its_host_and_what_its_engine_said(
    tmp_path: Path, docker: Path, beside: NodesBeside
) -> None:
    plan = plan_in(tmp_path / "plan", "run -p {port}:80 here:1", program=docker.name)
    with (
        RayNodes(plan, run_of(tmp_path), tmp_path / "log", 0, beside) as nodes,
        pytest.raises(TargetError) as failed,
    ):
        nodes[0].run(spec_of(plan))
    (problem,) = failed.value.problems
    assert "10.0.0.5" in problem.what
    assert any("here:1" in line for line in problem.detail)
