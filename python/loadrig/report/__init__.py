"""Reports of runs for people: a report as plain data, and its renderers for terminal and page.

build(folder)       the report of a run's or a trial's folder; a pure function of it
text.render(...)    for a terminal
html.render(...)    one self-contained page
write_html(folder)  the page, into the run's folder
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from loadrig.base import known_secrets, members
from loadrig.base.errors import VoidError
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.report import ReportPageErrors
from loadrig.recording.files import replace_file, write_named
from loadrig.report import html, text
from loadrig.report.diagnosis import spoken
from loadrig.report.kicker import facts, kicker
from loadrig.report.kicker import next_command as _next_command
from loadrig.report.model import Report, Section, View, sections_of
from loadrig.report.run import Run, read

ERRORS = texts_of(ReportPageErrors)

__all__ = ["Report", "build", "html", "of_run", "read", "text", "write_html", "write_page"]


def build(folder: Path, result: Mapping[str, Any] | None = None) -> Report:
    """Return the report of a run's folder, or of one trial's.

    result: what the folder's result.json says, where that could not be written.

    Raises PlanError if the folder is no run's (`report.not-a-run`) or holds no result yet
    (`report.no-result`).
    """
    return of_run(spoken(read(folder, result)))


def of_run(run: Run) -> Report:
    """Return the report of a run that was read already."""
    return Report(
        title=run.name,
        kicker=kicker(run),
        sections=_sections(run),
        views=tuple(View(v.id, v.label, v.group, v.timeline.axis()) for v in run.views),
        next=_next_command(run),
        facts=facts(run),
    )


def write_html(folder: Path, out: Path | None = None) -> Path:
    """Write the page of a run and return where.

    out: the file; by default report.html in the run's folder. The page of a single trial goes beside the
    run's own, never into the trial's sealed folder.
    Raises what build raises, and VoidError if the file cannot be written (`report.cannot-write`).
    """
    run = spoken(read(folder))
    return write_page(run, of_run(run), out)


def write_page(run: Run, report: Report, out: Path | None = None) -> Path:
    """Write the page of a report that was built already; in all else do as write_html."""
    path = out if out is not None else run.page
    page = known_secrets.hidden(html.render(report))
    try:
        if out is None:
            replace_file(path, page, for_owner=True)
        else:
            write_named(path, page)
    except OSError as error:
        wording = ERRORS.page_not_written(str(path), error.strerror or str(error))
        raise VoidError.of(wording, code="report.cannot-write") from error
    return path


def _sections(run: Run) -> tuple[Section, ...]:
    """Return the sections that the members of the room of sections make, in order."""
    room = "loadrig.report.sections"
    modules = sorted(
        (members.load(room, name) for name in members.names(room)), key=lambda module: module.ORDER
    )
    return sections_of(*(module.build(run) for module in modules))
