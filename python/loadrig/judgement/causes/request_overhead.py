"""Compression, serialisation, TLS, logging or compiling takes much of the CPU that a request costs."""

from collections.abc import Mapping
from dataclasses import replace

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.cause import About, Law, Proof
from loadrig.judgement.evidence import CLEAR, SLIGHT, Evidence, Wording
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.work import logged, works_of
from loadrig.judgement.limits.holders import Holder
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.request_overhead import RequestOverheadTexts
from loadrig.language.labels import each_request

TEXTS = texts_of(RequestOverheadTexts)

ABOUT = About("cpu", "use")

PROOFS = (
    Proof("load", ("identity",), of=("compression",)),
    # A level lower may spare hardly anything.
    Proof("knob", ("compression",), "less", is_needed=False, of=("compression",)),
    # Kept connections spare more than handshakes, and the records are ciphered all the same.
    Proof("load", ("keep_alive",), is_needed=False, is_own=False, of=("TLS",)),
    # The knob may be of another log than the one that costs.
    Proof("knob", ("logging",), "less", is_needed=False, of=("logging",)),
    Proof("cpu", is_own=False),
)

UNSEEN_IN = {"compression": frozenset({"host_cpu", "cpu_quota"})}
"""Causes, by kind of overhead, that look the same without a profile: only an experiment tells them apart."""

GAIN = Law("share", "CPU")

FEWEST_SAMPLES = 50
"""Number of samples. With fewer, a share of a quarter has an interval of ± 12 % (binomial, 95 %)."""


OVERHEADS: Mapping[str, Wording] = {
    "compress": Wording("", TEXTS.compress_less_lower, TEXTS.same_load_accept, "compression"),
    "serialise": Wording("", TEXTS.faster_encoder_fewer, TEXTS.same_load_answer, "serialisation"),
    "tls": Wording("", TEXTS.keep_connections_alive, TEXTS.same_load_keep, "TLS"),
    "log": Wording("", TEXTS.log_less_way, TEXTS.same_load_higher, "logging"),
    "kernel_file": Wording("", TEXTS.open_write_read, TEXTS.same_load_higher_log, TEXTS.file_access),
    "regex": Wording("", TEXTS.compile_patterns_once, TEXTS.same_load_route, TEXTS.regular_expressions),
    "compile": Wording("", TEXTS.compile_once, TEXTS.same_load_compiled, TEXTS.compiling),
}
"""Words of each kind of this cause, all but its effect, by the class of CPU time."""


def wording_of_holder(case: Case, holder: Holder) -> Wording:
    """Return its words: what the work takes of a request's CPU time, and how many samples say so."""
    tier, overhead = case.tiers[holder.component], OVERHEADS[holder.work]
    work = next((work for work in works_of(case, tier) if work.work == holder.work), None)
    lines = logged(case, tier) if holder.work == "log" else None
    if lines is not None and (work is None or work.share < lines.share):
        text = TEXTS.lines_written(show_number(lines.a_request), show_duration(lines.line_s))
        share, evidence = lines.share, Evidence(text, lines.source, CLEAR)
    elif work is not None:
        weight = CLEAR if work.samples >= FEWEST_SAMPLES else SLIGHT
        text = TEXTS.samples_lay(show_share(work.share), show_number(work.samples), overhead.detail)
        share, evidence = work.share, Evidence(text, work.source, weight)
    else:
        return overhead
    cpu_s = tier.cpu.mean / case.load.ended_rps if tier.cpu is not None and case.load.ended_rps else 0.0
    without = each_request(show_duration(cpu_s * (1 - share)))
    effect = TEXTS.effect(overhead.detail, show_share(share), show_duration(cpu_s), without)
    return replace(
        overhead, effect=effect, decides=TEXTS.decides(overhead.decides, without), evidence=(evidence,)
    )
