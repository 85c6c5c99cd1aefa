"""What grows with every request."""

from loadrig.findings.case import Case


def harm(case: Case) -> str | None:
    """The harm "growth"."""
    del case
    return None
