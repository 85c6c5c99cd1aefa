"""Addresses from which a fleet makes its load, beside those of the network that loadrig itself is in."""

import socket
from collections.abc import Sequence

from loadrig.fleet.hosts import Seat


def addresses_elsewhere(seats: Sequence[Seat]) -> tuple[str, ...]:
    """Return the addresses of other machines, and of other networks of this one, that generators are on.

    Those from which they connect to the servers, and those of the names of the other machines.
    """
    sources = {source for seat in seats for source in seat.sources}
    others = {seat.host for seat in seats if seat.pid is None}
    away = {source for source in sources if not is_here(source)}
    return tuple(sorted(away.union(*map(addresses_of, others))))


def addresses_of(host: str) -> set[str]:
    """Return the addresses of a host; none where its name leads nowhere from here."""
    try:
        return {str(entry[4][0]) for entry in socket.getaddrinfo(host, None)}
    except OSError:
        return set()


def is_here(address: str) -> bool:
    """Return whether an address is one of this network: a process of this machine may be in another one."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        try:
            probe.bind((address, 0))
        except OSError:
            return False
    return True
