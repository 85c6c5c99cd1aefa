"""A plan in sentences: what will be asked of which server, by whom, for how long, and to what end."""

from dataclasses import dataclass

from loadrig.base.setting import Value, show_setting, show_value
from loadrig.base.units import show, show_duration, show_number, show_share
from loadrig.plan.arrivals import Arrivals, LoadStage, Rate, Replay, Sessions, Users
from loadrig.plan.knobs import shown
from loadrig.plan.model import (
    Feed,
    Plan,
    PlannedKnob,
    Request,
    Scenario,
    Think,
    WarmUp,
    Workload,
)
from loadrig.plan.watching import BY_ITSELF


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
    texts = [_target(plan), _arrivals(plan.workload.arrivals), *_requests(plan.workload)]
    texts += [*_login(plan.workload), *_rules(plan.workload)]
    texts.append(f"One trial: {outlook.trial}." if outlook is not None and outlook.trial else _trial(plan))
    texts += [*_knobs(plan), *_study(plan, outlook), *_goals(plan), *_probes(plan), *_observers(plan)]
    texts += [*_profile(plan), *_prove(plan)]
    return texts


def _target(plan: Plan) -> str:
    options = plan.target.options
    what = next(
        (str(getattr(options, name)) for name in ("app", "url") if getattr(options, name, None)),
        " ".join(getattr(options, "argv", ())),
    )
    return f"The server: {plan.target.member} {what}".rstrip() + "."


# --- the workload ---------------------------------------------------------------------------------


def _arrivals(arrivals: Arrivals) -> str:
    match arrivals:
        case Users():
            return f"A closed model: {_users(arrivals)}."
        case Rate() if arrivals.is_unpaced:
            return "As fast as the connections allow: each asks again as soon as it is answered."
        case Rate():
            how = "at random times (Poisson)" if arrivals.arrivals == "poisson" else "evenly spaced"
            among = (
                f", shared out to {arrivals.identities:,} users in turn" if arrivals.identities > 1 else ""
            )
            return f"An open model: {_rate(arrivals)}, {how}, answered or not{among}."
        case Sessions():
            how = "at random times (Poisson)" if arrivals.arrivals == "poisson" else "evenly spaced"
            level = (
                f"sessions begin each second: {_stages(arrivals.stages)}"
                if arrivals.stages
                else f"{show_number(arrivals.per_second or 0)} sessions begin each second"
            )
            return (
                f"A partly open model: {level}, {how}; each makes {_session_length(arrivals)}, then leaves."
            )
        case Replay():
            speed = "" if arrivals.speed == 1 else f", {show_number(arrivals.speed)} times as fast"
            return f"An open model: requests are due at the times in {arrivals.times}{speed}."


def _users(users: Users) -> str:
    if users.stages:
        return f"users {_stages(users.stages)}"
    if users.start is not None and users.add is not None and users.every is not None:
        return (
            f"{users.start:,} users, then {users.add:,} more every {show_duration(users.every)} "
            f"up to {users.until:,}"
        )
    return f"{users.count:,} {'user' if users.count == 1 else 'users'}"


def _rate(rate: Rate) -> str:
    if rate.stages:
        return f"requests a second {_stages(rate.stages)}"
    if rate.start is not None and rate.add is not None and rate.every is not None:
        return (
            f"{show_number(rate.start)}, then {show_number(rate.add)} more every "
            f"{show_duration(rate.every)} up to {show_number(rate.until or 0)} requests a second"
        )
    return f"{show_number(rate.per_second or 0)} requests a second"


def _stages(stages: tuple[LoadStage, ...]) -> str:
    parts: list[str] = []
    level = None
    for number, stage in enumerate(stages):
        if stage.to == level:
            parts.append(f"held for {show_duration(stage.over + stage.hold)}")
            continue
        level = stage.to
        if stage.over:
            start = "from 0 " if number == 0 else ""
            part = f"{start}to {show_number(stage.to)} over {show_duration(stage.over)}"
        else:
            part = show_number(stage.to) if number == 0 else f"at once {show_number(stage.to)}"
        if stage.hold:
            held = show_duration(stage.hold)
            part += f" and {held} there" if stage.over else f" for {held}"
        parts.append(part)
    return ", then ".join(parts)


def _session_length(sessions: Sessions) -> str:
    if sessions.requests is not None:
        return f"{sessions.requests:,} {'round' if sessions.requests == 1 else 'rounds'}"
    stay = sessions.stay or 0.0
    mean = f" ({show_number(1 / (1 - stay))} in the mean)" if stay < 1 else ""
    return f"rounds until it has enough, with {show_share(stay)} to go on after each{mean}"


