"""Errors as they are printed: their labels in the language of this process."""

from loadrig.base.errors import Problem, RigError
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.cli_main import CliRenderedErrors


def rendered(error: RigError | Problem) -> str:
    """Return an error, or one problem, as it is printed."""
    return error.render(texts_of(CliRenderedErrors).labels)
