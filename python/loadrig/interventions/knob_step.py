"""A knob of the target: the same plan with another value of it, in trials of its own.

## What it changes

One knob of the setting, such as `workers: 2 to 4`. The values are those of `prove: {knobs: …}` in the plan,
else the other values that the plan's own knob has, else they are made up: twice or half of a number, the
other words, the opposite of yes or no.

## What it needs

A server that the rig starts, and a knob that is known to do what is asked for: by its name (see ROLES), or
because it is named itself. Without a value to try the knob's present value must be known.

## What it proves and refutes

More of what is short, or less of what is too much, and throughput or latency follows: the knob was the
limit, and the better value is a mend. Nothing follows: the limit is elsewhere, however full it looks.

## How it is undone

Nothing is left: each trial starts the server anew with its own setting.

## Cost

Two starts of the server for each pair of trials, and the load in both.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping

from loadrig.base.component import SERVER
from loadrig.base.effects import ServerEffect
from loadrig.base.setting import Knob, Setting, Value, show_setting, show_value
from loadrig.base.unavailable import Unavailable
from loadrig.interventions import Lever, Variant
from loadrig.interventions._knob_values import amount, derived, is_ordered, towards, typed
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.interventions import InterventionsKnobStepErrors
from loadrig.language.en.interventions import InterventionsKnobStepTexts
from loadrig.plan.knobs import catalogue_of
from loadrig.plan.model import Plan, PlannedKnob

TEXTS = texts_of(InterventionsKnobStepTexts)
ERRORS = texts_of(InterventionsKnobStepErrors)

EFFECTS: tuple[ServerEffect, ...] = (ServerEffect("changes a setting", TEXTS.knob_server_rig, "prove"),)

NAME = TEXTS.name
CHANGE = "knob"
IS_LIVE = False

_FROM = r"(?:.*_)?"
"""Pattern of what may stand before a name: `spring.datasource.hikari.maximum-pool-size`, `DB_POOL`."""

# Sources: the settings of gunicorn, uvicorn, Tomcat (and Spring Boot's server.tomcat.*), HikariCP, Commons
# Pool (Jedis), Go's database/sql, redis-py, the JVM, Go's runtime, Node and libuv.
ROLES: Mapping[str, re.Pattern[str]] = {
    role: re.compile(names)
    for role, names in {
        "workers": r"(?:(?:web|app|num|max|cluster)_)?(?:workers?|processes|concurrency|instances)(?:_count)?"
        r"|worker_processes",
        "threads": rf"(?!.*min){_FROM}(?:threads(?:_max|_count|_per_worker)?|thread_?pool(?:_size)?)",
        "processors": r"gomaxprocs|active_processor_count|processors|parallelism",
        "pool": rf"(?!.*(?:thread|buffer)){_FROM}(?:(?:max|maximum)_)?pool(?:_(?:size|max|limit|max_size))?"
        rf"|{_FROM}max_(?:total|active|open(?:_conn(?:ection)?s)?)|connection_limit"
        r"|(?:db|database|redis|cache|jdbc|hikari)_(?:max_)?conn(?:ection)?s",
        "backlog": rf"{_FROM}(?:backlog|accept_count|somaxconn)",
        "connections": rf"(?:worker_|{_FROM}max_)connections|limit_concurrency",
        "keep_alive": rf"{_FROM}keep_?alive(?:_(?:timeout|requests|time|s|ms))?",
        "compression": rf"{_FROM}(?:compress(?:ion)?|gzip|brotli|deflate)(?:_(?:level|enabled))?",
        "heap": rf"{_FROM}(?:heap(?:_size)?|xmx|max_old_space_size|max_ram_?percentage)"
        r"|gomemlimit|memory_limit",
        "metaspace": r"(?:max_)?metaspace(?:_size)?",
        "gc": r"gc|gogc|(?:garbage_)?collector",
        "restarts": r"(?:limit_)?max_requests(?:_per_child)?",
        "jitter": rf"{_FROM}jitter",
        "class": r"worker_(?:class|type)",
        "expiry": rf"(?!.*max_lifetime){_FROM}(?:expiry|expires?(?:_in)?|ttl|lifetime)",
        "cache": rf"{_FROM}cache(?:_(?:size|entries|enabled))?|{_FROM}buffer_pool_size|shared_buffers"
        r"|maxmemory",
        "timeout": r"(?:(?:worker|request|read|query)_)?timeout(?:_(?:s|ms))?",
        "quota": r"(?:cpu_)?(?:quota|cores)|cpus?|cpu_limit",
        "logging": rf"{_FROM}(?:access_?log|request_?log|logging|log_level|log)",
        "batch": rf"{_FROM}(?:batch(?:_size)?|fetch_size|prefetch|eager|joins?|joined)",
        "index": rf"{_FROM}index(?:es)?",
        "preload": r"preload(?:_app)?",
    }.items()
}
"""Roles of knobs, by patterns of their names in small letters with underscores: `maxThreads` is
max_threads. A pattern must match the whole name."""

_SHORT = {"workers": "-w", "worker_class": "-k", "timeout": "-t"}
"""Flags of one letter, of gunicorn; the other servers have none for their knobs."""

_SPREADS = {"jitter": "restarts"}
"""Knobs that spread another one, with the knob that they spread. A knob of these does nothing at 0, and
spreads all where it is as large as the other."""


def does(name: str, what: str) -> bool:
    """Return whether a knob of a name is called so, or has that role."""
    role = ROLES.get(what)
    return name == what or (role is not None and role.fullmatch(_plain(name)) is not None)


def variants(lever: Lever, plan: Plan, setting: Setting) -> tuple[Variant, ...]:
    """Return the steps of every knob that a lever means, first those of knobs that the plan names.

    Raises Unavailable where there is no such knob, or nothing to set it to.
    """
    catalogue = catalogue_of(plan.target)
    meant = [knob for name, knob in catalogue.items() if does(name, lever.what)]
    if not meant:
        raise _unknown(lever, plan, catalogue)
    steps: list[Variant] = []
    reasons: list[Unavailable] = []
    for knob in meant:
        try:
            steps += _steps(lever, knob, plan, setting, catalogue)
        except Unavailable as missing:
            reasons.append(missing)
    if not steps:
        raise reasons[0]
    named = plan.prove.knobs if plan.prove else {}
    return tuple(sorted(steps, key=lambda variant: not _changed(variant.setting, setting) & named.keys()))


def every(plan: Plan, setting: Setting) -> tuple[Variant, ...]:
    """Return the steps of all knobs that `prove: {knobs: …}` names; none where it names none."""
    catalogue = catalogue_of(plan.target)
    steps = []
    for name, values in plan.prove.knobs.items() if plan.prove else ():
        knob, planned = catalogue[name], _planned(plan, name)
        if planned is not None and not planned.applies(setting):
            continue
        old = _now(knob, plan, setting)
        for value in values:
            if value != old:
                lever = Lever("knob", SERVER, name, towards(knob, old, value))
                steps.append(_variant(lever, knob, plan, setting, value))
    return tuple(steps)


def _steps(
    lever: Lever, knob: Knob, plan: Plan, setting: Setting, catalogue: Mapping[str, Knob]
) -> list[Variant]:
    """Return the variants of one knob. Raises Unavailable where there is no value to set it to."""
    planned = _planned(plan, knob.name)
    if planned is not None and not planned.applies(setting):
        raise Unavailable.of(ERRORS.ruled_out(knob.name, show_setting(setting)), code="prove.no-knob")
    if (fixed := _fixed(knob, plan)) is not None:
        raise Unavailable.of(ERRORS.fixed_by_argument(knob.name, fixed), code="prove.no-knob")
    old = _now(knob, plan, setting)
    named = plan.prove.knobs.get(knob.name, ()) if plan.prove else ()
    others = sorted(planned.values, key=lambda value: _distance(knob, old, value)) if planned else ()
    invented = _invented_values(lever, knob, plan, setting, catalogue)
    for values in (named, others, invented):
        fitting = [value for value in values if value != old and _leads(lever, knob, old, value)]
        if fitting:
            return [_variant(lever, knob, plan, setting, value) for value in fitting]
    raise _nowhere(lever, knob, old)


def _variant(lever: Lever, knob: Knob, plan: Plan, setting: Setting, value: Value) -> Variant:
    old = _now(knob, plan, setting)
    before, after = amount(knob, old), amount(knob, value)
    is_number = knob.kind not in ("flag", "word")
    return Variant(
        lever=lever,
        title=TEXTS.title(knob.name, TEXTS.as_it_is if old is None else show_value(old), show_value(value)),
        plan=plan,
        setting=_with(plan, setting, knob.name, value),
        ratio=after / before if is_number and before and after is not None else None,
        is_mend=True,
    )


def _with(plan: Plan, setting: Setting, name: str, value: Value) -> Setting:
    """Return the setting with one knob changed, without knobs that have no meaning beside it any more."""
    wanted = {**setting, name: value}
    changed: dict[str, Value] = {}
    for knob in plan.knobs:
        if knob.applies(changed):
            changed[knob.name] = wanted.get(knob.name, knob.base)
    planned = {knob.name for knob in plan.knobs}
    return {**changed, **{knob_name: wanted[knob_name] for knob_name in wanted if knob_name not in planned}}


# --- what is known of a knob ----------------------------------------------------------------------


def _plain(name: str) -> str:
    """Return a name in small letters with underscores between its words."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().replace("-", "_").replace(".", "_")


