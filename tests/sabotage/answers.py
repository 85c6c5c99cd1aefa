"""Sabotage of the answers: fast and wrong."""

from pathlib import Path
from typing import Any

from tests.sabotage.harness import Sabotage, SabotageOutcome, plan, run, serving


def _answering(folder: Path, request: str = "get: /", **options: Any) -> SabotageOutcome:
    with serving(**options) as port:
        return run(plan(port, "rate: 300/1s", request=request), folder)


def _only_errors(folder: Path) -> SabotageOutcome:
    return _answering(folder, status=500, delay_s=0.0)


def _some_errors(folder: Path) -> SabotageOutcome:
    return _answering(folder, bad_every=8)


def _empty_checked(folder: Path) -> SabotageOutcome:
    return _answering(folder, "get: /, expect: {contains: [ok]}", body="", delay_s=0.0)


def _empty(folder: Path) -> SabotageOutcome:
    return _answering(folder, body="", delay_s=0.0)


def _redirected(folder: Path) -> SabotageOutcome:
    return _answering(folder, status=302, headers={"Location": "/login"}, delay_s=0.0)


SABOTAGES = (
    Sabotage("a server that answers 500 fast", "G12", "http_5xx", _only_errors),
    Sabotage("one answer of eight a 500", "G12", "12.5 %.*http_5xx|http_5xx", _some_errors, is_variant=True),
    Sabotage("empty answers where a text is expected", "G12", "check_failed", _empty_checked),
    Sabotage("empty answers that nothing checks", "G12", "was empty", _empty, is_variant=True),
    Sabotage("redirects to a login instead of the page", "G12", "redirects", _redirected, is_variant=True),
)
