"""The one picture beside an answer: what shows best why it is the answer, for each kind of run."""

from dataclasses import replace

from loadrig.judgement.soak.document import SoakDocument
from loadrig.report import soak
from loadrig.report.figures import account, capacity_curve, settings_dots, soak_strips
from loadrig.report.model import Figure
from loadrig.report.run import Run

ID = "picture"
"""Id of the picture: a figure of a study stands in its own section too."""


def picture(run: Run) -> list[Figure]:
    """Return the picture of a run; an empty list where nothing can be drawn.

    Of settings their intervals, of a search the curve, of a soak what grows, and of any other run where a
    request's time goes.
    """
    figure = _figure(run)
    return [replace(figure, id=ID, view="")] if figure is not None else []


def shows_account(run: Run) -> bool:
    """Return whether the picture is the account of where the time goes, which need not be drawn twice."""
    figure = _figure(run)
    return figure is not None and figure.kind == "account"


def _figure(run: Run) -> Figure | None:
    study = run.study
    if study is not None and study.document.capacity is not None and len(study.settings) == 1:
        goals = [goal.text for goal in study.settings[0].goals]
        return capacity_curve.draw(study.document.capacity, goals)
    if study is not None and len(study.settings) > 1:
        return settings_dots.draw(study)
    answer = soak.soak_in(run)
    if isinstance(answer, SoakDocument):
        return soak_strips.ends(answer) or soak_strips.draw(answer)
    if not run.views or (run.study is None and run.trial.validity.verdict == "void"):
        return None
    view = run.base_view
    return account.draw(view.id, view.account) if view.account is not None else None
