"""Parts that all requests of a plan share, said once for all of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from loadrig.base.units import Seconds
from loadrig.converters._draft import ScenarioDraft, StepDraft
from loadrig.plan.written import WrittenLogin, WrittenRequest


@dataclass(frozen=True, slots=True)
class CommonParts:
    """Headers and time-out of every request; None for the plan's own time-out."""

    headers: Mapping[str, str] = field(default_factory=dict)
    timeout_s: Seconds | None = None


def with_common(
    scenarios: Sequence[ScenarioDraft], login: WrittenLogin | None
) -> tuple[tuple[ScenarioDraft, ...], WrittenLogin | None, CommonParts]:
    """Return requests without the parts that all of them have, and those parts."""
    requests: list[WrittenRequest] = [step.request for scenario in scenarios for step in scenario.steps]
    requests += [login] if login is not None else []
    if len(requests) < 2:
        return tuple(scenarios), login, CommonParts()
    first = requests[0]
    headers = {
        name: value
        for name, value in first.headers.items()
        if all(request.headers.get(name) == value for request in requests)
    }
    timeout = first.timeout if all(request.timeout == first.timeout for request in requests) else None
    common = CommonParts(headers, timeout)
    bare = tuple(
        replace(scenario, steps=tuple(_without(step, common) for step in scenario.steps))
        for scenario in scenarios
    )
    return bare, _login_without(login, common), common


def _without(step: StepDraft, common: CommonParts) -> StepDraft:
    own = {name: value for name, value in step.request.headers.items() if name not in common.headers}
    timeout = None if common.timeout_s is not None else step.request.timeout
    return replace(step, request=replace(step.request, headers=own, timeout=timeout))


def _login_without(login: WrittenLogin | None, common: CommonParts) -> WrittenLogin | None:
    if login is None:
        return None
    own = {name: value for name, value in login.headers.items() if name not in common.headers}
    return replace(login, headers=own, timeout=None if common.timeout_s is not None else login.timeout)
