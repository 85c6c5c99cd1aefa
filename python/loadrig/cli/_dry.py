"""Output of `loadrig run --dry`: what would run, how long it takes, and every request's bytes."""

import json
import math

from loadrig import _native
from loadrig.base import members
from loadrig.base.printable import printable
from loadrig.base.running import Address
from loadrig.engine.compile import compile_config
from loadrig.engine.secrets import shown
from loadrig.language.choice import texts_of
from loadrig.language.en.cli import CliDryTexts
from loadrig.plan.explain import Outlook, sentences
from loadrig.plan.model import Plan
from loadrig.study.carry_out import planned, trial_s
from loadrig.study.strategy import InBlocks, OwnTrials, Strategy, Tuner

TEXTS = texts_of(CliDryTexts)

UNKNOWN_PORT = 1
"""Text in place of a port that the system will choose when the server starts."""

_HOW = {
    "1.1": TEXTS.first_bytes,
    "2": TEXTS.first_fields,
}
"""Description of what is shown, by the version of HTTP."""


def describe(plan: Plan) -> str:
    """Return the plan in sentences, and the first request of each route as sent."""
    lines = [*sentences(plan, outlook(plan)), ""]
    address, note = _address(plan)
    lines.append(f"{_HOW[plan.workload.connections.http]}{note}:")
    config = compile_config(plan, address, seed=plan.seed, cpus=(), frame_s=1.0, resolves=False)
    for route, request in _native.render_requests(json.dumps(shown(config, plan.literals).plain())):
        lines += ["", f"--- {route}"]
        lines += [f"  {line}" for line in request.decode("utf-8", errors="backslashreplace").split("\r\n")]
    return printable("\n".join(lines).rstrip())


def outlook(plan: Plan) -> Outlook:
    """Return how many settings and trials the plan's strategy will run, and for how long at most."""
    strategy = planned(plan)
    seconds = strategy.total * trial_s(plan, strategy) * _share_in_turn(plan, strategy)
    trial = strategy.trial_in_words if isinstance(strategy, OwnTrials) else ""
    return Outlook(len(strategy.settings), strategy.total, seconds, isinstance(strategy, Tuner), trial)


def _share_in_turn(plan: Plan, strategy: Strategy) -> float:
    """Return the share of all trials that run one after the other, 0 to 1: those of the fullest node.

    Of a tuning it is 1: how many of its blocks run side by side is not known before it runs.
    """
    if plan.nodes is None or isinstance(strategy, Tuner) or not isinstance(strategy, InBlocks):
        return 1.0
    blocks = len(strategy.ahead(()))
    return math.ceil(blocks / plan.nodes.nodes) / blocks


def _address(plan: Plan) -> tuple[Address, str]:
    """Return where the server will be, and a note where that is not known before it runs."""
    module = members.load("loadrig.target", plan.target.member)
    address: Address | None = module.where(plan.target.options)
    if address is None or not (address.port or address.unix):
        host = address.host if address else "127.0.0.1"
        return Address(host, UNKNOWN_PORT), TEXTS.port_stands_chosen(str(UNKNOWN_PORT))
    return address, ""
