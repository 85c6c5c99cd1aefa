"""Words of a failure, apart from its code and place, so that each language has its own."""

from typing import NamedTuple


class Wording(NamedTuple):
    """What a person reads of a failure.

    what: one sentence without a full stop, with the value that the user gave.
    mend: what to type or to do to fix it. why: the reason, where it is not plain.
    """

    what: str
    mend: str
    why: str = ""
