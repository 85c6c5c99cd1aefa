"""Folders of soaks and spikes for the tests of the report: real recordings, answers by the room."""

import json
from pathlib import Path

from loadrig.base.documents import plain
from loadrig.judgement.soak.document import SoakSummary, SpikeSummary
from loadrig.recording.files import write_json
from loadrig.recording.layout import RunFolder
from loadrig.recording.reader import Recording
from loadrig.soaking.result import document as soaked
from loadrig.soaking.spike_result import document as spiked
from loadrig.testing.synthetic import Route, SyntheticServer, write_recording
from loadrig.trial.result import result_of
from tests.report.folders import CREATED

S = 1_000_000_000
LIMIT = 2e9

PLAN = """\
loadrig: 1
name: {name}
target: {{gunicorn: {{app: "shop:app"}}}}
workload: {{rate: 40/1s, requests: [{{name: search, get: /search}}, {{name: order, get: /order}}]}}
goals: ["p95 < 60ms for 30s", "errors < 1%"]
study: {{find: {find}}}
"""


def soak(folder: Path, *, seconds: int = 900, grows_to: float = 240e6) -> Path:
    """Return a soak of workers that leak; it is asked for less each minute, and misses a goal before half."""
    factors = [1.0] * seconds
    for step in range(int(seconds * 0.45), int(seconds * 0.5)):
        factors[step] = 4.0
    rates = [4.0 if step % 60 in (30, 31, 32) else 40.0 for step in range(seconds)]
    components = [{"name": "server", "kind": "gunicorn", "limits": {"memory_bytes": LIMIT}}]
    goals = [
        {"text": "p95 < 60ms for 30s", "measure": "p95", "limit": 0.06, "unit": "s", "over_s": 30.0},
        {"text": "errors < 1%", "measure": "errors", "limit": 0.01, "unit": "1", "over_s": None},
    ]
    run = RunFolder(folder)
    run.create(PLAN.format(name="shop overnight", find="{soak}"))
    server = SyntheticServer(pss_bytes=120e6, grows_to_bytes=grows_to, pids=(11, 12))
    recording = write_recording(
        run.trial(1).path, rates, factors, routes=(Route("search"), Route("order", 0.4, median_s=0.02)),
        server=server, warm_up_frames=10, is_sealed=False,
        facts={
            "map": {"components": components, "edges": []},
            "goals": [{**goal, "below": True, "route": None} for goal in goals],
        },
    )  # fmt: skip
    return _kept(run, recording, "soak", soaked(recording))


def spike(folder: Path, *, slow_after: int = 12) -> Path:
    """Return a spike of five times the load for ten seconds; it is slow for some time after it."""
    warm_up, before, length, after = 5, 40, 10, 60
    rates = [40.0] * (warm_up + before) + [200.0] * length + [40.0] * after
    factors = (
        [1.0] * (warm_up + before + 1)
        + [30.0 * (1 + step) for step in range(length - 1)]
        + [300.0 * (1 - step / slow_after) + 1 for step in range(slow_after)]
        + [1.0] * (after - slow_after)
    )
    run = RunFolder(folder)
    run.create(PLAN.format(name="shop spiked", find="{spike}"))
    path = run.trial(1).path
    recording = write_recording(path, rates, factors, warm_up_frames=warm_up, is_sealed=False)
    start_ns = recording.start_ns
    with (path / "events.jsonl").open("a", encoding="utf-8") as file:
        for second, level in ((warm_up + before, "200"), (warm_up + before + length, "40")):
            row = {"t_ns": start_ns + second * S, "kind": "level", "subject": "load", "text": level}
            file.write(json.dumps({**row, "facts": {}, "component": ""}) + "\n")
    recording = Recording.open(path)
    return _kept(run, recording, "spike", spiked(recording))


def _kept(run: RunFolder, recording: Recording, kind: str, answer: SoakSummary | SpikeSummary) -> Path:
    result = result_of(recording)
    write_json(run.trial(1).result, result.to_json())
    trial = {
        "index": 1, "block": 0, "seed": 1, "folder": "trials/0001", "validity": "valid", "reasons": [],
        "seconds": result.seconds,
        "values": {name: estimate.value for name, estimate in result.measures.items()},
    }  # fmt: skip
    setting = {
        "id": 0, "setting": {}, "label": "as it is", "is_base": True, "trials": [trial],
        "measures": {name: result.to_json()["estimates"][name] for name in ("throughput", "p95", "errors")},
        "feasible": True, "standing": "undecided",
        "goals": [{"text": g.text, "met": g.is_met, "value": g.value} for g in result.goals],
    }  # fmt: skip
    document = {
        "schema": "loadrig.study/2", "loadrig": "0.1.0", "name": f"shop {kind}", "kind": kind,
        "created": CREATED, "seconds": result.seconds, "finished": True,
        "question": {
            "by": "p95", "unit": "s", "better": "lower", "equal_within": 0.05, "scale": "ratio",
        },
        "noise": {"pairs": 0, "sd_log": None, "relative": None, "false_alarms": 0, "text": ""},
        "settings": [setting], "comparisons": [], "knob_effects": [], "recommended": None, "capacity": None,
        "findings": [], "machine": {"cores": 2}, "validity": {"valid": 1, "disturbed": 0, "void": 0},
        "warnings": [], kind: {"setting_id": 0, "trial": 1, **plain(answer)},
    }  # fmt: skip
    write_json(run.result, document)
    return run.path
