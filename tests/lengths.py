"""How long a test is: short for every change, at full length with LOADRIG_LENGTH=full (`make nightly`)."""

import os
from typing import TypeVar

T = TypeVar("T")


def is_full() -> bool:
    """Whether tests run at their full length."""
    return os.environ.get("LOADRIG_LENGTH") == "full"


def length(short: T, full: T) -> T:
    """Return the number of draws, seconds or cases that this run takes."""
    return full if is_full() else short
