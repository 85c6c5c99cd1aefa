"""Lists to replay as the generator gets them: times at the plan's speed, and the scenario of each."""

from pathlib import Path
from typing import Any

from loadrig.base.documents import plain, typed
from loadrig.base.running import Address
from loadrig.engine.compile import compile_config
from loadrig.plan.load import read
from loadrig.recording.config_document import ConfigDocument

PLAN = """\
loadrig: 1
target: {external: "http://127.0.0.1:1"}
workload:
  replay: %s
  scenarios:
    - {name: shop, steps: [{get: /, name: front}, {get: /cart}]}
    - {name: health, steps: [{get: /healthz}]}
"""


def replayed(replay: str, folder: Path) -> dict[str, Any]:
    plan = read(PLAN % replay, str(folder / "plan.yaml"))
    config = compile_config(plan, Address("127.0.0.1", 1), seed=1, cpus=(), frame_s=1.0).plain()
    own: dict[str, Any] = config["arrivals"]["replay"]
    assert plain(typed(ConfigDocument, config, "engine.json"))["arrivals"]["replay"].keys() == own.keys()
    return own


def test_a_list_of_times_leaves_scenarios_to_their_weights(tmp_path: Path) -> None:
    (tmp_path / "times.txt").write_text("3\n\n4.5\n", encoding="utf-8")
    assert replayed("times.txt", tmp_path) == {"times_s": [0.0, 1.5]}


def test_a_table_says_the_scenario_of_each_time_by_its_name_or_its_only_request(tmp_path: Path) -> None:
    rows = ["time,note,scenario", "3,a,health", "", '4.5,"b, c",shop', "4.5,,GET /healthz"]
    (tmp_path / "log.csv").write_text("\n".join(rows), encoding="utf-8")
    replay = replayed("{times: log.csv, speed: 3}", tmp_path)
    assert replay == {"times_s": [0.0, 0.5, 0.5], "scenarios": [1, 0, 1]}
