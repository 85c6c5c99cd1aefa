"""Secrets that are known: they are in no text that passes, in whatever form other texts hold them."""

import base64
import html
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loadrig.base import known_secrets

letters = st.characters(min_codepoint=33, max_codepoint=0x24F, exclude_categories=("Cc", "Cf", "Zs"))
values = st.text(letters, min_size=8, max_size=30).map(lambda text: f"Z7{text}q_")


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin each test without secrets, and leave none to others."""
    monkeypatch.setattr(known_secrets, "_shown_by_form", {})
    monkeypatch.setattr(known_secrets, "_pattern", None)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values)
def test_a_known_value_is_hidden_in_every_form(value: str) -> None:
    known_secrets.learn(value)
    forms = (
        value, json.dumps(value), html.escape(value), quote(value, safe=""), quote_plus(value),
        base64.b64encode(value.encode()).decode(),
    )  # fmt: skip
    for form in forms:
        assert form not in known_secrets.hidden(f"before {form} after")
    document = {"a": [value, 1, None], value: {"b": f"x{value}"}}
    assert value not in str(known_secrets.hidden_in(document))


def test_a_value_of_several_parts_is_hidden_part_by_part() -> None:
    known_secrets.learn("Bearer tok-12345")
    known_secrets.learn("Basic " + base64.b64encode(b"anna:pass-word-1").decode())
    known_secrets.learn("a=b; session=cookie-12345")
    text = known_secrets.hidden("tok-12345, pass-word-1, anna, cookie-12345, a=b")
    assert text == "***, ***, anna, ***, a=b"


def test_words_numbers_and_short_texts_are_not_looked_for() -> None:
    for value in ("postgres", "8080", "12345678901234567", "a-1", ""):
        known_secrets.learn(value)
    assert known_secrets.hidden_forms() == ()


def test_what_stands_in_the_place_of_a_value_is_its_hole() -> None:
    known_secrets.learn("tok-12345", "{env:TOKEN}")
    assert known_secrets.hidden("x tok-12345") == "x {env:TOKEN}"
