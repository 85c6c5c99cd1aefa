"""Words of a failure, apart from its code and place, so that each language has its own."""

from typing import NamedTuple


class ErrorWords(NamedTuple):
    """Words of a failure as a person reads them.

    what: one sentence without a full stop, with the value that the user gave.
    mend: what to type or to do to fix it. why: the reason, where it is not plain.
    """

    what: str
    mend: str
    why: str = ""


class Labels(NamedTuple):
    """Labels of a printed failure: before its mend, and before where more of it can be read."""

    mend: str
    more: str


ENGLISH_LABELS = Labels(mend="mend", more="more")
"""Labels of a failure that no catalogue is asked for."""
