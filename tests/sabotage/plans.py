"""Sabotage of the plan: headers typed twice or misspelt. Refused before a request is sent."""

from pathlib import Path

from tests.sabotage.harness import Sabotage, SabotageOutcome, SabotageRig, plan, serving
from tests.sabotage.harness import run as run_plan


def _attacked(folder: Path, *headers: str) -> SabotageOutcome:
    words = [word for header in headers for word in ("-H", header)]
    with serving() as port:
        url = f"http://127.0.0.1:{port}/"
        with SabotageRig(
            "", folder, words=("attack", url, "-c", "2", "-z", "1s", *words, "--json", "-o", "run")
        ) as rig:
            return rig.end()


def _planned(folder: Path, headers: str) -> SabotageOutcome:
    with serving() as port:
        return run_plan(
            plan(port, "users: 2", request=f"get: /, headers: {{{headers}}}", seconds=1.0), folder
        )


def _typed_twice(folder: Path) -> SabotageOutcome:
    return _attacked(folder, "X-Token: one", "X-Token: two")


def _against_keep_alive(folder: Path) -> SabotageOutcome:
    return _attacked(folder, "Connection: keep-alive")


def _twice_in_a_plan(folder: Path) -> SabotageOutcome:
    return _planned(folder, "Accept: text/html, Accept: text/plain")


def _twice_in_other_letters(folder: Path) -> SabotageOutcome:
    return _planned(folder, "X-Token: one, x-token: two")


def _misspelt(folder: Path) -> SabotageOutcome:
    return _planned(folder, "Connnection: keep-alive")


REFUSED = ("refused",)
SABOTAGES = (
    Sabotage("a header typed twice on the command line", "plan.header", "second time", _typed_twice, REFUSED),
    Sabotage("a second Connection header", "plan.header", "is the rig's own", _against_keep_alive, REFUSED),
    Sabotage("a header twice in a plan", "plan.duplicate-key", "Accept", _twice_in_a_plan, REFUSED),
    Sabotage(
        "a header twice in other letters",
        "plan.header",
        "x-token",
        _twice_in_other_letters,
        REFUSED,
        is_variant=True,
    ),
    Sabotage(
        "a header Connnection, misspelt",
        "plan.header",
        "looks like Connection",
        _misspelt,
        REFUSED,
        is_variant=True,
    ),
)
