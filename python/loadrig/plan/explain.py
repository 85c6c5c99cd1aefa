"""A plan in sentences: what will be asked of which server, by whom, for how long, and to what end."""

from dataclasses import dataclass

from loadrig.base.setting import Value, show_setting, show_value
from loadrig.base.units import show, show_duration, show_number, show_share
from loadrig.language.choice import texts_of
from loadrig.language.en.plan import PlanExplainTexts
from loadrig.plan.arrivals import Arrivals, LoadStage, Rate, Replay, Sessions, Users
from loadrig.plan.knobs import shown
from loadrig.plan.model import Feed, Plan, PlannedKnob, WarmUp, Workload
from loadrig.plan.passages import Comparison, Condition, Conditions
from loadrig.plan.requests import Request, Scenario, Think
from loadrig.plan.watching import BY_ITSELF

TEXTS = texts_of(PlanExplainTexts)


@dataclass(frozen=True, slots=True)
class Outlook:
    """Plan of a strategy: how many settings and trials, and seconds at most in all.

    searches: whether it tries some of the settings, chosen by the results of others. trial: one of its trials
    in words, where those are not the plan's own.
    """

    settings: int
    trials: int
    seconds: float
    searches: bool = False
    trial: str = ""


def sentences(plan: Plan, outlook: Outlook | None = None) -> list[str]:
    """Return what will be run, in plain words, one thought a sentence.

    outlook: made by the study's strategy, which this room does not know.
    """
    texts = [
        _target(plan),
        *_servers(plan),
        _arrivals(plan.workload.arrivals),
        *_fleet(plan),
        *_nodes(plan),
        *_requests(plan.workload),
    ]
    texts += [*_login(plan.workload), *_rules(plan.workload)]
    texts.append(TEXTS.one_trial(outlook.trial) if outlook is not None and outlook.trial else _trial(plan))
    texts += [*_knobs(plan), *_study(plan, outlook), *_goals(plan), *_probes(plan), *_observers(plan)]
    texts += [*_profile(plan), *_prove(plan)]
    return texts


def _target(plan: Plan) -> str:
    options = plan.target.options
    what = next(
        (str(getattr(options, name)) for name in ("app", "url") if getattr(options, name, None)),
        " ".join(getattr(options, "argv", ())),
    )
    return TEXTS.server(f"{plan.target.member} {what}".rstrip())


def _servers(plan: Plan) -> list[str]:
    places = ", ".join(f"{name} {address.url}" for name, address in plan.servers.items())
    return [TEXTS.further_servers(places)] if places else []


# --- the workload ---------------------------------------------------------------------------------


def _arrivals(arrivals: Arrivals) -> str:
    match arrivals:
        case Users():
            return TEXTS.closed(_users(arrivals))
        case Rate() if arrivals.is_unpaced:
            return TEXTS.unpaced
        case Rate():
            among = TEXTS.shared_out(f"{arrivals.identities:,}") if arrivals.identities > 1 else ""
            return TEXTS.open_model(_rate(arrivals), _spaced(arrivals), among)
        case Sessions():
            level = (
                TEXTS.sessions_in_stages(_stages(arrivals.stages))
                if arrivals.stages
                else TEXTS.sessions_at(show_number(arrivals.per_second or 0))
            )
            return TEXTS.partly_open(level, _spaced(arrivals), _session_length(arrivals))
        case Replay():
            speed = "" if arrivals.speed == 1 else TEXTS.times_as_fast(show_number(arrivals.speed))
            sentence = TEXTS.replayed_by_name if arrivals.is_table else TEXTS.replayed
            return sentence(str(arrivals.times), speed)


def _spaced(arrivals: Rate | Sessions) -> str:
    return TEXTS.at_random if arrivals.arrivals == "poisson" else TEXTS.evenly


def _users(users: Users) -> str:
    if users.stages:
        return TEXTS.users_in_stages(_stages(users.stages))
    if users.start is not None and users.add is not None and users.every is not None:
        every = show_duration(users.every)
        return TEXTS.users_in_steps(f"{users.start:,}", f"{users.add:,}", every, f"{users.until:,}")
    return TEXTS.users(users.count or 0)


def _rate(rate: Rate) -> str:
    if rate.stages:
        return TEXTS.rate_in_stages(_stages(rate.stages))
    if rate.start is not None and rate.add is not None and rate.every is not None:
        start, add, until = map(show_number, (rate.start, rate.add, rate.until or 0))
        return TEXTS.rate_in_steps(start, add, show_duration(rate.every), until)
    return TEXTS.rate(show_number(rate.per_second or 0))


