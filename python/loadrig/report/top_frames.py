"""The functions that take most of a server's CPU time: as a table for the report."""

from loadrig.base.component import SERVER
from loadrig.language.choice import texts_of
from loadrig.language.en.report.page import ReportTopFramesTexts
from loadrig.profilers import ORIGINS, KeptProfile, Summary, TimeUse
from loadrig.report import numbers
from loadrig.report.model import Cell, Table, Tone
from loadrig.report.tables import left, right, table_of

TEXTS = texts_of(ReportTopFramesTexts)

TOP = 6
"""Number of functions in a table: as many as a person takes in at a glance."""

_WHOSE = {"own": "own", "library": "library", "runtime": "language", "kernel": "kernel"}
_TONES: dict[str, Tone] = {"own": "strong"}


def table(summary: Summary, most: int = TOP, caption: str = "", *, folded: bool = False) -> Table:
    """Return the functions with most self time, and the program's own first one if it is not among them."""
    return table_of(
        top(summary, most),
        right(
            "self",
            lambda use: share(use.self_share),
            doc=TEXTS.cpu_time_function,
        ),
        right(
            "total",
            lambda use: share(use.total_share),
            doc=TEXTS.cpu_time_function_all,
        ),
        left("function", lambda use: Cell(use.name, _TONES.get(use.origin, "plain"), place(use))),
        left(
            "whose",
            lambda use: Cell(_WHOSE[use.origin], "plain" if use.origin == "own" else "quiet"),
            doc="; ".join(f"{_WHOSE[key]}: {text}" for key, text in ORIGINS.items()),
        ),
        caption=caption,
        folded=folded,
    )


def top(summary: Summary, most: int = TOP) -> tuple[TimeUse, ...]:
    """Return the functions with most self time; the last gives way to the first of the program's own code."""
    first = summary.functions[:most]
    own = summary.own(1)
    if own and not any(use.origin == "own" for use in first):
        return (*first[: most - 1], own[0])
    return first


def heading(profile: KeptProfile) -> str:
    """Return whose time it is and its split: "CPU time of the server: 72 % own code, 28 % libraries"."""
    assert profile.summary is not None
    shares = sorted(profile.summary.shares.items(), key=lambda pair: -pair[1])
    split = ", ".join(f"{share(part)} {ORIGINS[origin]}" for origin, part in shares if part >= 0.005)
    return TEXTS.cpu_time(named(profile.component), split)


def named(component: str) -> str:
    """Return a component's name for a sentence."""
    return TEXTS.the(component) if component == SERVER else component


def place(use: TimeUse) -> str:
    """Return where a function is, short enough for a table: the file's last names and the line."""
    return short(use.file) + (f":{use.line}" if use.line else "")


def short(file: str) -> str:
    """Return a path without what all paths share: from the package on, else its last three names."""
    if not file.startswith("/"):
        return file
    for mark in ("/site-packages/", "/dist-packages/", "/node_modules/"):
        if mark in file:
            return file.rpartition(mark)[2]
    return "/".join(file.rstrip("/").split("/")[-3:]).lstrip("/")


def share(part: float) -> str:
    """Return a share of a profile's time: "0 %" means none at all."""
    if 0 < part < 0.001:
        return "< 0.1 %"
    text = numbers.amount(part, "1")
    return f"{part * 100:.1f} %" if 0.001 <= part < 0.0995 else text
