"""A small shop to practise on: pages, search, a cart, a checkout behind a login that expires.

Start it as any Flask application: `gunicorn shop:app`. It keeps nothing between requests: the cart is
in a signed cookie, the login in a signed token, so that any number of workers is one shop.

    GET  /                      the front page (HTML)
    GET  /products?page=N       20 products (HTML)
    GET  /products/ID.json      one product (JSON)
    GET  /search?q=TEXT         the ten products most like the text (HTML): most of the CPU time
    POST /cart      item=ID     puts one in the cart (303 to /cart); GET shows it (JSON)
    POST /login     JSON        {"customer", "password"} -> {"token", "lasts_s"}
    POST /checkout  Bearer      the sum of the cart (JSON), and the cart is empty; 401 without a token
    GET  /health                "ok", without a query
"""

import os
from http import HTTPStatus
from typing import Any

from database import QUERY_S, Database
from flask import Flask, Response, abort, jsonify, redirect, render_template, request, session
from itsdangerous import BadSignature, SignatureExpired, URLSafeTimedSerializer
from search import rank
from werkzeug.exceptions import HTTPException

PAGE = 20
CART_MOST = 20
TOKEN_S = 300


def create_app(*, query_s: float = QUERY_S, token_s: int = TOKEN_S) -> Flask:
    """Return the application. query_s: wait of a database query; token_s: how long a login lasts."""
    app = Flask(__name__)
    # Signs carts and tokens of a shop that sells nothing; fixed, so that all workers agree on it.
    app.secret_key = "for practice only"
    database = Database(query_s)
    tokens = URLSafeTimedSerializer(app.secret_key, salt="login")

    @app.get("/")
    def front() -> str:
        return render_template("front.html")

    @app.get("/health")
    def health() -> Response:
        return Response("ok", mimetype="text/plain")

    @app.get("/products")
    def products() -> str:
        page = max(1, request.args.get("page", 1, type=int))
        everything = database.all_products()
        shown = everything[(page - 1) * PAGE : page * PAGE]
        return render_template("products.html", title=f"Products, page {page}", products=shown)

    @app.get("/products/<int:number>.json")
    def product(number: int) -> Response:
        product = database.product(number)
        if product is None:
            abort(HTTPStatus.NOT_FOUND)
        return jsonify(product.to_json())

    @app.get("/search")
    def search() -> str:
        query = request.args.get("q", "")
        products = [product for _, product in rank(query, database.all_products())]
        return render_template("products.html", title=f"Found for “{query}”", products=products)

    @app.post("/cart")
    def add_to_cart() -> Any:
        product = database.product(request.form.get("item", 0, type=int))
        if product is None:
            abort(HTTPStatus.NOT_FOUND)
        session["cart"] = [*session.get("cart", []), product.id][-CART_MOST:]
        return redirect("/cart", HTTPStatus.SEE_OTHER)

    @app.get("/cart")
    def cart() -> Response:
        chosen = database.products(session.get("cart", []))
        return jsonify(items=[product.to_json() for product in chosen], total_cents=_total(chosen))

    @app.post("/login")
    def login() -> Response:
        asked = request.get_json()
        if not isinstance(asked, dict) or "customer" not in asked or "password" not in asked:
            abort(HTTPStatus.BAD_REQUEST)
        if database.password_of(str(asked["customer"])) != asked["password"]:
            abort(HTTPStatus.UNAUTHORIZED)
        return jsonify(token=tokens.dumps(asked["customer"]), lasts_s=token_s)

    @app.post("/checkout")
    def checkout() -> Response:
        customer = _customer(request.headers.get("Authorization", ""))
        bought = database.products(session.pop("cart", []))
        return jsonify(customer=customer, items=len(bought), total_cents=_total(bought))

    def _customer(header: str) -> str:
        scheme, _, token = header.partition(" ")
        if scheme != "Bearer":
            abort(HTTPStatus.UNAUTHORIZED, "a token is needed: POST /login")
        try:
            return str(tokens.loads(token, max_age=token_s))
        except SignatureExpired:
            abort(HTTPStatus.UNAUTHORIZED, "the token has expired: POST /login")
        except BadSignature:
            abort(HTTPStatus.UNAUTHORIZED, "this is no token of this shop")

    @app.errorhandler(HTTPException)
    def refused(error: HTTPException) -> tuple[Response, int]:
        return jsonify(error=error.description), error.code or HTTPStatus.INTERNAL_SERVER_ERROR

    return app


def _total(products: list[Any]) -> int:
    return sum(product.price_cents for product in products)


app = create_app(
    query_s=float(os.environ.get("SHOP_QUERY_S", QUERY_S)),
    token_s=int(os.environ.get("SHOP_TOKEN_S", TOKEN_S)),
)
