"""Descriptions of plan keys, knobs and metrics, in the language of this process or in another.

The English text stands with what it describes. Its translation stands in a file of `explain/LANGUAGE/KIND`,
under the names of what it describes; `scripts/translated.py` holds it to the English text.
"""

import functools
from collections.abc import Mapping
from typing import Any, Literal

from loadrig.language.choice import ENGLISH, language

DescribedKind = Literal["fields", "targets", "metrics", "knobs"]
"""Kinds of things that are described: keys of a plan, knobs of a target, metrics of a probe, and knobs of the
catalogue. A folder each."""


def described(kind: DescribedKind, names: tuple[str, ...], english: str, code: str | None = None) -> str:
    """Return the description of a thing; the English one where the language has none, as of other packages.

    names: file of the thing, then the names that lead to it there. code: language; that of this process if
    None.
    """
    code = code or language()
    if code == ENGLISH:
        return english
    file, *inner = names
    text: Any = texts(kind, file, code)
    for name in inner:
        text = text.get(name) if isinstance(text, Mapping) else None
    return text if isinstance(text, str) else english


@functools.cache
def texts(kind: DescribedKind, file: str, code: str) -> Mapping[str, Any]:
    """Return the translations of a file by their names, some in tables; empty where there is no such file."""
    # Both are dear to import, and needed only where a description is shown in another language.
    import tomllib
    from importlib.resources import files

    path = files("loadrig").joinpath("explain", code, kind, f"{file}.toml")
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
