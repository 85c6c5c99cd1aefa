"""A cache that works on one thing at a time holds everybody up, or stops doing its work."""

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.cause import OF_ANY_LIMIT, About, Law, Proof
from loadrig.judgement.evidence import CLEAR, SLIGHT, STRONG, Claims, Evidence, Hypothesis, Sign, Wording
from loadrig.judgement.facts import observed
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.commands import SlowCommand, slowest_command
from loadrig.judgement.facts.dependencies import costliest
from loadrig.judgement.facts.lookups import Lookups, lookups_of
from loadrig.judgement.facts.tier import CACHES, ONE_AT_A_TIME, Tier
from loadrig.judgement.limits.kinds import Resource
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.cache_bottleneck import CacheBottleneckTexts
from loadrig.recording.event_facts import CommonFacts, facts_of

TEXTS = texts_of(CacheBottleneckTexts)

ABOUT = About("cpu", "size", full=("cores", "thread"), of=CACHES, harms=OF_ANY_LIMIT | {"dips"})

PROOFS = (
    Proof("cpu", of=("one thread",)),
    # A slow command uses CPU while it holds the thread, but may come too seldom to show.
    Proof("cpu", is_needed=False, of=("slow command",)),
    # Times to live that are twice as long make half of the storms, which is hard to tell from chance.
    Proof("knob", ("expiry",), "other", is_needed=False, of=("misses together",)),
    # A larger cache spares the database work, whether or not the old one was too small.
    Proof("knob", ("cache",), is_needed=False, is_own=False, of=("too small",)),
)

GAIN = Law("capacity", "CPU", of=("one thread",))

IN_BURSTS = ("misses together",)
"""Details of findings whose work comes all at once, so that something of a server is full for moments."""

CACHE_HELD_SHARE = 0.1
"""Share of the time that slow commands hold the thread, 0 to 1. From it on one request in ten meets one."""

STORMS, MISSED_SHARE = 0.1, 0.2
"""Share by which throughput must fall in a storm of misses; share of the look-ups that miss from which on a
cache without room spares too little. 0 to 1."""


def wording(case: Case, tier: Tier, resource: Resource) -> Wording:
    """Return its words where its one thread is full: the command that takes most of it."""
    top = costliest(tier, "redis.command_s")
    text = TEXTS.takes_time(top[0], show_share(min(1.0, top[1].mean))) if top is not None else ""
    return Wording(
        effect=TEXTS.effect(show_share(resource.share), show_number(case.load.ended_rps)),
        mend=TEXTS.mend, decides=TEXTS.decides(tier.name), detail="one thread",
        evidence=(Evidence(text, top[1].source, SLIGHT),) if top is not None else (),
    )  # fmt: skip


def examine(case: Case) -> Claims:
    """Yield the hypotheses of each cache that leave a trace: misses, a slow command."""
    for tier in case.of_kind(*CACHES):
        lookups = lookups_of(tier)
        if lookups is not None and lookups.is_stormy.any():
            yield _together(case, tier, lookups)
        elif lookups is not None and lookups.is_herd:
            yield _side_by_side(tier, lookups)
        elif lookups is not None and lookups.lacks_room:
            yield _too_small(tier, lookups)
    for tier in case.of_kind(*ONE_AT_A_TIME):
        if (slow := slowest_command(case, tier)) is not None:
            yield _slow_command(case, tier, slow)


