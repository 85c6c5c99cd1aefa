"""Checks of the ways to dependencies that are to be delayed: that addresses are valid and allowed."""

import re

from loadrig.base.loopback import is_loopback
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.plan_proving import PlanCheckProvingErrors
from loadrig.plan.draft import Draft

ERRORS = texts_of(PlanCheckProvingErrors)

_ADDRESS = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^\s:/\[\]]+):(?P<port>[0-9]{1,5})", re.ASCII)


def check_proving(draft: Draft) -> None:
    """Check that addresses are valid, and that the plan allows their hosts.

    What is delayed goes through the rig.
    """
    for name, text in draft.prove.through.items() if draft.prove else ():
        where = draft.place("prove", "through", name)
        match = _ADDRESS.fullmatch(text)
        if match is None or not 0 < int(match["port"]) < 65536:
            draft.reader.reject(
                ERRORS.not_an_address(name, repr(text), _meant(text)), code="plan.through", where=where
            )
            continue
        host = match["host"].strip("[]")
        if is_loopback(host) or host.lower() in {allowed.lower() for allowed in draft.allow}:
            continue
        draft.reader.reject(
            ERRORS.host_not_allowed(name, host, ", ".join((*draft.allow, host))),
            code="plan.host-not-allowed",
            where=where,
        )


def _meant(text: str) -> str:
    """Return the address that may be meant.

    For a bare port it is one of this machine, for a URL what stands behind //.
    """
    if text.isdecimal() and 0 < int(text) < 65536:
        return f"127.0.0.1:{text}"
    address = text.partition("//")[2].partition("/")[0]
    return address if _ADDRESS.fullmatch(address) else "127.0.0.1:3306"