def _requests(work: Workload) -> list[str]:
    think = _think(work.think)
    if all(len(scenario.steps) == 1 for scenario in work.scenarios):
        # In an open model a request waits for no other, so there is no pause to speak of.
        pause = f"; {think}" if work.arrivals.visitor != "arrival" else ""
        text = f"Requests: {_mix(work.scenarios)}{pause}."
    elif len(work.scenarios) == 1:
        steps = ", ".join(_route(step) for step in work.scenarios[0].steps)
        text = f"Each time in this order: {steps}; {think}."
    else:
        ways = "; ".join(
            f"{_percent(work.scenarios, scenario)}{scenario.name}: {', '.join(map(_route, scenario.steps))}"
            for scenario in work.scenarios
        )
        text = f"Ways through the service: {ways}; {think}."
    feeds = ", ".join(f"{name} from {_feed(feed)}" for name, feed in work.feeds.items())
    return [text, f"Values: {feeds}."] if feeds else [text]


def _mix(scenarios: tuple[Scenario, ...]) -> str:
    return ", ".join(f"{_percent(scenarios, scenario)}{_route(scenario.steps[0])}" for scenario in scenarios)


def _percent(scenarios: tuple[Scenario, ...], chosen: Scenario) -> str:
    total = sum(scenario.weight for scenario in scenarios)
    return "" if len(scenarios) == 1 or not total else f"{show_share(chosen.weight / total)} "


def _route(request: Request) -> str:
    address = request.address
    return address if request.name == address else f"{request.name} ({address})"


def _think(think: Think) -> str:
    if think.uniform:
        low, high = think.uniform
        return f"a pause of {show_duration(low)} to {show_duration(high)} after each answer"
    if think.exponential:
        return f"a pause of {show_duration(think.exponential)} in the mean (exponential) after each answer"
    if think.constant:
        return f"a pause of {show_duration(think.constant)} after each answer"
    return "no pause between them"


def _feed(feed: Feed) -> str:
    if feed.csv is not None:
        source = feed.csv + (f", column {feed.column}" if feed.column else "")
    elif feed.counter is not None:
        source = f"a counter from {feed.counter:,}"
    elif feed.random:
        source = f"{feed.random[0]:,} to {feed.random[1]:,} at random"
    else:
        source = feed.lines or f"{len(feed.values):,} values"
    order = {"sequential": "", "shuffled": " in random order", "unique": ", each user its own"}[feed.order]
    return source + order


def _login(work: Workload) -> list[str]:
    if work.login is None:
        return []
    login = work.login
    again = " or ".join(map(str, login.again_on))
    until = f"lasts {show_duration(login.lasts)}" if login.lasts is not None else "is used"
    if login.lasts_from is not None:
        until = "lasts as long as the answer says"
    if login.jitter:
        until += f", less up to {show_share(login.jitter)} of that at random"
    return [
        f"Before its first request each user logs in ({_route(login.request)}); what it gets {until}, "
        f"or until a {again}; logins are left out of the service's figures."
    ]


def _rules(work: Workload) -> list[str]:
    texts = []
    if not work.connections.keep_alive:
        texts.append("A new connection for every request.")
    texts += _spoken(work)
    if work.connections.most is not None:
        texts.append(f"At most {work.connections.most:,} connections.")
    ends = []
    if work.requests_limit is not None:
        ends.append(f"after {work.requests_limit:,} requests")
    if work.loops_per_user is not None:
        ends.append(f"when every user has made {work.loops_per_user:,} rounds")
    if ends:
        texts.append(f"It ends early {' or '.join(ends)}.")
    texts.append(f"A request that takes longer than {show_duration(work.timeout)} has failed.")
    return texts


def _spoken(work: Workload) -> list[str]:
    texts = []
    streams = work.connections.streams
    if work.connections.http == "2":
        # A user or session with a connection of its own has one request at a time on it.
        alone = work.arrivals.visitor == "session" or streams == 1 or not work.visitors_share
        how = "one request at a time" if alone else f"up to {streams:,} requests at once"
        texts.append(f"Over HTTP/2, {how} on a connection.")
    if not work.visitors_share:
        texts.append(
            f"Each {work.arrivals.visitor} opens a WebSocket of its own with its first message, and keeps it."
        )
    return texts


# --- trials, settings, goals ----------------------------------------------------------------------


def _trial(plan: Plan) -> str:
    warm, measure = plan.trial.warm_up, plan.trial.measure
    begin = warming(warm)
    work = plan.workload
    if work.ends_itself:
        long = "as long as that takes" if work.arrivals.ends_itself else f"at most {_longest(plan)}"
        after = f"measured after {show_duration(warm.at_least)}" if warm.at_least else "all of it is measured"
        return f"One trial: {long}; {after}."
    if measure.at_least == measure.at_most:
        return f"One trial: {begin}{show_duration(measure.at_most)} measured."
    return (
        f"One trial: {begin}{show_duration(measure.at_least)} to {show_duration(measure.at_most)} "
        f"measured, until throughput is known to {show_share(measure.until)}."
    )


