"""Account of what becomes of the elements of a JMX file: carried, altered or dropped, each by its line."""

from collections import Counter
from collections.abc import Mapping

from loadrig.converters._draft import Altered, Dropped
from loadrig.converters._jmx_tree import TreeElement
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.jmeter import ConvertersJmeterTexts
from loadrig.language.en.converters.room import ConvertersTexts

TEXTS, ROOM_TEXTS = texts_of(ConvertersJmeterTexts), texts_of(ConvertersTexts)

NAMES: Mapping[str, str] = {
    "ArrivalsThreadGroup": "Arrivals Thread Group",
    "Arguments": "User Defined Variables",
    "AuthManager": "HTTP Authorization Manager",
    "BoundaryExtractor": "Boundary Extractor",
    "CacheManager": "HTTP Cache Manager",
    "ConcurrencyThreadGroup": "Concurrency Thread Group",
    "ConstantThroughputTimer": "Constant Throughput Timer",
    "ConstantTimer": "Constant Timer",
    "CookieManager": "HTTP Cookie Manager",
    "CounterConfig": "Counter",
    "CSVDataSet": "CSV Data Set Config",
    "DurationAssertion": "Duration Assertion",
    "ForeachController": "ForEach Controller",
    "GaussianRandomTimer": "Gaussian Random Timer",
    "GenericController": "Simple Controller",
    "HTTPSampler": "HTTP Request",
    "HTTPSampler2": "HTTP Request",
    "HTTPSamplerProxy": "HTTP Request",
    "HeaderManager": "HTTP Header Manager",
    "HtmlExtractor": "CSS Selector Extractor",
    "IfController": "If Controller",
    "InterleaveControl": "Interleave Controller",
    "JDBCSampler": "JDBC Request",
    "JSONPathAssertion": "JSON Assertion",
    "JSONPostProcessor": "JSON Extractor",
    "JMESPathExtractor": "JMESPath Extractor",
    "JSR223Sampler": "JSR223 Sampler",
    "JSR223PreProcessor": "JSR223 PreProcessor",
    "JSR223PostProcessor": "JSR223 PostProcessor",
    "JSR223Assertion": "JSR223 Assertion",
    "LoopController": "Loop Controller",
    "ModuleController": "Module Controller",
    "OpenModelThreadGroup": "Open Model Thread Group",
    "OnceOnlyController": "Once Only Controller",
    "PoissonRandomTimer": "Poisson Random Timer",
    "PostThreadGroup": "tearDown Thread Group",
    "RandomController": "Random Controller",
    "RandomOrderController": "Random Order Controller",
    "RandomVariableConfig": "Random Variable",
    "RegexExtractor": "Regular Expression Extractor",
    "ResponseAssertion": "Response Assertion",
    "SetupThreadGroup": "setUp Thread Group",
    "SizeAssertion": "Size Assertion",
    "SteppingThreadGroup": "Stepping Thread Group",
    "SwitchController": "Switch Controller",
    "TestAction": "Flow Control Action",
    "TestPlan": "Test Plan",
    "ThreadGroup": "Thread Group",
    "ThroughputController": "Throughput Controller",
    "TransactionController": "Transaction Controller",
    "UltimateThreadGroup": "Ultimate Thread Group",
    "UniformRandomTimer": "Uniform Random Timer",
    "UserParameters": "User Parameters",
    "VariableThroughputTimer": "Throughput Shaping Timer",
    "WhileController": "While Controller",
    "XPathExtractor": "XPath Extractor",
}
"""Names of JMeter's menu by the classes in its files; of others the class is said."""


def described(element: TreeElement) -> str:
    """Return the kind of an element as JMeter's menu has it, and its name."""
    kind = kind_of_element(element)
    return f'{kind} "{element.name}"' if element.name and element.name != kind else kind


def kind_of_element(element: TreeElement) -> str:
    """Return the kind of an element as JMeter's menu has it."""
    if element.gui == "HttpDefaultsGui":
        return "HTTP Request Defaults"
    return NAMES.get(element.kind, element.kind)


class JmxReport:
    """Account of one file. A sentence about an element stands in it once."""

    def __init__(self) -> None:
        self._dropped: dict[Dropped, None] = {}
        self._altered: dict[Altered, None] = {}
        self._carried: dict[str, dict[int, None]] = {}

    def carry(self, element: TreeElement) -> None:
        """Note that the plan says an element as the test does; an element counts once."""
        self._carried.setdefault(kind_of_element(element), {})[element.line] = None

    def drop(self, element: TreeElement, why: str, part: str = "") -> None:
        """Note that the plan leaves out an element, or a part of it. part: its name."""
        what = f"{part} ({described(element)})" if part else described(element)
        self._dropped[Dropped(ROOM_TEXTS.at_line(element.line), what, why, element.line)] = None

    def alter(self, element: TreeElement, how: str, part: str = "") -> None:
        """Note that the plan says an element, or a part of it, otherwise than the test."""
        what = f"{part} ({described(element)})" if part else described(element)
        self._altered[Altered(ROOM_TEXTS.at_line(element.line), what, how, element.line)] = None

    @property
    def dropped(self) -> tuple[Dropped, ...]:
        """Parts that were left out, by their lines."""
        return tuple(sorted(self._dropped, key=lambda part: part.order))

    @property
    def altered(self) -> tuple[Altered, ...]:
        """Parts that the plan says otherwise, by their lines."""
        return tuple(sorted(self._altered, key=lambda part: part.order))

    @property
    def carried(self) -> dict[str, int]:
        """Elements that the plan says as the test does, by their kind."""
        counts = Counter({kind: len(lines) for kind, lines in self._carried.items()})
        return dict(counts.most_common())
