"""Promises of every cause, whoever wrote it. Members are found, not listed."""

import inspect
import math
import re
import types
from collections.abc import Iterator
from dataclasses import replace
from typing import get_args

import pytest

from loadrig.base import members
from loadrig.judgement.cause import Law, Resource
from loadrig.judgement.causes.request_overhead import OVERHEADS
from loadrig.judgement.declarations import HEADINGS, ROOM, cause_of
from loadrig.judgement.diagnose import diagnose
from loadrig.judgement.evidence import Hypothesis
from loadrig.judgement.facts.case import Case
from loadrig.judgement.harms import table as harms
from loadrig.judgement.levers import levers
from loadrig.judgement.limits.holders import Holder
from loadrig.judgement.limits.kinds import Kind
from loadrig.judgement.limits.kinds import Resource as FullResource
from loadrig.judgement.symptoms import LOOK_SHORT
from loadrig.language import member_pages
from loadrig.language.choice import written_in
from loadrig.testing.cases import ACase

NAMES = members.names(ROOM)


def module(name: str) -> types.ModuleType:
    return members.load(ROOM, name)


def bare() -> Case:
    """Return a server on another machine: nothing but the load was seen."""
    return ACase(seconds=20, rate=100.0, ok=60.0, failed={"timeout": 40.0}, latency_s=2.0).build()


def idle() -> Case:
    """Return a case in which nothing was asked."""
    return ACase(seconds=20, users=1, ok=0.0).tier("server", kind="gunicorn").build()


def well() -> Case:
    """Return a server that does all it is asked for at a third of its core, with a database behind it."""
    case = ACase(seconds=30, rate=100.0, ok=100.0, latency_s=0.01)
    case.tier("server", kind="gunicorn", runtime="cpython", cpus=(1,), workers=4, settings={"--workers": "4"})
    case.tier("mariadb", kind="mariadb", address="127.0.0.1:3306").edge(
        "server", "mariadb", "127.0.0.1:3306", 4
    )
    case.counter("server", "process.cpu_s", "tree", 0.33).counter("mariadb", "process.cpu_s", "tree", 0.1)
    case.host_cpu([0.1, 0.43])
    case.gauge("host", "tcp_sockets.time_wait", "in:8000", 20_000.0)
    case.gauge("host", "tcp_sockets.time_wait_all", "", 20_000.0)
    return case.build()


@pytest.mark.parametrize("name", NAMES)
def test_its_page_has_the_five_headings(name: str) -> None:
    page = members.page(ROOM, name)
    assert [line[3:] for line in page.splitlines() if line.startswith("## ")] == list(HEADINGS)
    assert page.splitlines()[0].endswith(".")