def _planned(plan: Plan, name: str) -> PlannedKnob | None:
    return next((knob for knob in plan.knobs if knob.name == name), None)


def _now(knob: Knob, plan: Plan, setting: Setting) -> Value | None:
    """Return a knob's value: that of the setting, else of the target's option of its name, else its default.

    A yes or no that is not known counts as no.
    """
    if knob.name in setting:
        return setting[knob.name]
    option = getattr(plan.target.options, knob.name, None)
    if isinstance(option, int | float) and knob.kind in ("int", "float"):
        return int(option) if knob.kind == "int" else float(option)
    if knob.default is None:
        return False if knob.kind == "flag" else None
    return typed(knob, knob.default) if isinstance(knob.default, str) else knob.default


def _fixed(knob: Knob, plan: Plan) -> str | None:
    """Return the argument of the target's `args` that sets a knob; None where there is none."""
    arguments: Iterable[str] = getattr(plan.target.options, "args", ())
    short = _SHORT.get(knob.name)
    for word in arguments:
        flag = word.partition("=")[0]
        if word.startswith("--"):
            if flag.replace("-", "") == knob.name.replace("_", ""):
                return flag
        elif short is not None and word.startswith(short):
            return short
    return None


def _leads(lever: Lever, knob: Knob, old: Value | None, value: Value) -> bool:
    """Return whether a value is where the lever goes. Words have no order: any of them may be."""
    where = towards(knob, old, value)
    return lever.towards == "other" or where == lever.towards or not is_ordered(knob, old, value)