def warming(rules: WarmUp) -> str:
    """Return how a trial begins, as the beginning of a sentence; empty without a warm-up.

    "up to 30 s to warm up, then "
    """
    most = "up to " if rules.at_least < rules.at_most else ""
    return f"{most}{show_duration(rules.at_most)} to warm up, then " if rules.at_most else ""


def _longest(plan: Plan) -> str:
    return show_duration(plan.trial.warm_up.at_most + plan.trial.measure.at_most)


def _knobs(plan: Plan) -> list[str]:
    if not plan.knobs:
        return []
    text = "; ".join(_knob(knob) for knob in plan.knobs)
    return [f"Knobs: {text}.", f"The base setting: {show_setting(plan.base_setting)}."]


def _knob(knob: PlannedKnob) -> str:
    only = " and ".join(f"{name} is {_or(values)}" for name, values in knob.when.items())
    return f"{knob.name} {shown(knob.values)}" + (f" (only where {only})" if only else "")


def _or(values: tuple[Value, ...]) -> str:
    return " or ".join(map(show_value, values)) if len(values) < 4 else f"one of {shown(values)}"


def _study(plan: Plan, outlook: Outlook | None) -> list[str]:
    study = plan.study
    if outlook is None:
        return [] if study.strategy == "one_trial" else [f"The study: {study.strategy}."]
    time = f"at most {show_duration(outlook.seconds)}"
    if outlook.trials == 1:
        # The first trial is run whatever the budget is.
        return [f"One trial in all; {time}."]
    if study.budget is not None and study.budget < outlook.seconds:
        time = f"{time}, cut off at {show_duration(study.budget)}"
    if outlook.searches:
        return [
            f"The study {study.strategy}: some of {outlook.settings:,} settings, in at most "
            f"{outlook.trials:,} trials; {time}."
        ]
    return [
        f"The study {study.strategy}: {outlook.settings:,} settings in {study.blocks:,} blocks, the base "
        f"twice in each: {outlook.trials:,} trials; {time}."
    ]


def _goals(plan: Plan) -> list[str]:
    if not plan.goals:
        return []
    texts = []
    for goal in plan.goals:
        of_route = f" of {goal.route}" if goal.route else ""
        over = f" in every {show_duration(goal.over)}" if goal.over is not None else ""
        side = "below" if goal.below else "above"
        texts.append(f"{goal.measure}{of_route} {side} {show(goal.limit, goal.unit)}{over}")
    return [f"Wanted: {', '.join(texts)}."]


def _probes(plan: Plan) -> list[str]:
    if not plan.probes:
        return ["Nothing is observed but the answers."]
    text = (
        f"Observed every {show_duration(plan.trial.probe_every)}: the host, the server and what it talks to"
    )
    if plan.unwatched:
        text += f"; not used: {', '.join(plan.unwatched)}"
    if asked := [probe.member for probe in plan.probes if probe.is_asked]:
        text += f"; with options of their own: {', '.join(asked)}"
    return [f"{text}."]


def _observers(plan: Plan) -> list[str]:
    texts = []
    for observer in plan.observers:
        server = (
            f"and the server at port {observer.port}"
            if observer.port
            else f"and the server, process {observer.pid}"
        )
        what = f"its host {server}" if observer.port or observer.pid else "its host"
        texts.append(f"Observed on {observer.name} too, by way of `{observer.via}`: {what}.")
    return texts


def _profile(plan: Plan) -> list[str]:
    rules = plan.profile
    if rules is None or rules == BY_ITSELF:
        return []
    what = " and ".join(rules.components) or "the server and what it talks to on this machine"
    return [f"Profiled {rules.when}, for {show_duration(rules.length)} each: {what}."]


def _prove(plan: Plan) -> list[str]:
    rules = plan.prove
    if rules is None:
        return []
    when = "at the end" if rules.after_run else "when that is asked for"
    texts = [f"What limits it is proved {when}, in at most {show_duration(rules.budget)}."]
    if rules.knobs:
        values = "; ".join(f"{name} {shown(values)}" for name, values in rules.knobs.items())
        texts.append(f"Tried for that beside the setting: {values}.")
    if rules.allow:
        whom = "all of them" if "all" in rules.allow else " and ".join(rules.allow)
        texts.append(f"Components that the rig did not start and that may be touched: {whom}.")
    if rules.through:
        ways = ", ".join(f"{name} through {address}" for name, address in rules.through.items())
        texts.append(f"Ways that may be delayed: {ways}.")
    return texts