def _stages(stages: tuple[LoadStage, ...]) -> str:
    parts: list[str] = []
    level = None
    for number, stage in enumerate(stages):
        if stage.to == level:
            parts.append(TEXTS.held(show_duration(stage.over + stage.hold)))
            continue
        level = stage.to
        if stage.over:
            part = TEXTS.climb(show_number(stage.to), show_duration(stage.over), number == 0)
        else:
            part = TEXTS.jump(show_number(stage.to), number == 0)
        if stage.hold:
            length = show_duration(stage.hold)
            part += TEXTS.hold_after_climb(length) if stage.over else TEXTS.hold_after_jump(length)
        parts.append(part)
    return TEXTS.then.join(parts)


def _session_length(sessions: Sessions) -> str:
    if sessions.requests is not None:
        return TEXTS.rounds(sessions.requests)
    stay = sessions.stay or 0.0
    mean = TEXTS.mean_rounds(show_number(1 / (1 - stay))) if stay < 1 else ""
    return TEXTS.rounds_until_enough(show_share(stay), mean)


def _requests(work: Workload) -> list[str]:
    think = _think(work.think)
    if all(len(scenario.steps) == 1 and not _decided(scenario.steps[0]) for scenario in work.scenarios):
        # In an open model a request waits for no other, so there is no pause to speak of.
        pause = f"; {think}" if work.arrivals.visitor != "arrival" else ""
        text = TEXTS.requests(_mix(work), pause)
    elif len(work.scenarios) == 1:
        text = TEXTS.in_order(_course(work.scenarios[0]), think)
    else:
        ways = "; ".join(
            f"{_percent(work, scenario)}{scenario.name}: {_course(scenario)}" for scenario in work.scenarios
        )
        text = TEXTS.ways(ways, think)
    feeds = ", ".join(TEXTS.feed_from(name, _feed(feed)) for name, feed in work.feeds.items())
    return [text, TEXTS.feeds(feeds)] if feeds else [text]


def _course(scenario: Scenario) -> str:
    """Return the steps in order, with a plus between those that are sent at once."""
    course = ""
    for step in scenario.steps:
        separator = " + " if step.beside else ", "
        course += f"{separator if course else ''}{_route(step)}{_decided(step)}"
    return course


def _decided(step: Request) -> str:
    """Return what answers decide about a step, and those behind it; nothing for most steps."""
    text = ""
    if step.when is not None:
        text += TEXTS.only_if(_conditions(step.when.holds), step.when.through)
    if (repeat := step.repeat) is not None:
        sentence = TEXTS.again_while if repeat.going else TEXTS.again_until
        most = f"{repeat.at_most:,}"
        text += sentence(_conditions(repeat.going or repeat.until), repeat.through, most)
    return text


def _conditions(conditions: Conditions) -> str:
    return TEXTS.both.join(_condition(condition, is_alone=len(conditions) == 1) for condition in conditions)


def _condition(condition: Condition, *, is_alone: bool) -> str:
    alternatives = TEXTS.either.join(map(_comparison, condition.comparisons))
    return f"({alternatives})" if condition.others and not is_alone else alternatives


def _comparison(part: Comparison) -> str:
    if part.latest is not None:
        return TEXTS.latest_was_good if part.latest == "ok" else TEXTS.latest_failed
    variable = part.variable or ""
    if (having := part.having) is not None:
        key, is_so = having
        asked = {
            "is_set": (TEXTS.is_not_set, TEXTS.is_set),
            "is_true": (TEXTS.is_not_true, TEXTS.is_true),
            "is_null": (TEXTS.is_not_null, TEXTS.is_null),
        }
        return asked[key][is_so](variable)
    if (number := part.number) is not None:
        order, value = number
        compared = {
            "above": TEXTS.is_above,
            "at_least": TEXTS.is_at_least,
            "below": TEXTS.is_below,
            "at_most": TEXTS.is_at_most,
        }
        return compared[order](variable, f"{value:g}")
    if part.equal is not None:
        return TEXTS.is_value(variable, part.equal or '""')
    return TEXTS.is_no_value(variable, part.other or '""')


def _mix(work: Workload) -> str:
    return ", ".join(f"{_percent(work, scenario)}{_route(scenario.steps[0])}" for scenario in work.scenarios)


def _percent(work: Workload, chosen: Scenario) -> str:
    """Return the share of a scenario; nothing where it is the only one, or a list says when each is due."""
    total = sum(scenario.weight for scenario in work.scenarios)
    is_named = isinstance(work.arrivals, Replay) and work.arrivals.is_table
    return (
        "" if len(work.scenarios) == 1 or not total or is_named else f"{show_share(chosen.weight / total)} "
    )


def _route(request: Request) -> str:
    address = request.address
    return address if request.name == address else f"{request.name} ({address})"


