"""Sentences of another language as templates, filled with the arguments of the English sentence of that name.

A hole has the name of the argument, and may format it: `{size:,}`. A Korean particle after the colon takes
the form that fits the word in the hole: `{server:이}`.
"""

import functools
import inspect
import string
from collections.abc import Callable
from typing import Any

from loadrig.base.error_words import ErrorWords
from loadrig.language.particles import FORMS, with_particle


class TemplateFormatter(string.Formatter):
    """Formatter of templates, for which the particles of Korean are formats."""

    def format_field(self, value: Any, format_spec: str) -> str:
        """Return the text of a hole; with its particle, where the format is one."""
        return with_particle(str(value), format_spec) if format_spec in FORMS else format(value, format_spec)


FORMATTER = TemplateFormatter()


def sentence(english: Callable[..., Any], template: str | ErrorWords) -> Callable[..., str | ErrorWords]:
    """Return a sentence that takes the arguments of an English one and fills a template with them."""
    signature = inspect.signature(english)

    @functools.wraps(english)
    def filled(*holes: Any, **named_holes: Any) -> str | ErrorWords:
        bound = signature.bind(*holes, **named_holes)
        bound.apply_defaults()
        if isinstance(template, ErrorWords):
            return ErrorWords(*(FORMATTER.vformat(part, (), bound.arguments) for part in template))
        return FORMATTER.vformat(template, (), bound.arguments)

    return filled
