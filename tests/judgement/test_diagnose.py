"""The gates, and how findings are put in order."""

import types
from dataclasses import replace

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base import members
from loadrig.base.claims import CLAIMS
from loadrig.base.documents import plain
from loadrig.judgement import diagnose as engine
from loadrig.judgement.cause import About
from loadrig.judgement.declarations import Cause
from loadrig.judgement.diagnose import Diagnosis, diagnose
from loadrig.judgement.document import findings_of
from loadrig.judgement.evidence import (
    CLEAR,
    STRONG,
    Cleared,
    Evidence,
    Finding,
    FormulaSource,
    Hypothesis,
    LoadSource,
    Sign,
)
from loadrig.judgement.facts.case import Case
from loadrig.judgement.harms import table as harms
from loadrig.judgement.limits.bottlenecks import Judgement
from loadrig.judgement.limits.network import Network
from loadrig.judgement.weigh import judge
from loadrig.testing.cases import ACase

SOURCE = LoadSource("load.achieved_rps")

SHORT = frozenset({"short"})
CPU, WORKERS = About("cpu", "size", harms=SHORT), About("workers", "size", harms=SHORT)
DOOR, NETWORK = About("door", "size", harms=SHORT), About("network", "signs", harms=SHORT)

SIGN_TEXT = "what was seen"
"""The text of a sign, which is handed on as it is."""


def sign(holds: bool | None = True, weight: float = STRONG, text: str = "it shows") -> Sign:
    return Sign(holds, text, SOURCE, weight)


def hypothesis(*signs: Sign, component: str = "server", **more: object) -> Hypothesis:
    facts = {"effect": "it costs half", "mend": "take it away", "decides": "take it away and see", **more}
    return Hypothesis(component, signs or (sign(), sign()), **facts)  # type: ignore[arg-type]


def cause(**facts: object) -> types.ModuleType:
    module = types.ModuleType("cause")
    for name, value in {"TEXTS": types.SimpleNamespace(title="it is so"), "ABOUT": CPU, **facts}.items():
        setattr(module, name, value)
    return module


def calling(dependency: str) -> Case:
    """Return a case as `pressed`, whose server calls a dependency."""
    case = ACase(seconds=20, rate=100.0, ok=50.0, failed={"timeout": 50.0})
    return case.tier(dependency).edge("server", dependency, "127.0.0.1:1").build()


def pressed() -> Case:
    """Return a case in which half of what was due was answered."""
    return ACase(seconds=20, rate=100.0, ok=50.0, failed={"timeout": 50.0}).build()


def judged(tried: Hypothesis, case: Case | None = None, **facts: object) -> Finding | Cleared:
    return judge(Cause("some_cause", cause(**facts)), tried, case or pressed())


def test_all_signs_and_a_hundred_to_one_make_it_likely() -> None:
    judgement = judged(hypothesis(sign(), sign(weight=CLEAR)))
    assert isinstance(judgement, Finding)
    assert (judgement.verdict, judgement.weight) == ("likely", 3.0)


def test_no_trial_alone_names_a_cause() -> None:
    judgement = judged(hypothesis(*[sign()] * 20))
    assert isinstance(judgement, Finding)
    assert judgement.verdict == "likely"


def test_a_sign_that_fails_clears_it_in_its_own_words() -> None:
    judgement = judged(hypothesis(sign(), sign(False, text=SIGN_TEXT)))
    assert isinstance(judgement, Cleared)
    assert judgement.why == SIGN_TEXT


def test_a_sign_that_was_not_seen_leaves_it_possible_and_says_what_is_missing() -> None:
    judgement = judged(hypothesis(sign(), sign(), sign(None, text=SIGN_TEXT)))
    assert isinstance(judgement, Finding)
    assert (judgement.verdict, judgement.missing) == ("possible", (SIGN_TEXT,))


def test_a_moment_is_too_short_to_be_sure(snapshot: SnapshotAssertion) -> None:
    moment = ACase(seconds=2, rate=100.0, ok=50.0, failed={"timeout": 50.0}).build()
    judgement = judged(hypothesis(), moment)
    assert isinstance(judgement, Finding)
    assert judgement.verdict == "possible"
    assert judgement.missing == snapshot


