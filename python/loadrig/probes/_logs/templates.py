"""Lines into templates: what varies in a line becomes a hole, and lines that differ in little are one.

As Drain does (He, Zhu, Zheng and Lyu 2017, "Drain: An Online Log Parsing Approach with Fixed Depth Tree"):
what looks like a number, a time, an address and the like is a hole; then lines of as many words that agree
in most of them are one template, and the words in which they differ are holes too. Its maintained programs
bring a serialiser of Python objects along and had no release for years, so this is one of our own.

No line is kept, only its template, of which secrets are masked.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

OTHERS = "(others)"
"""Template of the lines for which no room was left."""

MOST_TEMPLATES = 200
MOST_WORDS = 40
MOST_CHARACTERS = 300
"""Characters of a template, at most; the rest is left out."""

ALIKE_SHARE = 0.85
"""Share of words in which lines must agree to be a template: one word of seven may differ. Drain
takes 0.4 to 0.5, at which `pool of orders is full` and `pool of orders is open` would be the same."""

_MOST_REMEMBERED = 2000
_MOST_ALIKE = 30
"""Templates to which a new line is compared, at most: those with as many words and the same beginning."""

WORD = "<word>"
_CUT = "…"

_HOLES = re.compile(
    r"""
    (?<![A-Za-z_])(?:
    (?P<time>\d{4}[-/]\d\d[-/]\d\d[T\ ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:\ ?(?:Z\b|UTC\b|[+-]\d\d:?\d\d))?
      |\d{1,2}[/\ -][A-Z][a-z]{2}[/\ -]\d{4}[\ :]\d\d:\d\d:\d\d(?:\.\d+)?(?:\ [+-]\d{4})?
      |(?:[A-Z][a-z]{2}\ )?[A-Z][a-z]{2}\ \ ?\d{1,2}\ \d\d:\d\d:\d\d(?:\.\d+)?(?:\ \d{4})?
      |\b\d\d:\d\d:\d\d(?:[.,]\d+)?)
    |(?P<uuid>\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b)
    |(?P<text>"(?:[^"\\]|\\.){0,1000}"|(?<!\w)'[^']{0,300}'(?!\w))
    |(?P<address>(?<!\w)\w{1,20}://\S+|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\[[0-9a-fA-F]{0,4}:[0-9a-fA-F:.]+\](?::\d+)?
      |(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]+)
    |(?P<path>(?<![\w<.])/(?:[\w.@%+~-]{1,255}/)*[\w.@%+~-]{1,255})
    |(?P<hex>\b0x[0-9a-fA-F]+\b|\b(?=[a-f]{0,64}\d)[0-9a-f]{8,}\b(?<!\d{8}))
    |(?P<number>[+-]?\d+(?:[.,]\d+)*)
    )
    """,
    re.VERBOSE,
)


def holed(text: str) -> str:
    """Return a text with holes in place of what varies.

    >>> holed("worker 7 took 31.5 ms for /users/1 of 10.0.0.7:80")
    'worker <number> took <number> ms for <path> of <address>'
    """
    return _HOLES.sub(_hole, text)


def _hole(match: re.Match[str]) -> str:
    return f"<{match.lastgroup}>"


@dataclass(slots=True, eq=False)
class Template:
    """Lines that say the same. number: from 1. reported: how many of `count` were in events."""

    number: int
    words: list[str]
    level: str
    source: str
    first_ns: int
    last_ns: int
    count: int = 0
    reported: int = 0
    reported_ns: int = 0

    @property
    def text(self) -> str:
        """Template as a line of text."""
        text = " ".join(self.words)
        return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + _CUT


@dataclass(slots=True)
class Templates:
    """All templates of a component, at most MOST_TEMPLATES. masked: takes the secrets out of a text."""

    masked: Callable[[str], str]
    most: int = MOST_TEMPLATES
    all: list[Template] = field(default_factory=list)
    _remembered: dict[tuple[str, str], Template] = field(default_factory=dict)
    _alike: dict[tuple[str, int, str], list[Template]] = field(default_factory=dict)
    _others: Template | None = None

    def add(self, text: str, level: str, source: str, t_ns: int) -> Template:
        """Count a line, and return its template. source: the name of its log."""
        raw = (level, holed(text))
        template = self._remembered.get(raw)
        if template is None:
            template = self._find(raw[1], text, level, source, t_ns)
            if len(self._remembered) >= _MOST_REMEMBERED:
                self._remembered.clear()
            self._remembered[raw] = template
        template.count += 1
        template.last_ns = t_ns
        return template

    def _find(self, template_text: str, text: str, level: str, source: str, t_ns: int) -> Template:
        words = _words(template_text)
        # A line of a known template is not kept, so it need not be masked: masking takes ten
        # times as long as the rest. Secrets go before the holes are made: with a hole in it a token has lost
        # the form by which it is known.
        peers = self._peers(level, words)
        for template in peers:
            if _merge(template.words, words):
                return template
        masked = _words(holed(self.masked(text)))
        if len(masked) != len(words):
            peers = self._peers(level, masked)
        same = next((template for template in peers if template.words == masked), None)
        if same is not None:
            return same
        if len(self.all) >= self.most or len(peers) >= _MOST_ALIKE:
            return self._rest(t_ns)
        template = Template(len(self.all) + 1, masked, level, source, t_ns, t_ns)
        self.all.append(template)
        peers.append(template)
        return template

    def _peers(self, level: str, words: list[str]) -> list[Template]:
        first = next((word for word in words if "<" not in word), "")
        if (level, len(words), first) not in self._alike and len(self._alike) >= _MOST_REMEMBERED:
            return []  # a list that is not kept: all templates are taken
        return self._alike.setdefault((level, len(words), first), [])

    def _rest(self, t_ns: int) -> Template:
        if self._others is None:
            self._others = Template(len(self.all) + 1, [OTHERS], "", "", t_ns, t_ns)
            self.all.append(self._others)
        return self._others


def _words(text: str) -> list[str]:
    words = text.split(None, MOST_WORDS)
    return words if len(words) <= MOST_WORDS else [*words[:MOST_WORDS], _CUT]


def _merge(template: list[str], words: list[str]) -> bool:
    """Return whether a line fits a template; words in which it differs then become holes."""
    differs = [
        n
        for n, (known_word, new_word) in enumerate(zip(template, words, strict=True))
        if known_word not in (new_word, WORD)
    ]
    holes = template.count(WORD)
    if len(differs) + holes > (1 - ALIKE_SHARE) * len(words):
        return False
    for n in differs:
        template[n] = WORD
    return True
