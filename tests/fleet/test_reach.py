"""Look from a host whether the server can be connected to."""

import socket
from pathlib import Path

from loadrig.fleet.local import LocalHosts
from loadrig.fleet.reach import ServerWay, way_to


def test_what_listens_is_reached_and_the_first_that_does_not_is_named(free_port: int, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        open_address = f"127.0.0.1:{server.getsockname()[1]}"
        assert way_to([open_address]) == ServerWay(["127.0.0.1"])
        lacking = way_to([open_address, f"127.0.0.1:{free_port}", open_address]).lacking
    assert lacking is not None
    assert lacking[0] == f"127.0.0.1:{free_port}"
    assert lacking[1]
    path = str(tmp_path / "socket")
    assert way_to([path]).lacking is not None
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        server.bind(path)
        server.listen()
        assert way_to([path]) == ServerWay([])


def test_generators_of_one_machine_have_one_way(free_port: int, tmp_path: Path) -> None:
    with LocalHosts(tmp_path / "engine.log") as hosts:
        hosts.start(2)
        address = f"127.0.0.1:{free_port}"
        assert {index: way.lacking and way.lacking[0] for index, way in hosts.reach([address]).items()} == {
            0: address,
            1: address,
        }


def test_a_host_comes_from_the_address_that_the_way_to_the_server_has() -> None:
    """A host may be known by one address and connect from another: here from 127.0.0.1 and from ::1."""
    with (
        socket.create_server(("127.0.0.1", 0)) as first,
        socket.create_server(("::1", 0), family=socket.AF_INET6) as second,
    ):
        addresses = [f"127.0.0.1:{first.getsockname()[1]}", f"[::1]:{second.getsockname()[1]}"]
        assert way_to(addresses).sources == ["127.0.0.1", "::1"]