def _invented_values(
    lever: Lever, knob: Knob, plan: Plan, setting: Setting, catalogue: Mapping[str, Knob]
) -> Iterator[Value]:
    old = _now(knob, plan, setting)
    for spreads, spread in _SPREADS.items():
        if old == 0 and lever.towards != "less" and does(knob.name, spreads):
            for spread_knob in catalogue.values():
                value = _now(spread_knob, plan, setting) if does(spread_knob.name, spread) else None
                if isinstance(value, int) and value > 0:
                    yield value
    if old is not None:
        yield from derived(knob, old, lever.towards)


def _distance(knob: Knob, old: Value | None, value: Value) -> float:
    """Return how far a value is from twice or half of the present one, in doublings; those tell most."""
    before, after = amount(knob, old), amount(knob, value)
    if not before or not after or before < 0 or after < 0:
        return math.inf
    return abs(abs(math.log2(after / before)) - 1)


def _changed(after: Setting, before: Setting) -> set[str]:
    return {name for name, value in after.items() if name not in before or before[name] != value}


# --- what is missing ------------------------------------------------------------------------------


def _unknown(lever: Lever, plan: Plan, catalogue: Mapping[str, Knob]) -> Unavailable:
    member, what = plan.target.member, lever.what.replace("_", " ")
    options = plan.target.options
    key = next((key for key in ("knob_flags", "app_knobs") if hasattr(options, key)), None)
    if not catalogue and key is None:
        return Unavailable.of(ERRORS.foreign_server(member), code="prove.no-knob")
    if key is None:
        return Unavailable.of(ERRORS.no_knob(member, what), code="prove.no-knob")
    declaration = (
        f'{{flag: "--{lever.what} {{}}"}}' if key == "knob_flags" else f"{{env: {lever.what.upper()}}}"
    )
    tried = f"prove: {{knobs: {{{lever.what}: …}}}}"
    wording = ERRORS.undeclared_knob(member, what, key, lever.what, declaration, tried)
    return Unavailable.of(wording, code="prove.no-knob")


def _nowhere(lever: Lever, knob: Knob, old: Value | None) -> Unavailable:
    if old is None:
        return Unavailable.of(ERRORS.unknown_value(knob.name, lever.towards), code="prove.no-knob")
    wording = ERRORS.no_other_value(knob.name, lever.towards, show_value(old))
    return Unavailable.of(wording, code="prove.no-knob")
