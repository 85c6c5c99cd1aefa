"""Load on the ways between components, from the looks of the sockets."""

import pytest

from loadrig.base.component import SERVER
from loadrig.base.series import Sample
from loadrig.following.document import LinkDocument, SecondDocument
from loadrig.following.links import Links
from loadrig.recording.service_map import EdgeDocument, MapComponent, MapDocument

NS = 1_000_000_000

MAP = MapDocument(
    components=tuple(MapComponent(name=name, kind=name) for name in (SERVER, "redis", "mariadb")),
    edges=(
        EdgeDocument(source=SERVER, to="redis", address="127.0.0.1:6379"),
        EdgeDocument(source=SERVER, to="redis", address="[::1]:6379"),
        EdgeDocument(source=SERVER, to="mariadb", address="/run/db.sock"),
        EdgeDocument(source="redis", to="mariadb", address="127.0.0.1:3306"),
    ),
)

SECOND = SecondDocument(
    t_s=1.0, planned=60.0, due=60.0, ok=58.0, failed=2.0, p50_s=0.1, p95_s=0.1, p99_s=0.1, in_flight=7,
    users=0, lag_s=None, busy_share=0.1,
)  # fmt: skip


def look(links: Links, second: int, address: str, source: str = SERVER, **stages: float) -> None:
    for metric, value in stages.items():
        links.hear(source, Sample(second * NS, "socket_stages", metric, f"out:{address}", value))


def followed() -> Links:
    links = Links(wall_ns=1_000 * NS)
    for second in range(3):
        look(
            links,
            second,
            "127.0.0.1:6379",
            sockets=4.0,
            awaiting=2.0 + second,
            connecting=0.5,
            segments=100.0 * second,
        )
        look(links, second, "[::1]:6379", sockets=1.0, idle=1.0, segments=10.0 * second)
        look(links, second, "/run/db.sock", sockets=2.0, unclear=2.0, segments=5.0 * second)
        links.hear(SERVER, Sample(second * NS, "socket_stages", "unread", "in:8000", 3.0))
    return links


def by_way(links: Links, second: SecondDocument | None) -> dict[tuple[str, str], LinkDocument]:
    return {(link.source, link.to): link for link in links.now(MAP, second)}


def test_every_way_of_the_map_has_its_load() -> None:
    ways = by_way(followed(), SECOND)
    assert [*ways] == [("generator", SERVER), (SERVER, "redis"), (SERVER, "mariadb"), ("redis", "mariadb")]
    loaded, redis = ways["generator", SERVER], ways[SERVER, "redis"]
    assert (loaded.per_s, loaded.awaited) == (60.0, 7.0)
    # Both addresses of a dependency together; the last look is whole once the next one begins.
    assert redis.awaited == pytest.approx(3.5)
    assert redis.per_s == pytest.approx(110.0)


def test_what_nobody_sees_is_not_told() -> None:
    ways = by_way(followed(), None)
    assert (ways["generator", SERVER].per_s, ways["generator", SERVER].awaited) == (None, None)
    assert ways[SERVER, "mariadb"].awaited is None  # a Unix socket bears no times
    assert ways[SERVER, "mariadb"].per_s == pytest.approx(5.0)
    assert (ways["redis", "mariadb"].per_s, ways["redis", "mariadb"].awaited) == (None, None)


def test_what_was_awaited_comes_once_in_order_of_time_for_whoever_answers() -> None:
    links = followed()
    readings = links.take_awaited(MAP)
    assert [(use.name, use.t_s, use.awaited) for use in readings] == [
        ("redis", 1000.0, 2.5), ("redis", 1000.0, 2.5), ("redis", 1001.0, 3.5), ("redis", 1001.0, 3.5)
    ]  # fmt: skip
    assert links.take_awaited(MAP) == ()


def test_before_the_map_is_known_nothing_is_named() -> None:
    links = followed()
    assert [(link.source, link.to) for link in links.now(None, SECOND)] == [("generator", SERVER)]
    assert links.take_awaited(None) == ()