@pytest.mark.parametrize("name", NAMES)
def test_its_mend_is_told_in_the_language_of_the_reader(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert written_in(cause_of(name).first_of_page("Fix")) == "en"
    monkeypatch.setattr(member_pages, "language", lambda: "ko")
    assert [written_in(cause_of(name).below(heading)) for heading in HEADINGS] == ["ko"] * len(HEADINGS)


@pytest.mark.parametrize("name", NAMES)
def test_what_it_declares_exists(name: str) -> None:
    cause = module(name)
    assert cause.TEXTS.title == cause.TEXTS.title.strip() != ""
    assert not cause.TEXTS.title.endswith(".")
    assert cause.ABOUT.harms <= set(harms.HARMS)
    assert cause.ABOUT.resource in get_args(Resource)
    assert cause.ABOUT.refines in {"", *NAMES} - {name}
    assert set(cause.ABOUT.full) <= set(get_args(Kind))


@pytest.mark.parametrize("name", NAMES)
def test_it_says_what_would_prove_it_or_why_nothing_of_ours_does(name: str) -> None:
    reason = cause_of(name).why_no_proof
    assert bool(cause_of(name).proofs_of()) != bool(reason)
    # It follows "no experiment of ours decides about it: ", and says what a person does instead.
    assert reason == reason.strip()
    assert not reason.endswith(".")
    assert not reason or reason[0].islower()
    page = members.page(ROOM, name)
    deciding_test = page.partition("## Deciding test")[2].partition("## Guard")[0]
    assert "`--prove`" in deciding_test or name == "healthy"


@pytest.mark.parametrize("name", NAMES)
def test_its_levers_are_ones_that_there_are(name: str) -> None:
    from loadrig.interventions.knob_step import ROLES
    from loadrig.interventions.load_shape import SHAPES

    for proof in cause_of(name).proofs_of():
        targets = {"knob": set(ROLES), "load": set(SHAPES)}.get(proof.change, set())
        assert set(proof.what) <= targets, f"{name}: {proof}"
        assert bool(proof.what) == bool(targets)
        assert list(levers(proof, "server", ["redis"], "kind: redis"))


@pytest.mark.parametrize("name", NAMES)
def test_its_proofs_and_gains_speak_of_kinds_that_it_tells_apart(name: str) -> None:
    law: Law | None = getattr(module(name), "GAIN", None)
    declared = [kind for proof in cause_of(name).proofs_of() for kind in proof.of] + list(
        law.of if law else ()
    )
    source = inspect.getsource(module(name))
    for kind in set(declared):
        # Once for each declaration, and at least once more, where a hypothesis is given this detail.
        assert len(re.findall(f'"{re.escape(kind)}', source)) > declared.count(kind), f"{name}: {kind}"


def test_what_moves_every_queue_proves_no_cause_by_itself() -> None:
    """Take no delay for a proof: it moves all that waits, and the CPU of a server whatever it computes."""
    own = {name: {proof.change for proof in cause_of(name).proofs_of() if proof.is_own} for name in NAMES}
    assert [name for name in NAMES if "delay" in own[name]] == []
    of_cpu = [name for name in NAMES if own[name] & {"cpu", "cores"}]
    assert of_cpu == ["cache_bottleneck", "cpu_quota", "database_cpu", "host_cpu"]


def test_what_looks_short_is_a_resource_that_causes_are_about() -> None:
    about = {module(name).ABOUT.resource for name in NAMES}
    assert {short for others in LOOK_SHORT.values() for short in others} <= about
    assert set(LOOK_SHORT) <= about


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("case", [bare, idle, well], ids=lambda make: make.__name__)
def test_it_says_whole_sentences_of_components_that_there_are(name: str, case: types.FunctionType) -> None:
    read_case, sentences = case(), module(name).TEXTS
    for hypothesis in _said(name, read_case):
        assert hypothesis.component in read_case.tiers or hypothesis.component in ("generator", "load")
        assert hypothesis.signs
        texts = [
            hypothesis.effect,
            hypothesis.mend or sentences.mend,
            hypothesis.decides or sentences.decides,
        ]
        texts += [sign.text for sign in hypothesis.signs]
        texts += [evidence.text for evidence in (*hypothesis.more, *hypothesis.against)]
        for text in texts:
            assert text == text.strip() != ""
            assert not text.endswith(".")
            assert "nan" not in text.split()
        assert hypothesis.bound is None or 0 <= hypothesis.bound <= 1
        assert hypothesis.gain is None or 0 < hypothesis.gain < math.inf
        assert all(sign.weight >= 0 for sign in hypothesis.signs)


@pytest.mark.parametrize("name", NAMES)
def test_it_stands_by_signs_or_by_a_resource(name: str) -> None:
    assert hasattr(module(name), "examine") or module(name).ABOUT.full or cause_of(name).has_words_of_holder


@pytest.mark.parametrize("name", [name for name in NAMES if cause_of(name).has_words_of_holder])
@pytest.mark.parametrize("case", [bare, idle, well], ids=lambda make: make.__name__)
def test_what_it_says_of_a_holder_is_whole(name: str, case: types.FunctionType) -> None:
    holder = Holder(name, "server", 0.4, "something", of="server")
    works = tuple(OVERHEADS) if name == "request_overhead" else ("",)
    for each in (replace(holder, work=work) for work in works):
        wording = module(name).wording_of_holder(case(), each)
        for text in (wording.effect, wording.mend, wording.decides):
            assert text == text.strip()
            assert not text.endswith(".")
            assert not {"nan", "inf"} & set(text.split())


@pytest.mark.parametrize("name", [name for name in NAMES if hasattr(module(name), "wording")])
@pytest.mark.parametrize("case", [bare, idle, well], ids=lambda make: make.__name__)
def test_what_it_says_of_its_resource_is_whole(name: str, case: types.FunctionType) -> None:
    read_case, (kind, *_) = case(), module(name).ABOUT.full
    wording = module(name).wording(
        read_case, read_case.server, FullResource(kind, "server", 4.0, 4.0, True, 9.0, "mariadb")
    )
    texts = [wording.effect, wording.mend, wording.decides, *(evidence.text for evidence in wording.evidence)]
    needs_more = ("cpu_quota", "host_cpu", "lock_contention", "worker_class")
    assert any(texts) or name in needs_more, "these need more than a resource"
    for text in texts:
        assert text == text.strip()
        assert not text.endswith(".")
        assert not {"nan", "inf"} & set(text.split())


@pytest.mark.parametrize("name", [name for name in NAMES if name != "healthy"])
def test_it_accuses_nobody_where_all_is_well(name: str) -> None:
    accused = [finding.cause for finding in diagnose(well()).findings]
    assert name not in accused


def _said(name: str, case: Case) -> Iterator[Hypothesis]:
    examine = getattr(module(name), "examine", None)
    yield from () if examine is None else examine(case)
