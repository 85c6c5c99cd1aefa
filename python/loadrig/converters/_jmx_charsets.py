"""Character sets of requests of JMeter: texts in percent signs, types and bodies, where it is not UTF-8.

Source: `HTTPArgument`, `HTTPSamplerBase.getQueryString` and `HTTPHC4Impl.createUrlEncodedFormEntity` of
apache/jmeter; `URLEncoder` of OpenJDK 17.
"""

import codecs
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote_plus, unquote_plus

_JAVA_NAMES: Mapping[str, str] = {
    "utf-8": "UTF-8",
    "ascii": "US-ASCII",
    "iso8859-1": "ISO-8859-1",
    "iso8859-2": "ISO-8859-2",
    "iso8859-15": "ISO-8859-15",
    "cp1251": "windows-1251",
    "cp1252": "windows-1252",
    "koi8-r": "KOI8-R",
    "euc_kr": "EUC-KR",
    "gbk": "GBK",
}
"""Names that Java gives to character sets, by those of Python: the sets that both write alike."""


@dataclass(frozen=True, slots=True)
class Charset:
    """A character set. name: as Java has it, and as types of bodies name it."""

    name: str = "UTF-8"

    @property
    def is_utf_8(self) -> bool:
        """Whether it is the one in which a plan is written and sent."""
        return self.name == "UTF-8"

    def encoded(self, text: str) -> bytes:
        """Return the bytes of a text, with a question mark for each letter that the set does not have."""
        return text.encode(self.name, "replace")

    def quoted(self, text: str) -> str:
        """Return a text as Java's URLEncoder writes it: blanks become +, * stays, ~ does not."""
        return quote_plus(self.encoded(text), safe="*").replace("~", "%7E")

    def quoted_anew(self, text: str) -> str:
        """Return a text that is taken as quoted already, unquoted and quoted anew as JMeter does in forms."""
        return self.quoted(unquote_plus(text, self.name, "replace"))


def charset_named(name: str) -> Charset | None:
    """Return the character set of a name; UTF-8 for an empty one, None where no such set is carried."""
    if not name.strip():
        return Charset()
    try:
        java_name = _JAVA_NAMES.get(codecs.lookup(name.strip()).name)
    except (LookupError, ValueError):
        return None
    return None if java_name is None else Charset(java_name)
