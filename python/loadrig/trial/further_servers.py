"""Servers beside the target: whether they take connections, before the load begins."""

import socket

from loadrig.base.errors import Span, TargetError
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.trial import TrialFurtherServersErrors
from loadrig.plan.model import Plan

ERRORS = texts_of(TrialFurtherServersErrors)


def reach(plan: Plan) -> None:
    """Connect to each server beside the target. Raises TargetError target.not-listening where one cannot.

    A fleet on other hosts may have ways there that this machine has not: then none is asked.
    """
    if plan.fleet is not None and plan.fleet.ray is not None:
        return
    for name, address in plan.servers.items():
        try:
            socket.create_connection((address.host, address.port), plan.workload.connect_timeout).close()
        except OSError as error:
            wording = ERRORS.no_connection(name, address.url, error.strerror or str(error))
            where = Span(f"{plan.path}: servers: {name}")
            raise TargetError.of(wording, code="target.not-listening", where=where) from None
