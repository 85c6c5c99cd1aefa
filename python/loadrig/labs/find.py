"""The labs that there are, and a lab with its plan by what a person types."""

from dataclasses import replace
from pathlib import Path

from loadrig.base.errors import PlanError, Span
from loadrig.base.members import nearest
from loadrig.labs.bundled import HERE, unknown
from loadrig.labs.bundled import names as names
from loadrig.labs.format import OWN, SICK, Lab, read_lab


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
        own = replace(lab.plans[SICK], about="a plan of your own")
        return replace(lab, plans={**lab.plans, plan: own}), plan
    if plan not in lab.plans:
        close = nearest(plan, list(lab.plans))
        raise PlanError.of(
            what=f"the lab {lab.name} has no plan {plan!r}",
            where=Span(text),
            mend=f"did you mean {name}:{close}?"
            if close
            else f"it has {', '.join(lab.plans)}; a plan of your own is a file that ends in {OWN}",
            code="lab.unknown-plan",
        )
    return lab, plan