def test_what_a_counter_states_is_so_however_short_the_trial_was() -> None:
    moment = ACase(seconds=2, rate=100.0, ok=50.0, failed={"timeout": 50.0}).build()
    stated = judged(hypothesis(), moment, ABOUT=About("memory", "fact", harms=SHORT))
    assert isinstance(stated, Finding)
    assert stated.verdict == "likely"


def test_little_evidence_leaves_it_possible() -> None:
    judgement = judged(hypothesis(sign(weight=CLEAR)))
    assert isinstance(judgement, Finding)
    assert judgement.verdict == "possible"


def test_arithmetic_clears_what_could_not_have_cost_it(snapshot: SnapshotAssertion) -> None:
    judgement = judged(hypothesis(bound=0.00005, bound_text=SIGN_TEXT))
    assert isinstance(judgement, Cleared)
    assert judgement.source == FormulaSource(SIGN_TEXT)
    assert judgement.why == snapshot


def test_more_against_it_than_for_it_clears_it() -> None:
    against = (Evidence(SIGN_TEXT, SOURCE, 5.0),)
    judgement = judged(hypothesis(against=against))
    assert isinstance(judgement, Cleared)
    assert judgement.why == SIGN_TEXT


def test_what_nothing_speaks_for_is_cleared_by_what_would_have_to_be_seen() -> None:
    judgement = judged(hypothesis(sign(None, text=SIGN_TEXT)))
    assert isinstance(judgement, Cleared)
    assert judgement.why == SIGN_TEXT


def test_where_nothing_is_wrong_nobody_is_accused() -> None:
    well = ACase(seconds=20, rate=100.0, ok=100.0).build()
    assert isinstance(judged(hypothesis(), well), Cleared)
    assert isinstance(judged(hypothesis(), well, ABOUT=replace(CPU, harms=frozenset())), Finding)


def test_the_arithmetic_is_told_beside_the_evidence() -> None:
    judgement = judged(hypothesis(bound=0.5, bound_text="28,232 ports / 60 s = 470/s"))
    assert isinstance(judgement, Finding)
    assert FormulaSource("28,232 ports / 60 s = 470/s") in [
        evidence.source for evidence in judgement.evidence
    ]


class CausesRoom:
    """Causes that say what a test wants them to."""

    def __init__(self, patch: pytest.MonkeyPatch, **causes: tuple[Hypothesis, About]) -> None:
        modules = {
            name: cause(ABOUT=about, examine=lambda _, hypothesis=hypothesis: iter([hypothesis]))
            for name, (hypothesis, about) in causes.items()
        }
        patch.setattr(members, "names", lambda _: tuple(sorted(modules)))
        patch.setattr(members, "load", lambda _, name: modules[name])
        patch.setattr(engine, "ceilings", lambda _: ())
        patch.setattr(engine, "judgement_of", lambda *_: Judgement((), (), (), Network(0.0, (), ())))

        self.causes = modules

    def diagnosis(self, case: Case | None = None) -> Diagnosis:
        return diagnose(case or pressed())


def test_a_symptom_stands_under_its_root_even_if_more_speaks_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    database = hypothesis(sign(), component="mariadb")
    threads = hypothesis(sign(), sign(), sign())
    room = CausesRoom(monkeypatch, database=(database, CPU), threads=(threads, WORKERS))
    (root,) = room.diagnosis(calling("mariadb")).findings
    assert (root.cause, [symptom.cause for symptom in root.symptoms]) == ("database", ["threads"])


def test_what_is_wrong_now_comes_before_what_will_be_in_hours(monkeypatch: pytest.MonkeyPatch) -> None:
    grows = hypothesis(*[sign()] * 4), replace(NETWORK, harms=frozenset({"growth"}))
    CausesRoom(monkeypatch, grows=grows, slow=(hypothesis(), CPU))
    case = ACase(seconds=20, rate=100.0, ok=50.0, failed={"timeout": 50.0}).tier("server", runtime="cpython")
    case.gauge("server", "process.pss_bytes", "pid:1", [40e6 + 5e6 * n for n in range(20)], "B")
    assert [finding.cause for finding in diagnose(case.build()).findings] == ["slow", "grows"]