def _think(think: Think) -> str:
    if think.uniform:
        low, high = think.uniform
        return TEXTS.pause_between(show_duration(low), show_duration(high))
    if think.exponential:
        return TEXTS.pause_mean(show_duration(think.exponential))
    if think.constant:
        return TEXTS.pause(show_duration(think.constant))
    return TEXTS.no_pause


def _feed(feed: Feed) -> str:
    if feed.csv is not None:
        source = feed.csv + (TEXTS.column(str(feed.column)) if feed.column else "")
    elif feed.counter is not None:
        source = TEXTS.counter(f"{feed.counter:,}")
    elif feed.random:
        source = TEXTS.at_random_between(f"{feed.random[0]:,}", f"{feed.random[1]:,}")
    else:
        source = feed.lines or TEXTS.values(f"{len(feed.values):,}")
    orders = {
        "sequential": "", "sequential_per_user": TEXTS.anew_for_each, "shuffled": TEXTS.shuffled,
        "unique": TEXTS.own_each, "per_user": TEXTS.drawn_each,
        "arrival": TEXTS.of_each_arrival,
    }  # fmt: skip
    return source + orders[feed.order] + (TEXTS.once_a_loop if feed.per == "loop" else "")


def _login(work: Workload) -> list[str]:
    if work.login is None:
        return []
    login = work.login
    again = TEXTS.either.join(map(str, login.again_on))
    until = TEXTS.lasts(show_duration(login.lasts)) if login.lasts is not None else TEXTS.is_used
    if login.lasts_from is not None:
        until = TEXTS.lasts_as_said
    if login.jitter:
        until += TEXTS.less_at_random(show_share(login.jitter))
    return [TEXTS.login(_route(login.request), until, again)]


def _cache(work: Workload) -> list[str]:
    if (cache := work.cache) is None:
        return []
    fresh = TEXTS.reused if cache.fresh == "reuse" else TEXTS.validated
    lasts = TEXTS.empty_each_loop if cache.lasts == "loop" else ""
    return [TEXTS.cache(f"{cache.entries:,}", fresh, lasts)]


def _rules(work: Workload) -> list[str]:
    texts = _cache(work)
    if not work.connections.keep_alive:
        texts.append(TEXTS.new_connections)
    texts += _spoken(work)
    if work.connections.most is not None:
        texts.append(TEXTS.most_connections(f"{work.connections.most:,}"))
    ends = []
    if work.requests_limit is not None:
        ends.append(TEXTS.after_requests(f"{work.requests_limit:,}"))
    if work.loops_per_user is not None:
        ends.append(TEXTS.after_rounds(f"{work.loops_per_user:,}"))
    if ends:
        texts.append(TEXTS.ends_early(TEXTS.either.join(ends)))
    texts.append(TEXTS.time_out(show_duration(work.timeout)))
    return texts


def _spoken(work: Workload) -> list[str]:
    texts = []
    streams = work.connections.streams
    if work.connections.http == "2":
        # A user or session with a connection of its own has one request at a time on it.
        alone = work.arrivals.visitor == "session" or streams == 1 or not work.visitors_share
        how = TEXTS.one_at_a_time if alone else TEXTS.up_to_at_once(f"{streams:,}")
        texts.append(TEXTS.over_http2(how))
    if not work.visitors_share:
        texts.append(TEXTS.own_websocket(work.arrivals.visitor == "session"))
    return texts


# --- trials, settings, goals ----------------------------------------------------------------------


def _trial(plan: Plan) -> str:
    warm, measure = plan.trial.warm_up, plan.trial.measure
    begin = warming(warm)
    work = plan.workload
    if work.ends_itself:
        long = TEXTS.as_long_as_it_takes if work.arrivals.ends_itself else TEXTS.at_most(_longest(plan))
        after = TEXTS.measured_after(show_duration(warm.at_least)) if warm.at_least else TEXTS.all_measured
        return TEXTS.trial_that_ends(long, after)
    if measure.at_least == measure.at_most:
        return TEXTS.trial_measured(begin, show_duration(measure.at_most))
    least, most = show_duration(measure.at_least), show_duration(measure.at_most)
    return TEXTS.trial_until_known(begin, least, most, show_share(measure.until))


def warming(rules: WarmUp) -> str:
    """Return how a trial begins, as the beginning of a sentence; empty without a warm-up.

    "up to 30 s to warm up, then "
    """
    if not rules.at_most:
        return ""
    return TEXTS.warming(show_duration(rules.at_most), rules.at_least < rules.at_most)


def _longest(plan: Plan) -> str:
    return show_duration(plan.trial.warm_up.at_most + plan.trial.measure.at_most)


