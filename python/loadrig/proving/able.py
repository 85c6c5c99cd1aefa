"""Choice of what can be changed on this machine: which member pulls a lever, and whether it may do so."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import ModuleType

from loadrig.base import members, processes
from loadrig.base.component import PROXY, Component
from loadrig.base.errors import VoidError
from loadrig.base.setting import Setting
from loadrig.base.unavailable import Unavailable
from loadrig.base.units import show_number
from loadrig.interventions import ROOM, Change, Lever, Scene, Step, Variant
from loadrig.interventions.dependency_delay import Inserted
from loadrig.interventions.dependency_delay import step as delay_step
from loadrig.judgement.experiments.foretold import DELAY_SHARE
from loadrig.judgement.experiments.results import LIVE, Result
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.proving import ProvingAbleErrors
from loadrig.language.en.proving import ProvingAbleTexts
from loadrig.plan.model import Plan
from loadrig.proving.changes import skip_for
from loadrig.proving.document import SkippedExperiment

TEXTS = texts_of(ProvingAbleTexts)
ERRORS = texts_of(ProvingAbleErrors)

EVERYTHING = "all"
"""Name in `prove: {allow: …}` that permits a change of every component."""

LEAST_CORES_USED = 0.02
"""CPU time that a component must use to be asked about, in cores: less of it could not limit anything."""

DELAY_S = (0.001, 0.05)
"""Least and greatest delay of a dependency, in seconds: a longer delay would make another system of it."""

_DATABASE = ("db", "database", "jdbc", "hikari", "sql")
CALLED: Mapping[str, tuple[str, ...]] = {
    "redis": ("cache",), "mariadb": _DATABASE, "mysql": _DATABASE,
    "postgresql": (*_DATABASE, "pg", "postgres"),
}  # fmt: skip
"""Words in the names of knobs that belong to a dependency, by the dependency's kind."""

FEWEST_FOR_TRIPS = 100
"""Least number of requests for which round trips are counted: with fewer, what the server asks at its
start would distort the mean."""


@dataclass(frozen=True, slots=True)
class Permission:
    """Permission to touch processes that the rig started, and components that are allowed by name.

    pids: processes that the rig started; their children count as its own, too. names: components that the
    plan allows.
    """

    pids: frozenset[int]
    names: frozenset[str] = field(default_factory=frozenset)

    def refusal(self, component: Component) -> Unavailable | None:
        """Return why a component may not be touched; None where it may."""
        if component.is_ours or component.name in self.names or EVERYTHING in self.names:
            return None
        if component.pid is not None and any(
            component.pid in processes.tree(pid, processes.table()) for pid in self.pids
        ):
            return None
        return Unavailable.of(ERRORS.not_started_here(component.name), code="prove.not-allowed")


def steps(
    levers: Sequence[Lever],
    scene: Scene,
    permission: Permission,
    inserted: Mapping[str, Inserted],
    response_s: float,
    most: int,
) -> tuple[list[Step], list[SkippedExperiment]]:
    """Return the first `most` levers that can be pulled while load runs, and the others with the reasons.

    inserted: proxies by the dependency that they are in front of. response_s: mean response time at this
    load, in seconds.
    """
    chosen: list[Step] = []
    skipped: list[SkippedExperiment] = []
    for lever in dict.fromkeys(levers):
        if len(chosen) >= most:
            break
        try:
            chosen.append(_step(lever, scene, permission, inserted, response_s))
        except Unavailable as no:
            skipped.append(skip_for(lever, no))
    return chosen, skipped


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
    problems: list[Unavailable] = []
    # The gentlest member comes first: a quota before stopping.
    for module in sorted(_members(lever.change), key=lambda module: getattr(module, "ORDER", 0)):
        try:
            step: Step = module.able(lever, scene)
            return step
        except Unavailable as no:
            problems.append(no)
    raise problems[0]


def _members(change: Change) -> list[ModuleType]:
    """Return the members that pull a kind of lever: all under load, or all in trials of their own."""
    modules = [members.load(ROOM, name) for name in members.names(ROOM)]
    return [module for module in modules if (change, change in LIVE) == (module.CHANGE, module.IS_LIVE)]


def _touched(lever: Lever, scene: Scene) -> Collection[Component]:
    """Return the components that a lever would slow down.

    Raises Unavailable where the lever's component was not seen.
    """
    if lever.change == "cores":
        return [
            component
            for component in scene.components
            if component.kind != PROXY and scene.used.get(component.name, 0.0) >= LEAST_CORES_USED
        ]
    component = scene.component(lever.component)
    if component is None:
        raise Unavailable.of(ERRORS.not_seen(lever.component), code="prove.not-here")
    return [component]


def _delay(lever: Lever, inserted: Mapping[str, Inserted], response_s: float) -> Step:
    proxied = inserted.get(lever.component)
    if proxied is None:
        raise Unavailable.of(ERRORS.nothing_in_front(lever.component), code="prove.no-proxy")
    if not proxied.is_used():
        raise Unavailable.of(ERRORS.proxy_unused(lever.component), code="prove.proxy-unused")
    delay_s = min(max(DELAY_SHARE * response_s, DELAY_S[0]), DELAY_S[1])
    return delay_step(proxied, delay_s, response_s)


def counted(result: Result, inserted: Mapping[str, Inserted], requests: int) -> Result:
    """Return the result of a delay with the round trips a request that its proxy has counted.

    Results of other changes are returned as they are, and so is a result of fewer than FEWEST_FOR_TRIPS
    requests. requests: those that have ended since the server was started.
    """
    proxied = inserted.get(result.lever.component)
    if result.lever.change != "delay" or proxied is None or requests < FEWEST_FOR_TRIPS:
        return result
    try:
        trips = proxied.proxy.counters().round_trips / requests
    except VoidError:  # the proxy has died; what was measured until then is kept
        return result
    return replace(result, aside=TEXTS.round_trips(show_number(trips), proxied.name))


def variants(lever: Lever, plan: Plan, setting: Setting) -> list[Variant]:
    """Return the plans with one thing changed for a lever on a knob or on the load. Raises Unavailable."""
    return list(_members(lever.change)[0].variants(lever, plan, setting))


def nearest(every: Sequence[Variant], subjects: Collection[str]) -> list[Variant]:
    """Return one variant of those that a lever may mean, as a list; an empty list where there is none.

    A knob that is called after a subject comes first, else the first variant is taken. subjects: names of
    dependencies in this run: `db_pool` belongs to a database, `redis_pool` to redis.
    """
    words = {word for name in subjects for word in (name, *CALLED.get(name.rstrip("0123456789-"), ()))}
    own = [
        variant for variant in every if any(word in variant.title.partition(":")[0].lower() for word in words)
    ]
    return [*own, *every][:1]
