"""A shop in Django with PostgreSQL, by its object-relational mapper. It reads settings.json.

GET /orders/N   an order    GET /orders   the first twenty
"""

import json
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import django
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpRequest, JsonResponse
from django.urls import path

DIALS = json.loads(Path("settings.json").read_text(encoding="utf-8"))
place = urlsplit(DIALS["database"])
settings.configure(
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    SECRET_KEY="not so secret",
    INSTALLED_APPS=[],
    MIDDLEWARE=["django.middleware.common.CommonMiddleware"],
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.postgresql", "NAME": "shop", "HOST": "127.0.0.1",
            "PORT": place.port,
            "USER": place.username, "PASSWORD": place.password, "CONN_MAX_AGE": DIALS["kept_s"],
        }
    },
)  # fmt: skip
django.setup()

from django.db import connection, models, transaction  # noqa: E402


class Order(models.Model):
    """An order."""

    id = models.IntegerField(primary_key=True)
    code = models.IntegerField()
    name = models.TextField()
    price = models.FloatField()

    class Meta:
        """Table in which it is kept."""

        app_label, db_table, managed = "shop", "orders", False


def order(request: HttpRequest, number: int) -> JsonResponse:
    """Look an order up."""
    wanted = [(number + step) % DIALS["orders"] + 1 for step in range(DIALS["queries"])]
    rows: list[Any] = [Order.objects.get(**{DIALS["column"]: key}) for key in wanted]
    if DIALS["hot_ms"]:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("UPDATE stock SET n = n + 1 WHERE id = 1")
            time.sleep(DIALS["hot_ms"] / 1e3)
    if DIALS["report_ms"]:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(%s)", [DIALS["report_ms"] / 1e3])
    return JsonResponse({"id": rows[0].id, "name": rows[0].name, "price": rows[0].price})


def several(request: HttpRequest) -> JsonResponse:
    """Return the first twenty."""
    rows = Order.objects.filter(id__lte=20).values("id", "name", "price")
    return JsonResponse(list(rows), safe=False)


urlpatterns = [path("orders/<int:number>", order), path("orders", several)]
application = WSGIHandler()