def _knobs(plan: Plan) -> list[str]:
    if not plan.knobs:
        return []
    text = "; ".join(_knob(knob) for knob in plan.knobs)
    return [TEXTS.knobs(text), TEXTS.base(show_setting(plan.base_setting))]


def _knob(knob: PlannedKnob) -> str:
    only = TEXTS.both.join(TEXTS.where_is(name, _or(values)) for name, values in knob.when.items())
    return f"{knob.name} {shown(knob.values)}" + (TEXTS.only_where(only) if only else "")


def _or(values: tuple[Value, ...]) -> str:
    return TEXTS.either.join(map(show_value, values)) if len(values) < 4 else TEXTS.one_of(shown(values))


def _study(plan: Plan, outlook: Outlook | None) -> list[str]:
    study = plan.study
    if outlook is None:
        return [] if study.strategy == "one_trial" else [TEXTS.study(study.strategy)]
    time = TEXTS.at_most(show_duration(outlook.seconds))
    if outlook.trials == 1:
        # The first trial is run whatever the budget is.
        return [TEXTS.one_in_all(time)]
    if study.budget is not None and study.budget < outlook.seconds:
        time = TEXTS.cut_off(time, show_duration(study.budget))
    settings, trials = f"{outlook.settings:,}", f"{outlook.trials:,}"
    if outlook.searches:
        return [TEXTS.some_settings(study.strategy, settings, trials, time)]
    if outlook.trials == outlook.settings:
        return [TEXTS.each_once(study.strategy, settings, time)]
    return [TEXTS.all_settings(study.strategy, settings, f"{study.blocks:,}", trials, time)]


def _goals(plan: Plan) -> list[str]:
    if not plan.goals:
        return []
    texts = []
    for goal in plan.goals:
        measure = TEXTS.of_route(goal.measure, goal.route) if goal.route else goal.measure
        over = TEXTS.in_every(show_duration(goal.over)) if goal.over is not None else ""
        wanted = TEXTS.goal_below if goal.below else TEXTS.goal_above
        texts.append(wanted(measure, show(goal.limit, goal.unit), over))
    return [TEXTS.wanted(", ".join(texts))]


def _probes(plan: Plan) -> list[str]:
    if not plan.probes:
        return [TEXTS.nothing_observed]
    more = TEXTS.not_used(", ".join(plan.unwatched)) if plan.unwatched else ""
    if asked := [probe.member for probe in plan.probes if probe.is_asked]:
        more += TEXTS.with_options(", ".join(asked))
    return [TEXTS.observed(show_duration(plan.trial.probe_every), more)]


def _fleet(plan: Plan) -> list[str]:
    rules = plan.fleet
    if rules is None:
        return []
    count = f"{rules.generators:,}"
    return [TEXTS.made_by(count) if rules.ray is None else TEXTS.made_on(count, rules.ray)]


def _nodes(plan: Plan) -> list[str]:
    rules = plan.nodes
    if rules is None:
        return []
    if rules.ray is not None:
        return [TEXTS.dealt_on_ray(f"{rules.nodes:,}", rules.ray)]
    return [TEXTS.dealt_here(f"{rules.nodes:,}")]


def _observers(plan: Plan) -> list[str]:
    texts = []
    for observer in plan.observers:
        if observer.port:
            what = TEXTS.host_and_port(str(observer.port))
        else:
            what = TEXTS.host_and_process(str(observer.pid)) if observer.pid else TEXTS.its_host
        texts.append(TEXTS.observed_there(observer.name, str(observer.via), what))
    return texts


def _profile(plan: Plan) -> list[str]:
    rules = plan.profile
    if rules is None or rules == BY_ITSELF:
        return []
    what = TEXTS.both.join(rules.components) or TEXTS.all_components
    return [TEXTS.profiled(rules.when, show_duration(rules.length), what)]


def _prove(plan: Plan) -> list[str]:
    rules = plan.prove
    if rules is None:
        return []
    when = TEXTS.at_the_end if rules.after_run else TEXTS.when_asked
    texts = [TEXTS.proved(when, show_duration(rules.budget))]
    if rules.knobs:
        values = "; ".join(f"{name} {shown(values)}" for name, values in rules.knobs.items())
        texts.append(TEXTS.tried_beside(values))
    if rules.allow:
        texts.append(
            TEXTS.may_be_touched(TEXTS.all_of_them if "all" in rules.allow else TEXTS.both.join(rules.allow))
        )
    if rules.through:
        ways = ", ".join(TEXTS.through(name, str(address)) for name, address in rules.through.items())
        texts.append(TEXTS.may_be_delayed(ways))
    return texts