def _slow_command(case: Case, tier: Tier, slow: SlowCommand) -> Hypothesis:
    """Return the hypothesis of the command that holds the thread longest, where each call takes long."""
    p99_s, each = case.load.latency(0.99), show_duration(slow.each_s)
    logged = case.events_of("slow_command", component=tier.name)
    longest_s = max((facts_of(event, CommonFacts).duration_s or 0.0 for event in logged), default=0.0)
    text = TEXTS.commands_slow_log("{}", show_duration(longest_s))
    more = observed.events(case, "slow_command", tier.name, text)
    more += observed.events(case, "latency_spike", tier.name, TEXTS.latency_monitor_saw("{}"), SLIGHT)
    held = TEXTS.held_thread_time(slow.name, show_share(min(1.0, slow.share)), each)
    sign = Sign(slow.share >= CACHE_HELD_SHARE, held, slow.source, STRONG if slow.share >= 0.5 else CLEAR)
    # The share of the lost throughput, or of a slow tail, that such a command could explain.
    bound = min(1.0, max(slow.share, slow.each_s / p99_s if p99_s > 0 else 0.0))
    return Hypothesis(
        tier.name, (sign,), TEXTS.takes_nobody_else(slow.name, each, show_duration(slow.delay_s)),
        mend=TEXTS.replace_what_takes(slow.name), decides=TEXTS.same_load_without(slow.name),
        more=more, bound=bound, bound_text=held, detail=f"slow command {slow.name}",
    )  # fmt: skip


def _together(case: Case, tier: Tier, lookups: Lookups) -> Hypothesis:
    """Return the hypothesis of many look-ups that miss at the same moments."""
    stormy, calm, load = lookups.is_stormy, lookups.is_calm, case.load
    stormy_rps, calm_rps = lookups.in_storms(load.ok)
    fell = max(0.0, 1 - stormy_rps / calm_rps) if calm_rps > 0 else 0.0
    has_logins = observed.is_far_more(*lookups.in_storms(load.logins))
    share, usual = lookups.in_storms(lookups.miss_shares)[0], lookups.usual_miss_share
    missed = TEXTS.look_ups_missed(show_share(share), stormy.sum(), (stormy | calm).sum(), show_share(usual))
    missed = TEXTS.missed_most_begin if lookups.is_filling else missed
    answered = TEXTS.s_answered_steps(show_number(stormy_rps), show_number(calm_rps))
    logins = TEXTS.logins_rise_same if has_logins else TEXTS.load_same_steps
    expired = lookups.expired_in_storms
    more = (Evidence(TEXTS.many_keys_expire, expired.source),) if expired is not None else ()
    signs = (
        Sign(not lookups.is_filling, missed, lookups.misses.source),
        Sign(fell >= STORMS, answered, load.source("load.successful_rps")),
        Sign(not has_logins, logins, load.source("routes"), 0.0),
    )
    return Hypothesis(
        tier.name, signs, more=more, effect=TEXTS.when_many_keys(show_share(fell)),
        mend=TEXTS.give_times_live, decides=TEXTS.same_load_jitter, detail="misses together",
    )  # fmt: skip


def _side_by_side(tier: Tier, lookups: Lookups) -> Hypothesis:
    """Return the hypothesis of keys that all who miss them compute at the same time (a stampede)."""
    share, times = lookups.spared_share, show_number(lookups.times_computed)
    text = TEXTS.computed_by_many(times, show_number(lookups.misses.mean))
    return Hypothesis(
        tier.name, (Sign(True, text, lookups.misses.source, STRONG),), effect=text,
        mend=TEXTS.give_times_live, decides=TEXTS.same_load_jitter, bound=share, bound_text=text,
        detail="misses together",
    )  # fmt: skip


def _too_small(tier: Tier, lookups: Lookups) -> Hypothesis:
    """Return the hypothesis of look-ups that always miss because keys had to make room."""
    usual, evicted = lookups.usual_miss_share, lookups.evicted or lookups.misses
    missed = TEXTS.usual_look_ups_missed(show_share(usual))
    text = TEXTS.while_keys_second(missed, show_number(evicted.mean))
    return Hypothesis(
        tier.name, (Sign(usual >= MISSED_SHARE, text, evicted.source, STRONG),),
        effect=TEXTS.look_ups_second(show_number(lookups.misses.mean)), mend=TEXTS.give_more_memory,
        decides=TEXTS.same_load_twice, bound=usual, bound_text=missed, detail="too small",
    )  # fmt: skip
