"""Run of a lab's plan: services up, capacity measured where asked for, run, compared with the truth."""

import contextlib
import io
import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loadrig.base import members
from loadrig.base.errors import Interrupted, TargetError
from loadrig.base.exits import Exit
from loadrig.base.units import show_number
from loadrig.labs import needs, network, pace
from loadrig.labs.find import find_plan
from loadrig.labs.format import Lab, Truth
from loadrig.labs.session import LabSession
from loadrig.labs.truth import TruthCheck, compare, compare_all
from loadrig.language.choice import texts_of
from loadrig.language.en.cli import CliLabRunTexts
from loadrig.language.en.errors.cli_run import CliLabRunErrors
from loadrig.plan.load import read
from loadrig.plan.model import Plan
from loadrig.plan.secrets import revealed
from loadrig.plan.seeding import seeded
from loadrig.recording import documents
from loadrig.recording.layout import RunFolder

if TYPE_CHECKING:
    from loadrig.proving.document import ProofDocument
    from loadrig.trial.document import TrialDocument

TEXTS, ERRORS = texts_of(CliLabRunTexts), texts_of(CliLabRunErrors)

SCHEMA = "loadrig.lab/1"
LOOK_EVERY_S = 0.2
SHOWN_LINES = 15


def run(
    text: str,
    *,
    out: str | None,
    short: bool,
    as_json: bool,
    prove: bool = False,
    receivers: Sequence[str] = (),
) -> int:
    """Run a plan of a lab, print its result and whether the diagnosis is right; return the exit code.

    For a plan of the user's own no truth is known: it ends as `loadrig run` does.
    prove: whether experiments follow; then their findings are compared with the truth. receivers: who is told
    of the run meanwhile, as FORMAT=PLACE.
    """
    from loadrig.cli._runs import run_plan

    with _up(text) as (session, name):
        capacity = _capacity(session, name) if session.wants_capacity(name) else None
        plan = _plan(session, name, capacity.rps if capacity else None, short=short)
        run_folder = RunFolder.fresh(Path(out) if out else None, TEXTS.lab(session.lab.name, Path(name).stem))
        truth = session.lab.truths.get(name)
        output = io.StringIO() if as_json and truth is not None else sys.stdout
        failure: TargetError | None = None
        try:
            with contextlib.redirect_stdout(output):
                code = run_plan(
                    plan, f"loadrig lab run {text}", out=run_folder.path, as_json=as_json, prove=prove,
                    receivers=receivers,
                    pids=[running.target.pid for running in session.running.values() if running.target.pid],
                    anew=f"loadrig lab run {text}",
                )  # fmt: skip
        except TargetError as error:
            failure, code = error, int(error.exit)
    if truth is None:
        if failure is not None:
            raise failure
        return code
    base = _trials(run_folder, plan)
    proof = _proof(run_folder) if prove else None
    if proof is not None:
        from msgspec.structs import replace

        base = [replace(trial, findings=proof.findings, diagnosis=proof.diagnosis) for trial in base]
    # Under another load than the plan's the truth may be another, too.
    trials = [trial for trial in base if "load" not in trial.validity.lost]
    if not trials and code == Exit.VOID:
        is_void, answer = True, TruthCheck(False, TEXTS.no_trial_good(_why_void(base)))
    else:
        is_void, answer = _compared(truth, trials, capacity)
    headline = _headline(run_folder, proof)
    if headline:
        answer = TruthCheck(False, headline)
    if as_json:
        from loadrig.base.documents import plain

        document = _document(session.lab, name, truth, answer, run_folder, trials, capacity)
        document = {**({"headline": headline} if headline else {}), **document}
        if prove:
            document["proof"] = None if proof is None else plain(proof)
        print(json.dumps(document, indent=1))
    elif is_void:
        print(TEXTS.void_run_again(answer.text))
    else:
        print(f"\n{'right' if answer.is_right else 'wrong'}: {answer.text}")
    if failure is not None:
        raise failure
    if code == Exit.TARGET_FAILED:
        return code
    if is_void:
        return Exit.VOID
    return Exit.FINE if answer.is_right else Exit.GOAL_MISSED


def _compared(
    truth: Truth, trials: Sequence["TrialDocument"], capacity: pace.Capacity | None
) -> tuple[bool, TruthCheck]:
    """Return the answer, and before it whether it is void: its machine was slower than in the calibration."""
    answer = compare_all(
        [
            compare(truth, trial.findings, trial.diagnosis.sentence if trial.diagnosis else "")
            for trial in trials
        ]
    )
    if answer.is_right or capacity is None:
        return False, answer
    slowed = capacity.slowed([trial.estimates for trial in trials])
    return bool(slowed), TruthCheck(False, TEXTS.but(answer.text, slowed)) if slowed else answer


def start(text: str) -> int:
    """Bring a lab's services and server up, print where, and stay until Ctrl-C or until the server ends."""
    from loadrig.trial.interruption import Interruption
    from loadrig.trial.placement import place

    with _up(text) as (session, name):
        # What the rates are does not matter: no load is made.
        plan = _plan(session, name, 1.0, short=False)
        module = members.load("loadrig.target", plan.target.member)
        cpus = place(
            threads=plan.trial.threads, generator=plan.trial.cpus,
            target=tuple(getattr(plan.target.options, "cpus", ())), starts_target=True,
        ).target  # fmt: skip
        folder = session.server_folder()
        options = revealed(plan.target.options, plan, getattr(plan.target.options, "files", ()))
        with module.start(options, plan.base_setting, folder, session.work, cpus=cpus) as server:
            with Interruption() as interruption:
                _say_where(session, server.target.address.url)
                while server.alive():
                    if interruption.happened:
                        print("stopping", file=sys.stderr)
                        return Exit.FINE
                    time.sleep(LOOK_EVERY_S)
            raise TargetError.of(
                ERRORS.server_ended(session.lab.name),
                code="lab.server-ended",
                detail=tuple(server.last_lines(SHOWN_LINES)),
            )


