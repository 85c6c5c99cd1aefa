"""Checks of the ways to dependencies that are to be delayed: that addresses are valid and allowed."""

import re

from loadrig.base.loopback import is_loopback
from loadrig.plan.draft import Draft

_ADDRESS = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^\s:/\[\]]+):(?P<port>[0-9]{1,5})", re.ASCII)


def check_proving(draft: Draft) -> None:
    """Check that addresses are valid, and that the plan allows their hosts.

    What is delayed goes through the rig.
    """
    for name, text in draft.prove.through.items() if draft.prove else ():
        where = draft.place("prove", "through", name)
        match = _ADDRESS.fullmatch(text)
        if match is None or not 0 < int(match["port"]) < 65536:
            draft.reader.problem(
                what=f"{name} cannot be reached through {text!r}, which is no host and port",
                where=where,
                mend=f'write host:port, such as {name}: "{_meant(text)}"',
                code="plan.through",
            )
            continue
        host = match["host"].strip("[]")
        if is_loopback(host) or host.lower() in {allowed.lower() for allowed in draft.allow}:
            continue
        draft.reader.problem(
            what=f"{host} is not this machine, and the plan does not allow it",
            where=where,
            why=f"what the server asks of {name} would go through the rig to that host",
            mend=f"add at the top: allow: [{', '.join((*draft.allow, host))}]",
            code="plan.host-not-allowed",
        )


def _meant(text: str) -> str:
    """Return the address that may be meant.

    For a bare port it is one of this machine, for a URL what stands behind //.
    """
    if text.isdecimal() and 0 < int(text) < 65536:
        return f"127.0.0.1:{text}"
    address = text.partition("//")[2].partition("/")[0]
    return address if _ADDRESS.fullmatch(address) else "127.0.0.1:3306"
