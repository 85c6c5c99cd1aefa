"""Selectors of jsoup and Jodd, and simple XPaths, become selectors of CSS that the generator takes."""

import json

import pytest

from loadrig._native import check_config
from loadrig.converters._selectors import Selection, css_of, selection_of, selection_of_path
from tests.native.test_config import config, route

SELECTORS = {
    "input[name=csrf]": 'input[name="csrf"]',
    "input[type=hidden][name='csrf']": 'input[type="hidden"][name="csrf"]',
    "input[name=user[name]]": 'input[name="user[name]"]',
    "a[href^=/item]": 'a[href^="/item"]',
    "a[href$='x=1'],a[ href *= \"?x\" ]": 'a[href$="x=1"], a[href*="?x"]',
    """a[title='say "no"']""": """a[title="say \\"no\\""]""",
    "a[lang!=en]": 'a:not([lang="en"])',
    "form#f.main > input": "form#f.main > input",
    "#7up .2nd + p ~ *": '[id="7up"] [class~="2nd"] + p ~ *',
    "div:has( > a ) li:eq(1)": "div:has(> a) li:nth-child(2)",
    "li:lt(3):gt(0)": "li:nth-child(-n+3):nth-child(n+2)",
    "p:not(.a, :is(b i)):nth-last-child(2n + 1)": "p:not(.a, :is(b i)):nth-last-child(2n + 1)",
    "tr:first-child td:last-of-type": "tr:first-child td:last-of-type",
    "p.größe": "p.größe",
}


@pytest.mark.parametrize("selector", SELECTORS)
def test_a_selector_of_jsoup_is_one_of_css(selector: str) -> None:
    css = css_of(selector)
    assert css == SELECTORS[selector]
    assert check_config(json.dumps(config(routes=[route(extract=[{"into": "x", "css": css}])]))) is None


NOT_OF_CSS = (
    *("", "#", "a >", "> a", "a,,b", "a > > b", "[x]b", "a[href", "a)", "a:not(", "a:hover", "svg|a"),
    *("a:contains(x)", "a[href~=x]", "a[^data]", "a:has(b:has(c))", ":not(" * 9 + "a" + ")" * 9, "a" * 1001),
)


@pytest.mark.parametrize("selector", NOT_OF_CSS)
def test_a_selector_that_css_does_not_have_is_none(selector: str) -> None:
    assert css_of(selector) is None


@pytest.mark.parametrize(
    ("selector", "selection"),
    [
        ("a.b:first", Selection("a.b", "href")),
        ("a:eq(2)", Selection("a", "href", 3)),
        ("a:first-child", Selection("a:first-child", "href")),
        ("ul:eq(1) a", None),
        ("a:last", None),
    ],
)
def test_a_choice_of_jodd_is_the_number_of_a_match(selector: str, selection: Selection | None) -> None:
    assert selection_of(selector, "href", is_of_jodd=True) == selection


@pytest.mark.parametrize(
    ("query", "selection"),
    [
        ("//input[@name='csrf']/@value", Selection('input[name="csrf"]', "value")),
        (
            "//form[@id='f' and @class]//input[2]/@value",
            Selection('form[id="f"][class] input:nth-of-type(2)', "value"),
        ),
        ("/html/body//a[contains(@href,'x')]/@href", Selection('html > body a[href*="x"]', "href")),
        ("//li[last()]/a/text()", Selection("li:last-of-type > a", None)),
        ("//a", None),
        ("/a/@x", None),
        ("//*[2]/@x", None),
        ("//soap:b/@x", None),
        ("count(//a)", None),
        ("//a[@x='1'][2]/@y", None),
    ],
)
def test_steps_of_an_xpath_are_a_selector(query: str, selection: Selection | None) -> None:
    assert selection_of_path(query, is_page=True) == selection


def test_a_text_of_xml_is_not_taken_as_that_of_a_page() -> None:
    assert selection_of_path("//link/text()", is_page=False) is None
