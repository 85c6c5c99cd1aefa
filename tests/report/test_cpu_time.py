"""Account of what the CPU time was spent on: a line in a terminal, a picture and a table on the page."""

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from loadrig import report
from loadrig.base.documents import plain, schema_of, typed
from loadrig.base.series import Event
from loadrig.profilers import Profile, Stack, encoded
from loadrig.profilers._cpu_document import CpuTimeDocument
from loadrig.profilers._cpu_time import cpu_time_of
from loadrig.recording import events
from loadrig.recording.layout import RunFolder, TrialFolder
from loadrig.recording.reader import Recording
from loadrig.report import html, text
from loadrig.report.figures import cpu_time

from . import profiled
from .folders import T0, S

RECORDED = Path(__file__).parent / "recorded" / "cpu-time.json"
"""The document as it was written when it was still put together of dictionaries."""


def keep(trial: TrialFolder, number: int, counts: dict[str, int]) -> None:
    """Put a burst of 2 s into a recording: samples of own code, of a template and of a nasty function."""
    stacks = {
        "own": (profiled.RUN, profiled.HANDLE, profiled.SEARCH, profiled.RANK),
        "other": (profiled.RUN, profiled.HANDLE, profiled.SEARCH, profiled.RENDER),
        "nasty": (profiled.RUN, profiled.NASTY),
    }
    profile = Profile("cpu", 10_000_000, 0, 2 * S)
    for name, count in counts.items():
        profile.add(Stack(stacks[name], "worker-1", 7), count, count * 10_000_000)
    path = trial.profile("server", "high", "py-spy", number)
    path.write_bytes(encoded(profile))
    facts = {
        "profiler": "py-spy", "load": "high", "duration_s": 2.0, "path": str(path.relative_to(trial.path)),
        "cpu_s": 0.1, "used_cores": 1.0, "samples": profile.count, "own": profiled.OWN.to_json(),
        "sees_all": True, "burst": number, "why": "its cores are full",
    }  # fmt: skip
    append(
        trial, Event(T0 + (60 + 5 * number) * S, "profile", "py-spy", "py-spy profiled it", facts, "server")
    )


def append(trial: TrialFolder, event: Event) -> None:
    with trial.events.open("ab") as file:
        file.write(events.line(event))


@pytest.fixture
def trial(trial_run: Path, tmp_path: Path) -> TrialFolder:
    profiled.profiled(trial_run, tmp_path / "run", low=False)
    folder = RunFolder(tmp_path / "run").trial(1)
    folder.events.write_bytes(
        b"".join(
            row
            for row in folder.events.read_bytes().splitlines(keepends=True)
            if b'"kind": "profile"' not in row
        )
    )
    return folder


def terminal(run: Path) -> str:
    whole = report.build(run)
    sections = tuple(section for section in whole.sections if section.id == "profiles")
    return text.render(replace(whole, sections=sections), 100)


def test_bursts_are_one_line_in_a_terminal_and_a_picture_on_the_page(
    trial: TrialFolder, tmp_path: Path
) -> None:
    keep(trial, 1, {"own": 120, "other": 60, "nasty": 20})
    keep(trial, 2, {"own": 120, "other": 60, "nasty": 20})
    document = cpu_time_of(Recording.open(trial.path))
    assert document is not None
    server = document.components["server"]
    assert [(row.work, row.share) for row in server.classes] == [("own", 0.7), ("other", 0.3)]
    assert len(server.bursts) == 2
    shown = terminal(tmp_path / "run")
    assert f"{server.sentence}." in shown
    assert "self" not in shown.partition(server.sentence)[2].partition("next:")[0]
    figure = cpu_time.draw("v1", document)
    assert figure is not None
    (bar,) = figure.data["bars"]
    assert [(part["class"], part["from"], part["share"]) for part in bar["parts"]] == [
        ("own", 0.0, 0.7),
        ("other", 0.7, 0.3),
    ]
    assert figure.table is not None
    assert len(figure.table.rows) == 2
    page = html.render(report.build(tmp_path / "run"))
    assert page.count('class="figure cpu"') == 1


def test_a_gap_is_a_line_and_no_picture(trial: TrialFolder, tmp_path: Path) -> None:
    reason = "py-spy does not profile server: it needs the right to trace process 7; run loadrig as root"
    facts = {"code": "probe.no-right", "mend": "run loadrig as root"}
    append(trial, Event(T0 + 60 * S, "note", "burst", reason, facts, "server"))
    document = cpu_time_of(Recording.open(trial.path))
    assert document is not None
    (gap,) = document.gaps
    assert plain(gap) == {"component": "server", "text": reason, **facts}
    assert reason in " ".join(terminal(tmp_path / "run").split())
    assert cpu_time.draw("v1", document) is None


def test_it_is_written_byte_for_byte_as_it_was_before_it_had_types(trial: TrialFolder) -> None:
    keep(trial, 1, {"own": 120, "other": 60, "nasty": 20})
    keep(trial, 2, {"own": 100, "other": 80, "nasty": 20})
    facts = {"code": "probe.no-right", "mend": "run loadrig as root"}
    append(trial, Event(T0 + 60 * S, "note", "burst", "py-spy does not profile api", facts, "api"))
    document = cpu_time_of(Recording.open(trial.path))
    written = RECORDED.read_text(encoding="utf-8")
    assert json.dumps(plain(document), indent=1) + "\n" == written
    assert typed(CpuTimeDocument, json.loads(written), str(RECORDED)) == document
    jsonschema.validate(json.loads(written), schema_of(CpuTimeDocument))
