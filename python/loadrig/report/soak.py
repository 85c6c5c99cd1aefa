"""Results of a soak and of a spike, as read from a study's result, and in words."""

from collections.abc import Mapping
from typing import Any

from loadrig.report import numbers
from loadrig.report.model import Number, Tone
from loadrig.report.run import Run

Json = Mapping[str, Any]

GROWTH: Mapping[str, tuple[str, str, Tone]] = {
    "leaks": ("✗", "leaks", "bad"),
    "fills": ("◒", "fills something", "warn"),
    "made": ("◒", "was made in few rises", "plain"),
    "little": ("✓", "too little to matter", "good"),
    "level": ("✓", "does not grow", "good"),
    "unsure": ("?", "not to be told", "quiet"),
}
"""Symbol, words and tone of what a level does."""

LAPSES: Mapping[Any, tuple[str, Tone]] = {
    True: ("✓ kept in all", "good"),
    False: ("✗ missed", "bad"),
    None: ("? not to be told", "quiet"),
}


def found_in(run: Run, name: str) -> Json | None:
    """Return the answer of a soak or a spike (`name`): a study's own, or one made now of a trial cut short.

    None where there was none, or where the trial is void.
    """
    if run.study is not None:
        answer: Json | None = run.study.json.get(name)
        return answer
    if not run.views or run.trial["validity"]["verdict"] == "void":
        return None
    recording = run.views[0].recording
    if recording.manifest.get("find") != name:
        return None
    # Imported here, as few pages need it: only those of a soak or a spike that was cut short.
    if name == "soak":
        from loadrig.soaking.document import document
    else:
        from loadrig.soaking.spike_document import document
    return document(recording)


def sentences(answer: Json) -> list[str]:
    """Return the soak's headline and its gravest sentences."""
    texts = [str(text) for text in answer["sentences"]]
    return [str(answer["headline"]), *(_sentence(text) for text in texts)]


def spike_sentence(spike: Json) -> str:
    """Return what a spike did, in sentences."""
    return _capital(str(spike["text"]))


def ended(answer: Json) -> str:
    """Return why a soak was over, in a sentence."""
    return f"{_capital(str(answer['ended']))}." if answer.get("ended") else ""


def is_leak(row: Json) -> bool:
    """Return whether a level leaks."""
    return bool(row["verdict"] == "leaks")


def each_request(row: Json) -> str:
    """Return the growth with every request and its interval: "1.1 kB (1 – 1.2)"."""
    slope = row.get("a_request")
    if not slope or slope["value"] is None:
        return "–"
    value = numbers.amount(slope["value"], row["unit"])
    if slope["low"] is None or slope["high"] is None:
        return value
    return f"{value} ({numbers.span(slope['value'], slope['low'], slope['high'], row['unit'])})"


def size(row: Json) -> str:
    """Return how fast a level grows: "1.1 kB (1 – 1.2) a request", "80 MB (70 – 90) an hour".

    It is told by what the growth follows: requests or time.
    """
    hourly = row.get("an_hour")
    if row.get("follows") != "time" or not hourly or hourly["value"] is None:
        return f"{each_request(row)} a request"
    value = numbers.amount(hourly["value"], row["unit"])
    if hourly["low"] is None or hourly["high"] is None:
        return f"{value} an hour"
    return f"{value} ({numbers.span(hourly['value'], hourly['low'], hourly['high'], row['unit'])}) an hour"


def large(answer: Json) -> list[Number]:
    """Return the figures to be read first: those of the most urgent leak, and when its limit is reached."""
    row = next((level for level in answer.get("growth", ()) if is_leak(level)), None)
    if row is None:
        return []
    is_hourly = size(row).endswith(" an hour")
    slope = row["an_hour"] if is_hourly else row["a_request"]
    what = f"{row['what']} of {row['component']}, {'an hour' if is_hourly else 'a request'}"
    shown = [Number(numbers.amount(slope["value"], row["unit"]), what, _between(slope, row["unit"]), "bad")]
    if reached(row) != "–":
        soon, _, between = reached(row).partition(" (")
        shown.append(Number(soon, f"until {row['limit']['text']}", between.rstrip(")"), "bad"))
    return shown


def _between(slope: Json, unit: str) -> str:
    """Return the interval of a slope, without the unit."""
    if slope["low"] is None or slope["high"] is None:
        return ""
    return numbers.span(slope["value"], slope["low"], slope["high"], unit)


def reached(row: Json) -> str:
    """Return when a level's limit is reached at the load there was: "5 h (4 h – 6 h)"."""
    coming = row.get("reached_in_s")
    if not coming or coming["value"] is None:
        return "–"
    if coming["low"] is None or coming["high"] is None:
        return numbers.amount(coming["value"], "s")
    return f"{lasting(coming['value'])} ({lasting(coming['low'])} – {lasting(coming['high'])})"


def lasting(seconds: float) -> str:
    """Return a duration for a reader, from two days on in days."""
    if seconds < 2 * 86_400:
        return numbers.amount(round(seconds) if seconds >= 10 else seconds, "s")
    days = seconds / 86_400
    return f"{days:,.0f} days" if days >= 10 else f"{days:.1f} days"


def _sentence(text: str) -> str:
    return f"{_capital(text)}."


def _capital(text: str) -> str:
    """Return the text with a capital, unless its first word is a name with figures, such as p95."""
    first = text.split(" ")[0]
    return text if any(c.isdigit() for c in first) else text[:1].upper() + text[1:]
