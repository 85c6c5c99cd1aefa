"""The labs that there are, and a lab with its plan by what a person types."""

from dataclasses import replace
from pathlib import Path

from loadrig.base.errors import PlanError, Span
from loadrig.base.members import nearest
from loadrig.labs.bundled import HERE, unknown
from loadrig.labs.bundled import names as names
from loadrig.labs.format import OWN, OWN_PLAN, SICK, Lab, read_lab
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.labs import LabsFindErrors

ERRORS = texts_of(LabsFindErrors)


def find(name: str) -> Lab:
    """Return a lab by its name, or by the path of its folder (with a / in it).

    Raise PlanError: lab.unknown, or all that is wrong with its files.
    """
    if "/" in name:
        return read_lab(Path(name))
    if name not in names():
        raise PlanError(unknown(name, Span(name)))
    return read_lab(HERE / name)


def find_plan(text: str) -> tuple[Lab, str]:
    """Return a lab and one of its plans from NAME, NAME:PLAN or NAME:FILE.yaml.

    A file is a plan of the user's own: it gets the lab as the sick plan does, and no truth is known of it.
    Raise PlanError: lab.unknown, lab.unknown-plan, or all that is wrong with the lab's files.
    """
    name, colon, plan = text.partition(":")
    lab = find(name)
    plan = plan if colon else SICK
    if plan.endswith(OWN) and Path(plan).is_file():
        own = replace(lab.plans[SICK], about=OWN_PLAN)
        return replace(lab, plans={**lab.plans, plan: own}), plan
    if plan not in lab.plans:
        close = nearest(plan, list(lab.plans))
        meant = f"{name}:{close}" if close else ""
        wording = ERRORS.unknown_plan(lab.name, repr(plan), meant, ", ".join(lab.plans), OWN)
        raise PlanError.of(wording, code="lab.unknown-plan", where=Span(text))
    return lab, plan
