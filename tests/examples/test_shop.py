"""The bundled shop does what its pages say, so that a demo's errors are never the shop's."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

SHOP = Path(__file__).parents[2] / "examples" / "shop"
MODULES = ("database", "search", "shop")


def _loaded() -> dict[str, ModuleType]:
    """Return the shop's modules, imported as gunicorn does: from the shop's folder.

    They stay in sys.modules, where Flask looks for the folder of its templates.
    """
    sys.path.insert(0, str(SHOP))
    try:
        return {name: importlib.import_module(name) for name in MODULES}
    finally:
        sys.path.remove(str(SHOP))


LOADED = _loaded()
search: Any = LOADED["search"]
database: Any = LOADED["database"]


@pytest.fixture
def client() -> Iterator[Any]:
    """Yield a browser with cookies, before a shop whose database does not wait."""
    shop: Any = LOADED["shop"]
    with shop.create_app(query_s=0).test_client() as browser:
        yield browser


def _token(browser: Any) -> str:
    answer = browser.post("/login", json={"customer": "ada", "password": "lovelace"})
    return str(answer.json["token"])


def test_pages_are_html_and_products_are_json(client: Any) -> None:
    assert client.get("/").mimetype == "text/html"
    assert client.get("/health").data == b"ok"
    assert client.get("/products?page=2").data.count(b"<li>") == 20
    assert client.get("/products/7.json").json["id"] == 7


def test_a_misspelt_search_finds_what_was_meant(client: Any) -> None:
    page = client.get("/search?q=wallnut+bnech").text
    assert "Walnut Bench" in page.split("</li>")[0]


def test_a_search_for_nothing_is_an_empty_page_not_an_error(client: Any) -> None:
    answer = client.get("/search?q=")
    assert answer.status_code == 200
    assert "Nothing like it" in answer.text


def test_a_cart_holds_what_was_put_in_and_its_sum(client: Any) -> None:
    for item in (3, 5):
        assert client.post("/cart", data={"item": item}).status_code == 303
    cart = client.get("/cart").json
    assert [item["id"] for item in cart["items"]] == [3, 5]
    assert cart["total_cents"] == sum(item["price_cents"] for item in cart["items"])


def test_a_checkout_empties_the_cart_and_needs_a_token(client: Any) -> None:
    client.post("/cart", data={"item": 3})
    assert client.post("/checkout").status_code == 401
    bought = client.post("/checkout", headers={"Authorization": f"Bearer {_token(client)}"})
    assert bought.json["customer"] == "ada"
    assert bought.json["items"] == 1
    assert client.get("/cart").json["items"] == []


def test_an_expired_token_is_refused_with_401() -> None:
    shop: Any = LOADED["shop"]
    # itsdangerous counts whole seconds and a token is expired when it is older than its life.
    with shop.create_app(query_s=0, token_s=-1).test_client() as browser:
        answer = browser.post("/checkout", headers={"Authorization": f"Bearer {_token(browser)}"})
    assert answer.status_code == 401
    assert "expired" in answer.json["error"]


@pytest.mark.parametrize("header", ["", "Bearer ", "Bearer forged.token", "Basic YWRhOmxvdmVsYWNl"])
def test_what_is_no_token_is_refused_with_401(client: Any, header: str) -> None:
    assert client.post("/checkout", headers={"Authorization": header}).status_code == 401


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"customer": "ada", "password": "byron"}, 401),
        ({"customer": "eve", "password": "x"}, 401),
        ({"customer": "ada"}, 400),
        ([], 400),
    ],
)
def test_a_wrong_login_is_refused(client: Any, body: object, status: int) -> None:
    assert client.post("/login", json=body).status_code == status


@pytest.mark.parametrize("path", ["/products/0.json", "/products/801.json", "/nowhere"])
def test_what_does_not_exist_is_404(client: Any, path: str) -> None:
    assert client.get(path).status_code == 404


def test_a_product_that_does_not_exist_cannot_be_bought(client: Any) -> None:
    assert client.post("/cart", data={"item": 4_000}).status_code == 404
    assert client.post("/cart", data={"item": "many"}).status_code == 404


def test_a_token_of_one_worker_is_good_in_another(client: Any) -> None:
    shop: Any = LOADED["shop"]
    with shop.create_app(query_s=0).test_client() as other:
        answer = other.post("/checkout", headers={"Authorization": f"Bearer {_token(client)}"})
    assert answer.status_code == 200


@given(st.text(max_size=40), st.text(max_size=40))
def test_likeness_is_a_share_and_the_same_both_ways(a: str, b: str) -> None:
    first, other = search.trigrams(a), search.trigrams(b)
    assert 0 <= search.likeness(first, other) <= 1
    assert search.likeness(first, other) == search.likeness(other, first)


@given(st.text(max_size=40))
def test_a_ranking_is_best_first_and_has_no_product_twice(query: str) -> None:
    ranking = search.rank(query, database.Database(query_s=0).all_products())
    scores = [score for score, _ in ranking]
    assert scores == sorted(scores, reverse=True)
    assert len({product.id for _, product in ranking}) == len(ranking) <= 10