def test_symptoms_of_symptoms_are_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    same = hypothesis(sign())
    room = CausesRoom(
        monkeypatch, a=(same, CPU), b=(same, WORKERS), c=(same, DOOR), d=(same, About("tracked", "fact"))
    )
    assert [(root.cause, [s.cause for s in root.symptoms]) for root in room.diagnosis().findings] == [
        ("a", ["b", "c"]),
        ("d", []),
    ]


def test_a_symptom_lies_in_the_same_component_or_in_a_caller(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    room = CausesRoom(
        monkeypatch, a=(hypothesis(sign()), CPU), b=(hypothesis(sign(), component="redis"), WORKERS)
    )
    assert [root.cause for root in room.diagnosis(calling("redis")).findings] == ["a", "b"]
    room = CausesRoom(
        monkeypatch, a=(hypothesis(sign(), component="redis"), CPU), b=(hypothesis(sign()), WORKERS)
    )
    assert [root.cause for root in room.diagnosis(calling("redis")).findings] == ["a"]
    apart = ACase(seconds=20, rate=100.0, ok=50.0, failed={"timeout": 50.0}).tier("redis").build()
    assert [root.cause for root in room.diagnosis(apart).findings] == ["a", "b"], "nobody was seen to call it"


def test_who_uses_a_resource_is_the_root_of_its_being_full(monkeypatch: pytest.MonkeyPatch) -> None:
    full = hypothesis(sign(), sign(), sign())
    room = CausesRoom(monkeypatch, full=(full, CPU), spent=(hypothesis(sign()), About("cpu", "use")))
    (root,) = room.diagnosis().findings
    assert (root.cause, [symptom.cause for symptom in root.symptoms]) == ("spent", ["full"])


def test_of_two_that_explain_each_other_the_likelier_is_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    room = CausesRoom(
        monkeypatch,
        a=(hypothesis(sign()), WORKERS),
        b=(hypothesis(sign(), sign()), About("pool", "size")),
    )
    (root,) = room.diagnosis().findings
    assert (root.cause, root.symptoms[0].cause) == ("b", "a")


def test_a_mere_possibility_explains_nothing_that_is_likely(monkeypatch: pytest.MonkeyPatch) -> None:
    room = CausesRoom(
        monkeypatch,
        a=(hypothesis(sign(weight=CLEAR)), CPU),
        b=(hypothesis(sign(), sign()), NETWORK),
    )
    assert [root.cause for root in room.diagnosis().findings] == ["b", "a"]


def test_the_first_says_why_it_is_not_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    room = CausesRoom(
        monkeypatch,
        a=(hypothesis(sign(), sign()), NETWORK),
        b=(hypothesis(sign(), sign(False, text=SIGN_TEXT)), NETWORK),
    )
    (root,) = room.diagnosis().findings
    assert [(rival.cause, rival.why) for rival in root.rivals] == [("b", SIGN_TEXT)]


def test_beside_a_finding_its_own_cause_is_not_told_as_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    room = CausesRoom(monkeypatch, a=(hypothesis(sign(), sign()), NETWORK))
    two = [hypothesis(sign(), sign()), hypothesis(sign(), sign(False, text=SIGN_TEXT), detail="another lock")]
    monkeypatch.setattr(members.load("", "a"), "examine", lambda _: two)
    diagnosis = room.diagnosis()
    (root,) = diagnosis.findings
    assert root.rivals == ()
    assert [clearance.why for clearance in diagnosis.cleared] == [SIGN_TEXT], "the whole list tells it"


def test_where_nothing_stands_it_says_so_and_what_was_looked_into(
    monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    room = CausesRoom(monkeypatch, a=(hypothesis(sign(False, text=SIGN_TEXT)), NETWORK))
    diagnosis = room.diagnosis()
    assert diagnosis.findings == ()
    assert diagnosis.sentence == snapshot
    assert [clearance.why for clearance in diagnosis.cleared] == [SIGN_TEXT]


def test_a_cause_that_fails_is_told_and_costs_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    room = CausesRoom(monkeypatch, a=(hypothesis(sign()), NETWORK), b=(hypothesis(sign()), NETWORK))
    monkeypatch.setattr(members.load("", "b"), "examine", lambda _: 1 / 0)
    diagnosis = room.diagnosis()
    assert [finding.cause for finding in diagnosis.findings] == ["a"]
    assert [(unseen.what, "ZeroDivisionError" in unseen.why) for unseen in diagnosis.unseen] == [
        ("cause b", True)
    ]


def test_a_void_trial_yields_no_finding_about_the_target(snapshot: SnapshotAssertion) -> None:
    case = ACase(seconds=20, users=10, ok=50.0, latency_s=0.2)
    case.tier("server", kind="gunicorn", cpus=(1,)).counter("server", "process.cpu_s", "tree", 1.0)
    mend = "send the run folder"
    case.host_cpu([1.0, 1.0]).remark("G9", "void", "requests in flight and responses disagree", mend)
    diagnosis = diagnose(case.build())
    assert diagnosis.findings == ()
    assert diagnosis.sentence == snapshot
    assert diagnosis.ceilings == ()


def tail(**weak: float) -> ACase:
    """Return a server with a wrong tail only, and the claims that a disturbance made wider by so much."""
    case = ACase(seconds=20, rate=100.0, latency_s=0.02, p99_s=0.5)
    case.tier("server", kind="gunicorn")
    for claim, by in weak.items():
        case.weaken(claim, "wider", by)  # type: ignore[arg-type]
    return case


def of_tail(case: ACase) -> Finding:
    finding = judged(hypothesis(sign(), sign()), case.build(), ABOUT=replace(CPU, harms=frozenset({"tail"})))
    assert isinstance(finding, Finding)
    return finding


def test_what_rests_on_weakened_claims_alone_is_less_sure_and_says_why() -> None:
    assert of_tail(tail()).verdict == "likely"
    assert of_tail(tail(rates=0.3)).verdict == "likely"
    assert of_tail(tail(tails=0.04)).verdict == "likely"
    finding = of_tail(tail(tails=0.15))
    assert finding.verdict == "possible"
    assert "15 %" in finding.missing[-1]


def test_what_the_generator_did_not_send_is_not_held_against_the_server() -> None:
    def short(case: ACase) -> bool:
        return "short" in case.build().harms

    assert short(ACase(seconds=20, rate=100.0, ok=90.0, unsent={"run_over": 150}))
    fell_short = ACase(seconds=20, rate=100.0, ok=90.0, sent=90.0, unsent={"run_over": 150})
    assert not short(fell_short.weaken("load", "lost", 0.1))
    failing = ACase(seconds=20, rate=100.0, ok=70.0, sent=90.0, unsent={"run_over": 150})
    assert short(failing.weaken("load", "lost", 0.1))


def test_an_open_load_at_its_cap_is_judged_as_a_closed_one() -> None:
    case = ACase(seconds=20, rate=100.0, ok=60.0, sent=60.0, unsent={"no_connection": 600})
    assert "saturated" in case.weaken("load", "lost", 0.4).build().harms


def test_every_harm_rests_on_a_kind_of_claim() -> None:
    assert {harm.rests_on for harm in harms.HARMS.values()} <= set(CLAIMS)


def test_every_sentence_links_to_what_it_rests_on() -> None:
    case = ACase(seconds=20, users=10, ok=50.0, latency_s=0.2)
    case.tier("server", kind="gunicorn", runtime="cpython", cpus=(1,), workers=4)
    case.counter("server", "process.cpu_s", "tree", 0.98).host_cpu([0.2, 1.0])
    first = findings_of(diagnose(case.build()))[0]
    assert first.evidence
    for evidence in plain(first.evidence):
        assert evidence["source"]["kind"] in ("series", "formula", "events", "load", "profile", "experiment")
