"""Requests of a plan go to the server that they name, with the host and the TLS of that server."""

from loadrig.base.running import Address
from loadrig.engine.compile import compile_config
from loadrig.engine.config import CompiledConfig
from loadrig.plan.load import read

PLAN = """\
loadrig: 1
target: {external: https://127.0.0.1:8443}
servers: {auth: "https://localhost:9001", cdn: "http://ann:hunter-22@127.0.0.1:80/pictures"}
workload:
  users: 1
  tls: {server_name: shop.example, insecure: true}
  headers: {Host: shop.example, X-Shop: a}
  login: {post: /login, server: auth, extract: {token: $.token}}
  requests: [{get: /}, {get: /, server: cdn}]
"""


def compiled() -> CompiledConfig:
    address = Address("127.0.0.1", 8443, "https")
    return compile_config(read(PLAN, "plan.yaml"), address, seed=1, cpus=(), frame_s=1.0)


def test_each_route_has_the_number_and_the_host_of_its_server() -> None:
    hosts = {route.name: (route.server, dict(route.headers)["Host"]) for route in compiled().routes}
    assert hosts == {
        "GET /": (0, "shop.example"),
        "GET / @cdn": (2, "127.0.0.1"),
        "login": (1, "localhost:9001"),
    }


def test_a_name_for_tls_is_the_targets_and_all_else_of_it_is_for_all() -> None:
    config = compiled()
    auth, cdn = config.further_servers
    assert config.server["tls"]["server_name"] == "shop.example"
    assert (auth["tls"]["server_name"], auth["tls"]["insecure"]) == ("localhost", True)
    assert (cdn["tls"], cdn["addresses"]) == (None, ["127.0.0.1:80"])


def test_a_password_in_an_address_is_kept_nowhere() -> None:
    plan = read(PLAN, "plan.yaml")
    assert "hunter-22" not in plan.text + repr(plan)
