"""A general header with a login's token goes with every request but the login that gets it."""

from loadrig.base.running import Address
from loadrig.engine.compile import compile_config
from loadrig.plan.load import read

PLAN = """\
loadrig: 1
target: {external: http://127.0.0.1:8000}
workload:
  users: 1
  headers: {Authorization: "Bearer {token}", X-Shop: "{shop}"}
  feeds: {shop: {values: [a]}}
  login: {post: /login, extract: {token: $.token}}
  requests: [{get: /}]
"""


def test_a_login_goes_without_the_header_that_only_it_can_fill() -> None:
    config = compile_config(read(PLAN, "plan.yaml"), Address("127.0.0.1", 8000), seed=1, cpus=(), frame_s=1.0)
    names = {route.name: [name for name, _ in route.headers] for route in config.routes}
    assert "Authorization" in names["GET /"]
    assert "Authorization" not in names["login"]
    assert "X-Shop" in names["login"]
