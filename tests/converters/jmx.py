"""Test plans of JMeter in a few words, for tests of single elements."""

from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from loadrig.base import members
from loadrig.converters import Conversion, TestSource
from loadrig.plan.written import WrittenRequest

JMETER = members.load("loadrig.converters", "jmeter")


def property_of(name: str, value: object) -> str:
    return f"<stringProp name={quoteattr(name)}>{escape(str(value))}</stringProp>"


def element(kind: str, name: str = "", below: str = "", enabled: str = "true", **properties: object) -> str:
    inner = "".join(property_of(key.replace("__", "."), value) for key, value in properties.items())
    return (
        f'<{kind} testclass="{kind}" testname={quoteattr(name)} enabled="{enabled}">{inner}</{kind}>\n'
        f"<hashTree>{below}</hashTree>\n"
    )


def sampler(name: str, path: str = "/", below: str = "", host: str = "127.0.0.1", method: str = "GET") -> str:
    keys = {"domain": host, "port": "8099", "path": path, "method": method}
    properties = {f"HTTPSampler__{key}": value for key, value in keys.items()}
    return element("HTTPSamplerProxy", name, below, **properties)


def group(below: str, threads: int = 1, loops: object = -1, **properties: object) -> str:
    loop = property_of("LoopController.loops", loops)
    loop = f'<elementProp name="ThreadGroup.main_controller">{loop}</elementProp>'
    inner = "".join(property_of(f"ThreadGroup.{key}", value) for key, value in properties.items())
    return (
        f'<ThreadGroup testclass="ThreadGroup" testname="group" enabled="true">{loop}'
        f"{property_of('ThreadGroup.num_threads', threads)}{inner}</ThreadGroup>\n"
        f"<hashTree>{below}</hashTree>\n"
    )


def document(below: str) -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<jmeterTestPlan version="1.2"><hashTree>'
        f'<TestPlan testclass="TestPlan" testname="plan" enabled="true"/>\n<hashTree>{below}</hashTree>'
        "</hashTree></jmeterTestPlan>\n"
    )


def converted(below: str, folder: Path) -> Conversion:
    path = folder / "test.jmx"
    path.write_text(document(below), encoding="utf-8")
    conversion: Conversion = JMETER.convert(TestSource(path))
    return conversion


def requests(conversion: Conversion) -> list[WrittenRequest]:
    return [step.request for scenario in conversion.plan.scenarios for step in scenario.steps]
