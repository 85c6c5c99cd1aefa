"""The lines around a report: what kind of run it was, when, and what to type next."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from loadrig.base.setting import show_setting
from loadrig.language.choice import texts_of
from loadrig.language.en.report.page import ReportKickerTexts
from loadrig.language.labels import label
from loadrig.report import numbers
from loadrig.report.run import Run

TEXTS = texts_of(ReportKickerTexts)

KINDS: Mapping[str, str] = {
    "capacity": TEXTS.kind_capacity,
    "tune": TEXTS.kind_tune,
    "soak": TEXTS.kind_soak,
    "spike": TEXTS.kind_spike,
    "grid": TEXTS.kind_grid,
    "one_at_a_time": TEXTS.kind_one_at_a_time,
}
"""Words for what a study did with its settings, by its strategy."""


ONE_LOAD = frozenset({"capacity", "soak", "spike"})
"""Kinds of studies that are one load where they have one setting: they cannot go on (cli.cannot-resume)."""


def kicker(run: Run) -> str:
    """Return one line about the run: "grid of 9 settings · 36 trials · 9 min 12 s · 21 Nov 2025"."""
    if run.study is None:
        trial = run.trial
        parts = [
            TEXTS.trial(str(trial.index)),
            show_setting(trial.setting),
            trial.address or "",
            TEXTS.measured(numbers.amount(trial.measured.seconds, "s")),
            _day(run.created),
        ]
    else:
        study = run.study.document
        kind = KINDS.get(study.kind, TEXTS.study)
        settings = study.tuning.space.settings if study.tuning else len(study.settings)
        trials = sum(len(setting.trials) for setting in study.settings)
        parts = [
            f"{kind} {numbers.plural(settings, 'setting')}",
            numbers.plural(trials, "trial"),
            numbers.amount(study.seconds, "s"),
            _day(str(run.created)),
        ]
    return " · ".join(part for part in parts if part)


def facts(run: Run) -> Mapping[str, str]:
    """Return the facts at the foot of the page."""
    pairs = {"made by": f"loadrig {run.document.loadrig}".strip(), "from": run.folder.name}
    if run.created:
        pairs["run"] = run.created
    return pairs


def next_command(run: Run) -> str:
    """Return the command that a reader most likely wants to type next."""
    folder = _short(run.folder)
    if run.study is not None and not run.study.document.finished:
        if len(run.study.settings) == 1 and run.study.document.kind in ONE_LOAD:
            return f"loadrig run {folder}    # {label('once more, in a new folder')}"
        return f"loadrig run {folder} --resume"
    if run.study is None and run.trial.validity.verdict == "void":
        return "loadrig doctor"
    if not run.page.is_file():
        return f"loadrig report {folder}    # {label('writes the page with all charts')}"
    return TEXTS.open_browser(_short(run.page))


def _short(path: Path) -> str:
    """Return a path relative to where the reader is, if that is shorter."""
    try:
        near = path.resolve().relative_to(Path.cwd())
    except ValueError:
        return str(path)
    return str(near) if str(near) != "." else str(path)


def _day(created: str) -> str:
    try:
        moment = datetime.fromisoformat(created)
    except ValueError:
        return ""
    return f"{moment.day} {moment:%b %Y, %H:%M}"
