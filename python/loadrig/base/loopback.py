"""Host names that mean this machine, which may be sent traffic without being allowed by name."""

import ipaddress


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine by its very name or number: no name is looked up.

    Names below `localhost` are not taken for it: a resolver may ask other machines for them.
    """
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def reached(host: str) -> str:
    """Return the host by which this machine reaches a listener; a wildcard listens on loopback, too."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)
