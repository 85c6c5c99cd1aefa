"""Look from a host whether the server can be connected to."""

import socket
from pathlib import Path

from loadrig.fleet.local import LocalHosts
from loadrig.fleet.reach import unreached


def test_what_listens_is_reached_and_the_first_that_does_not_is_named(free_port: int, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        open_address = f"127.0.0.1:{server.getsockname()[1]}"
        assert unreached([open_address]) is None
        lacking = unreached([open_address, f"127.0.0.1:{free_port}", open_address])
    assert lacking is not None
    assert lacking[0] == f"127.0.0.1:{free_port}"
    assert lacking[1]
    path = str(tmp_path / "socket")
    assert unreached([path]) is not None
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        server.bind(path)
        server.listen()
        assert unreached([path]) is None


def test_generators_of_one_machine_have_one_way(free_port: int, tmp_path: Path) -> None:
    with LocalHosts(tmp_path / "engine.log") as hosts:
        hosts.start(2)
        address = f"127.0.0.1:{free_port}"
        assert {index: lacking[0] for index, lacking in hosts.reach([address]).items()} == {
            0: address,
            1: address,
        }
