"""From levers to what can be done here: which member pulls it, and whether it may be touched at all."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from loadrig.base import members, processes
from loadrig.base.component import HOST, PROXY, Component
from loadrig.base.errors import VoidError
from loadrig.base.setting import Setting
from loadrig.base.unavailable import Unavailable
from loadrig.base.units import show_duration, show_number
from loadrig.interventions import ROOM, Lever, Scene, Step, Variant
from loadrig.interventions.dependency_delay import Inserted
from loadrig.interventions.dependency_delay import step as delay_step
from loadrig.interventions.knob_step import every
from loadrig.plan.model import Plan
from loadrig.proving.live import Skipped
from loadrig.proving.results import Result

EVERYTHING = "all"

LEAST_USED = 0.02
"""Cores: the CPU of a component that uses less is not asked about, as nothing could come of it."""

DELAY_SHARE = 0.15
DELAY_S = (0.001, 0.05)
"""Of the mean response time, and its bounds: enough to be seen, too little to make another system of it."""

_DATABASE = ("db", "database", "jdbc", "hikari", "sql")
CALLED: Mapping[str, tuple[str, ...]] = {
    "redis": ("cache",), "mariadb": _DATABASE, "mysql": _DATABASE,
    "postgresql": (*_DATABASE, "pg", "postgres"),
}  # fmt: skip
"""Words in the names of knobs that are of such a dependency."""

FEWEST_FOR_TRIPS = 100
"""Requests: of fewer what the server asks at its start is a part of the mean."""


@dataclass(frozen=True, slots=True)
class Permission:
    """What may be touched: processes that the rig started, and what is allowed by name."""

    pids: frozenset[int]
    names: frozenset[str] = field(default_factory=frozenset)

    def refusal(self, component: Component) -> Unavailable | None:
        """Why this component may not be touched; None where it may."""
        if component.is_ours or component.name in self.names or EVERYTHING in self.names:
            return None
        if component.pid is not None and any(
            component.pid in processes.tree(pid, processes.table()) for pid in self.pids
        ):
            return None
        return Unavailable(
            f"{component.name} was not started by the rig, which leaves alone what others use",
            f"allow it in the plan: prove: {{allow: [{component.name}]}}",
            "prove.not-allowed",
        )


def tiers(scene: Scene) -> Iterable[Lever]:
    """The CPU of everything that uses any: cheap to ask while others are asked, and wanted in the report."""
    for one in scene.components:
        if one.kind not in (HOST, PROXY) and scene.used.get(one.name, 0.0) >= LEAST_USED:
            yield Lever("cpu", one.name)


def steps(
    levers: Sequence[Lever],
    scene: Scene,
    permission: Permission,
    inserted: Mapping[str, Inserted],
    response_s: float,
    most: int,
) -> tuple[list[Step], list[Skipped]]:
    """The first `most` levers that can be pulled while load runs, and why the others cannot.

    inserted: proxies by the dependency that they are in front of. response_s: mean, at this load.
    """
    found: list[Step] = []
    skipped: list[Skipped] = []
    for lever in dict.fromkeys(levers):
        if len(found) >= most:
            break
        try:
            found.append(_step(lever, scene, permission, inserted, response_s))
        except Unavailable as no:
            skipped.append(Skipped(lever, no.reason, no.mend, no.code))
    return found, skipped


def _step(
    lever: Lever,
    scene: Scene,
    permission: Permission,
    inserted: Mapping[str, Inserted],
    response_s: float,
) -> Step:
    if lever.change == "delay":
        return _delay(lever, inserted, response_s)
    for component in _touched(lever, scene):
        if (refusal := permission.refusal(component)) is not None:
            raise refusal
    problem: Unavailable | None = None
    for name in _live_members(lever.change):
        try:
            step: Step = members.load(ROOM, name).able(lever, scene)
            return step
        except Unavailable as no:
            problem = problem or no
    raise problem or Unavailable(
        f"nothing can change the {lever.change} of {lever.component}", "see loadrig explain", "prove.no-way"
    )


def _live_members(change: str) -> list[str]:
    """Members that pull this kind of lever, the gentlest first: a quota before stopping."""
    found = [
        name
        for name in members.names(ROOM)
        if members.load(ROOM, name).IS_LIVE and change == members.load(ROOM, name).CHANGE
    ]
    return sorted(found, key=lambda name: getattr(members.load(ROOM, name), "ORDER", 0))


def _touched(lever: Lever, scene: Scene) -> Collection[Component]:
    """Whom it would slow down."""
    if lever.change == "cores":
        return [
            one
            for one in scene.components
            if one.kind != PROXY and scene.used.get(one.name, 0.0) >= LEAST_USED
        ]
    component = scene.component(lever.component)
    if component is None:
        raise Unavailable(
            f"{lever.component} was not seen when the proof ran", "see why with loadrig discover",
            "prove.not-here",
        )  # fmt: skip
    return [component]


def _delay(lever: Lever, inserted: Mapping[str, Inserted], response_s: float) -> Step:
    one = inserted.get(lever.component)
    if one is None:
        raise Unavailable(
            f"nothing is in front of {lever.component}", "name its address: prove: {through: …}",
            "prove.no-proxy",
        )  # fmt: skip
    if not one.is_used():
        raise Unavailable(
            f"the server does not connect to {lever.component} by way of the rig's proxy",
            "let its address be told by a variable or an argument that names the port",
            "prove.proxy-unused",
        )
    delay_s = min(max(DELAY_SHARE * response_s, DELAY_S[0]), DELAY_S[1])
    made = delay_step(one, delay_s)
    # Of what a response takes: where each request makes one round trip on the path that limits, it is 1.
    ratio = response_s / (response_s + delay_s) if response_s > 0 else None
    return replace(made, ratio=ratio, title=f"way to {lever.component}: {show_duration(delay_s)} longer")


def counted(result: Result, inserted: Mapping[str, Inserted], requests: int) -> Result:
    """Of a delay also how often each request went there and back, as its proxy has counted.

    requests: those that have ended since the server was started.
    """
    one = inserted.get(result.lever.component)
    if result.lever.change != "delay" or one is None or requests < FEWEST_FOR_TRIPS:
        return result
    try:
        trips = one.proxy.counters().round_trips / requests
    except VoidError:  # it has died; what was measured until then is kept
        return result
    return replace(result, aside=f"{show_number(trips)} round trips to {one.name} for each request")


def variants(lever: Lever, plan: Plan, setting: Setting) -> list[Variant]:
    """The plan with one thing changed, for a knob or a shape of the load. Raises Unavailable."""
    for name in members.names(ROOM):
        module = members.load(ROOM, name)
        if not module.IS_LIVE and lever.change == module.CHANGE:
            return list(module.variants(lever, plan, setting))
    raise Unavailable(f"nothing changes the {lever.change}", "see loadrig explain", "prove.no-way")


def nearest(every: Sequence[Variant], subjects: Collection[str]) -> list[Variant]:
    """One variant of those that a lever may mean: of a knob that is called after a subject, else the first.

    subjects: dependencies, by their names here: `db_pool` is of a database, `redis_pool` of redis.
    """
    words = {word for name in subjects for word in (name, *CALLED.get(name.rstrip("0123456789-"), ()))}
    own = [one for one in every if any(word in one.title.partition(":")[0].lower() for word in words)]
    return [*own, *every][:1]


def named(plan: Plan, setting: Setting) -> list[Variant]:
    """A variant for every value that the plan wants to be tried, whoever is suspected."""
    return list(every(plan, setting))
