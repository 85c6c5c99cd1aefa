"""Elements of JMeter that hold for requests and have no part in a plan."""

from collections.abc import Sequence

from loadrig.converters._jmx_flow import LISTENERS, is_modifier
from loadrig.converters._jmx_report import JmxReport
from loadrig.converters._jmx_timers import TIMERS
from loadrig.converters._jmx_tree import TreeElement
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.jmeter import ConvertersJmeterTexts

TEXTS = texts_of(ConvertersJmeterTexts)

_CHECKS = ("ResponseAssertion", "DurationAssertion", "SizeAssertion", "JSONPathAssertion")


def note_left_out(children: Sequence[TreeElement], report: JmxReport) -> None:
    """Note the elements among some that change nothing in a plan."""
    for element in children:
        if not is_modifier(element):
            continue
        if not element.is_enabled:
            report.drop(element, TEXTS.switched_off)
        elif why := _no_part(element):
            report.drop(element, why)


def _no_part(element: TreeElement) -> str:
    """Return why an element has no part in a plan; nothing for one that may have."""
    kind = element.kind
    if kind in LISTENERS or kind.endswith(("Listener", "Visualizer")):
        return TEXTS.no_listener
    if kind == "ConfigTestElement" and element.gui != "HttpDefaultsGui":
        return TEXTS.no_sampler
    if kind.startswith(("JSR223", "BeanShell", "BSF")):
        return TEXTS.no_scripts
    if kind.endswith("Assertion") and kind not in _CHECKS:
        return TEXTS.no_such_check
    if kind.endswith("Timer") and kind not in TIMERS:
        return TEXTS.no_such_timer
    usable = (
        "Arguments", "ConfigTestElement", "HeaderManager", "CookieManager", "CacheManager", "AuthManager",
        "CSVDataSet", "CounterConfig", "RandomVariableConfig", "UserParameters", "RegexExtractor",
        "BoundaryExtractor", "JSONPostProcessor", "JMESPathExtractor", "HtmlExtractor", "XPathExtractor",
        "XPath2Extractor",
    )  # fmt: skip
    return "" if kind in usable or kind in _CHECKS or kind in TIMERS else TEXTS.no_such_part
