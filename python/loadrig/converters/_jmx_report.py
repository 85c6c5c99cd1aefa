"""Account of what becomes of the elements of a JMX file: carried, altered or dropped, each by its line."""

from collections.abc import Mapping

from loadrig.converters._account import PartsAccount
from loadrig.converters._jmx_tree import TreeElement
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.room import ConvertersTexts

ROOM_TEXTS = texts_of(ConvertersTexts)

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
    """Account of one file. A sentence about an element stands in its parts once."""

    def __init__(self) -> None:
        self.parts = PartsAccount()
        self._counted: set[tuple[str, int]] = set()

    def carry(self, element: TreeElement) -> None:
        """Note that the plan says an element as the test does; an element counts once."""
        kind = kind_of_element(element)
        if (kind, element.line) not in self._counted:
            self._counted.add((kind, element.line))
            self.parts.carry(kind)

    def drop(self, element: TreeElement, why: str, part: str = "") -> None:
        """Note that the plan leaves out an element, or a part of it. part: its name."""
        self.parts.drop(ROOM_TEXTS.at_line(element.line), part_of(element, part), why, element.line)

    def alter(self, element: TreeElement, how: str, part: str = "") -> None:
        """Note that the plan says an element, or a part of it, otherwise than the test."""
        self.parts.alter(ROOM_TEXTS.at_line(element.line), part_of(element, part), how, element.line)


def part_of(element: TreeElement, part: str) -> str:
    """Return a part of an element with the element it is of; the element alone where no part is named."""
    return f"{part} ({described(element)})" if part else described(element)
