"""Parameters of a request of a k6 script: headers, cookies, tags, time-outs, redirects and jars."""

from loadrig.converters._account import LineAccount
from loadrig.converters._k6_constants import parsed_seconds
from loadrig.converters._k6_jars import CookieJar
from loadrig.converters._k6_requests import ScriptStep
from loadrig.converters._k6_texts import Value, text_of
from loadrig.converters._locust_values import MixedText
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.k6 import ConvertersK6Texts

TEXTS = texts_of(ConvertersK6Texts)


def set_parameter(step: ScriptStep, key: str, value: Value, own: CookieJar, account: LineAccount) -> None:
    """Give a request what one of its parameters says; list what a plan cannot say. own: jar of the user."""
    if key == "headers" and isinstance(value, dict):
        for name, text in value.items():
            same = next((other for other in step.headers if other.lower() == name.lower()), name)
            step.headers.pop(same, None)
            step.headers[name] = text_of(text)
    elif key == "cookies" and isinstance(value, dict):
        for name, text in value.items():
            inner = text.get("value") if isinstance(text, dict) else text
            step.cookies[name] = text_of(inner)
    elif key == "tags" and isinstance(value, dict):
        if isinstance(value.get("name"), MixedText):
            step.name = value["name"].constant or ""
        for tag in value.keys() - {"name"}:
            account.drop(step.line, f"tag {tag}", TEXTS.no_parameter)
    elif key == "timeout" and (seconds := parsed_seconds(value, 1e-3)):
        step.timeout_s = seconds
    elif key == "redirects" and isinstance(value, int):
        step.redirects = value
    elif isinstance(value, CookieJar):
        if value is not own:
            account.alter(step.line, key, TEXTS.own_jar)
    elif key != "responseType":
        account.drop(step.line, key, TEXTS.no_parameter)
