"""Selectors of CSS become patterns that take the value of the element that they select."""

import re

import pytest

from loadrig.converters._jmx_checks import is_plain_pattern
from loadrig.converters._jmx_selectors import pattern_of_selector

PAGE = """<form id="f" class="main big"><input type=text name=q value=x>
<input type="hidden" data-name="csrf" name="csrf2" value="no"><input type='hidden' name='csrf' value='a b'>
<a class="next" href="/item/5?x=1">five</a><p class="a nextpage">no</p>
<p class="b next c" id="p">text</p></form>"""


@pytest.mark.parametrize(
    ("selector", "attribute", "taken"),
    [
        ("input[name=csrf]", "value", "a b"),
        ("input[type=hidden][name='csrf']", "value", "a b"),
        ('[name="csrf2"]', "value", "no"),
        ("input[name=q]", "value", "x"),
        ("a[href^=/item]", "href", "/item/5?x=1"),
        ("a[href^=/item]", "", "five"),
        ("a[href*='?x']", "class", None),
        ("p.next", "", "text"),
        ("p.next#p", "", "text"),
        (".main", "class", "main big"),
        ("#f", "class", "main big"),
        ("a[href]", "href", "/item/5?x=1"),
        ("a[href$='x=1']", "", "five"),
        ("p#none", "", None),
        ("*[name=csrf]", "value", "a b"),
    ],
)
def test_the_value_of_a_selected_element_is_taken(selector: str, attribute: str, taken: str | None) -> None:
    pattern = pattern_of_selector(selector, attribute)
    assert pattern is not None
    assert is_plain_pattern(pattern)
    match = re.search(pattern, PAGE)
    assert (match[1] if match else None) == taken


@pytest.mark.parametrize(
    "selector",
    ["", "form input", "form > input", "a, b", "a:first-child", "[href~=x]", "a[href", "#", "a[^data]"],
)
def test_a_selector_of_more_than_an_element_is_none(selector: str) -> None:
    assert pattern_of_selector(selector, "value") is None
