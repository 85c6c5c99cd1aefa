"""A badge: the verdict on a picture of a few words, for a README or a dashboard.

The picture is one file that asks the network for nothing. Words stand in it, so that the colour says nothing
alone; they are told to a screen reader, too.
"""

from collections.abc import Mapping
from html import escape

from loadrig.base.printable import in_one_line

COLOURS: Mapping[str, str] = {
    "worse": "#a83a00",
    "better": "#00694b",
    "equal": "#00694b",
    "undecided": "#59626b",
}
"""Ground of the verdict; white is read on each of them (contrast 5.5 and more)."""

LETTER_PX = 6.9
"""Width of a letter on average, in pixels: of Verdana at 11 px, with which such pictures are drawn."""

LONGEST = 60
"""Largest number of letters of each part."""


def badge(label: str, message: str, verdict: str) -> str:
    """Return an SVG with a label and a message. verdict: `better`, `equal`, `worse` or `undecided`."""
    texts = [in_one_line(text)[:LONGEST] for text in (label, message)]
    left, right = (round(len(text) * LETTER_PX + 12) for text in texts)
    label, message = (escape(text) for text in texts)
    wide = left + right
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="20" role="img"'
        f' aria-label="{label}: {message}"><title>{label}: {message}</title>'
        f'<rect width="{wide}" height="20" rx="3" fill="#33393f"/>'
        f'<path d="M{left} 0h{right - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-{right - 3}z"'
        f' fill="{COLOURS[verdict]}"/>'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">'
        f'<text x="{left / 2}" y="14">{label}</text>'
        f'<text x="{left + right / 2}" y="14">{message}</text></g></svg>\n'
    )