@contextmanager
def _up(text: str) -> Iterator[tuple[LabSession, str]]:
    """Yield a lab that is up, in its own network where it has one, and the name of the plan that is meant."""
    lab, name = find_plan(text)
    lab = lab.for_plan(name)
    needs.require(lab)
    if lab.network is not None:
        network.enter(lab.network)
    try:
        with LabSession(lab, _say) as session:
            yield session, name
    except KeyboardInterrupt:
        raise Interrupted.of(ERRORS.interrupted(lab.name, text), code="lab.interrupted") from None


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr)


def _say_where(session: LabSession, url: str) -> None:
    print(url, flush=True)
    for name, service in session.lab.services.items():
        _say(TEXTS.listens_on(name, str(service.port)))
    inside = ""
    if session.lab.network is not None:
        import os

        inside = f"nsenter --net --target {os.getpid()} "
        _say(TEXTS.has_network_own)
    _say(TEXTS.load_loadrig_attack(inside, url))


def _plan(session: LabSession, name: str, capacity: float | None, *, short: bool) -> Plan:
    text = session.plan_text(name, capacity)
    overrides = session.lab.short if short else {}
    return read(text, str(session.work / f"{Path(name).stem}.yaml"), overrides)


def _capacity(session: LabSession, name: str) -> pace.Capacity:
    """Return what the server does when the capacity plan saturates it."""
    from loadrig.cli._live import LiveRun
    from loadrig.recording.reader import Recording
    from loadrig.study.carry_out import carry_out
    from loadrig.study.yardstick import deciding
    from loadrig.trial.result import result_of

    which = session.lab.plans[name].capacity
    plan = seeded(_plan(session, which, None, short=False))
    folder = RunFolder.fresh(None, TEXTS.lab_run(session.lab.name, which))
    folder.create(plan.text)
    quiet = not sys.stderr.isatty()
    title = TEXTS.capacity(session.lab.name)
    with LiveRun(title, deciding(plan), folder, quiet=quiet, at_once=True) as live:
        carry_out(plan, folder, watch=live, trial_watch=lambda _: live)
    folders = folder.trial_folders()
    document = result_of(Recording.open(folders[-1].path)).document if folders else None
    capacity = pace.of(document.load.successful_rps, document.estimates) if document else None
    if capacity is None or capacity.rps <= 0:
        raise TargetError.of(
            ERRORS.no_capacity(session.lab.name, which, str(folder.path)), code="lab.capacity"
        )
    _say(TEXTS.capacity_requests_second(show_number(capacity.rps), str(folder.path)))
    return capacity


def _trials(run_folder: RunFolder, plan: Plan) -> list["TrialDocument"]:
    """Return the results of the trials of the base setting."""
    from loadrig.trial.document import trial_of

    results = []
    for trial in run_folder.trial_folders():
        if trial.result.is_file():
            result = trial_of(documents.read(trial.result), str(trial.result))
            if result.setting == dict(plan.base_setting):
                results.append(result)
    return results


def _proof(run_folder: RunFolder) -> "ProofDocument | None":
    """Return what the proof of the run says; None where there was nothing to prove."""
    # With numpy it takes a tenth of a second to import, and the load need not wait for it.
    from loadrig.base.documents import typed
    from loadrig.proving.document import ProofDocument

    path = run_folder.proof_document
    return typed(ProofDocument, documents.read(path), str(path)) if path.is_file() else None


def _headline(run_folder: RunFolder, proof: "ProofDocument | None") -> str:
    """Return a sentence that the server under test failed; "" where it did not."""
    result = documents.read(run_folder.result) if run_folder.result.is_file() else {}
    return str(result.get("headline") or (proof and proof.headline) or "")


def _why_void(results: list["TrialDocument"]) -> str:
    """Return what made trials void, or their load another one, each reason once."""
    graves = ("grave", "void")
    reasons = [why for result in results for why in result.validity.reasons if why.level in graves]
    return "; ".join(dict.fromkeys(f"{why.check}: {why.text}" for why in reasons)) or TEXTS.none_was


def _document(
    lab: Lab, name: str, truth: Truth, answer: TruthCheck, run_folder: RunFolder,
    trials: list["TrialDocument"], capacity: pace.Capacity | None,
) -> dict[str, Any]:  # fmt: skip
    """Return the document of --json: schema loadrig.lab/1."""
    from loadrig.base.documents import plain

    return {
        "schema": SCHEMA,
        "lab": lab.name,
        "plan": name,
        "right": answer.is_right,
        "answer": answer.text,
        "truth": asdict(truth),
        "capacity_rps": capacity.rps if capacity else None,
        "run": str(run_folder.path),
        "trials": [
            {key: plain(getattr(trial, key)) for key in ("validity", "findings", "diagnosis", "load")}
            for trial in trials
        ],
    }
