"""Actor of a node, without Ray: what becomes of its program where the raylet is gone."""

import subprocess
import sys
import time
from pathlib import Path

from loadrig.fleet._ray_actor import NODE

DEADLINE_S = 30.0

ORPHAN = """
import os, sys, time
from loadrig.fleet import _ray_actor
_ray_actor.LOOK_S = 0.05
_ray_actor.program = lambda _: [sys.executable, "-c", sys.argv[2]]
inlet, outlet = os.pipe()
if os.fork():
    os.read(inlet, 1)  # its parent stands for the raylet, and is gone once there is an actor
    os._exit(0)
actor = _ray_actor.GeneratorActor(sys.argv[1], {})
os.write(outlet, b"1")
time.sleep(60)
"""

NODE_PROGRAM = "import sys; sys.stdin.read(); open({path!r}, 'w').write('in order')"


def test_a_node_whose_raylet_is_gone_ends_in_order(tmp_path: Path) -> None:
    # A node that is killed leaves its control groups on the host.
    path = tmp_path / "ended"
    words = [sys.executable, "-c", ORPHAN, NODE, NODE_PROGRAM.format(path=str(path))]
    subprocess.run(words, check=True, timeout=DEADLINE_S)
    deadline = time.monotonic() + DEADLINE_S
    while not (path.exists() and path.read_text(encoding="ascii")) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert path.read_text(encoding="ascii") == "in order"
