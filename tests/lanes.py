"""Three lanes, each a run of pytest of its own: `scripts/test.sh` runs them, and says what they came to.

waits: marked `integration`; they mostly wait for servers, so five workers share the cores.
pure: no server, no core to itself; two workers at a low priority, beside `waits` and cargo's tests.
quiet: marked `quiet`; what they assert needs a core that nobody else uses: one after the other, at the end.
Those marked `nightly` are in their lane only at full length (`make nightly`).
Without `--lane` all tests are run, as `pytest tests/…` is typed while a change is made.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from tests.lengths import is_full

LANES = ("pure", "waits", "quiet")

_NEEDED = {"waits": re.compile(r"\bmark\.integration\b"), "quiet": re.compile(r"\bmark\.quiet\b")}
"""Markers that a file must hold so that a test of this lane can be in it: others need not be imported."""

_MARKED_WHOLE = re.compile(r"^pytestmark = .*\bmark\.integration\b", re.MULTILINE)
"""Line of a file of which no test is in the lane `pure`."""

TOGETHER: Mapping[str, str] = {
    # Node opens its inspector at port 9229, whichever test has asked for it.
    "tests/integration/test_effects.py": "the inspector",
    "tests/probes/test_node.py": "the inspector",
    "tests/profilers/test_hot_functions.py": "the inspector",
    "tests/profilers/test_missing.py": "the inspector",
    # One browser is started for them all.
    "tests/report/test_accessible.py": "the browser",
    "tests/report/test_account.py": "the browser",
    "tests/report/test_comparison_page.py": "the browser",
    "tests/report/test_flame_graph.py": "the browser",
    "tests/report/test_hostile.py": "the browser",
    "tests/report/test_page.py": "the browser",
    "tests/report/test_pictures.py": "the browser",
    "tests/report/test_soak.py": "the browser",
    "tests/report/test_tuning_page.py": "the browser",
    "tests/ui/test_accessible.py": "the browser",
    "tests/ui/test_browser.py": "the browser",
    # Every Python file is parsed once for them all.
    "tests/house/test_constants.py": "the trees",
    "tests/house/test_names.py": "the trees",
    "tests/house/test_wording.py": "the trees",
}
"""Files whose tests share something that is to be made once: they are run by the same worker.

Of all other files, too, one worker runs all tests, so that a server is started once for each file.
"""

FIRST: tuple[str, ...] = (
    "tests/sabotage/test_sabotage.py",
    "tests/bench/test_benchmarks.py",
    "tests/report/test_page.py",
    "tests/proving/test_trials.py",
    "tests/importers/test_flat_memory.py",
    "tests/integration/test_tiers.py",
    "tests/faults/test_faults.py",
    "tests/ui/test_server.py",
    "tests/ui/test_start.py",
    "tests/labs/test_lab_command.py",
    "tests/integration/test_soak.py",
    "tests/integration/test_capacity.py",
    "tests/integration/test_run.py",
    "tests/integration/test_resume.py",
    "tests/bench/test_account_servers.py",
    "tests/profilers/test_hot_functions.py",
    "tests/profilers/test_planted.py",
    "tests/integration/test_prove.py",
    "tests/integration/test_prove_gone.py",
    "tests/integration/test_account_loads_live.py",
    "tests/probes/test_jvm.py",
    "tests/integration/test_logins.py",
    "tests/integration/test_protocols.py",
    "tests/integration/test_attack.py",
    "tests/integration/test_bursts_live.py",
    "tests/integration/test_bad_input.py",
    "tests/integration/test_output_lost.py",
    "tests/plan/test_damaged_plans.py",
    "tests/probes/test_go.py",
    "tests/integration/test_others.py",
    "tests/trial/test_profiling.py",
    "tests/probes/test_thread_states.py",
    "tests/study/tuning/test_stages.py",
    "tests/probes/test_gc_log.py",
    "tests/integration/test_effects.py",
    "tests/probes/test_mariadb.py",
    "tests/integration/test_target_dies.py",
    "tests/probes/test_postgresql.py",
    "tests/report/test_html.py",
    "tests/discovery/test_finder.py",
    "tests/integration/test_hangup.py",
    "tests/trial/test_bursts.py",
    "tests/probes/test_remote.py",
    "tests/integration/test_secrets.py",
)
"""Files which take longest, longest first: what is begun last should be short, so that no worker waits."""


def lane_of(item: pytest.Item) -> str:
    """Return the lane of a test: that of the most demanding of its markers."""
    if item.get_closest_marker("quiet") is not None:
        return "quiet"
    return "pure" if item.get_closest_marker("integration") is None else "waits"


def is_tonight(item: pytest.Item) -> bool:
    """Return whether a test is in its lane on this run: those marked `nightly` only at full length."""
    return is_full() or item.get_closest_marker("nightly") is None


def group_of(nodeid: str) -> str:
    """Return what the tests that one worker must run have in common: their file, or what files share."""
    file = nodeid.partition("::")[0]
    return TOGETHER.get(file, file)


def longest_first(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """Return the tests in the order in which workers take them, those of a group one after the other."""
    places = {group_of(file): place for place, file in reversed(list(enumerate(FIRST)))}
    groups: dict[str, list[pytest.Item]] = {}
    for item in items:
        groups.setdefault(group_of(item.nodeid), []).append(item)
    ordered = sorted(groups, key=lambda group: places.get(group, len(FIRST)))
    return [item for group in ordered for item in groups[group]]


class Lanes:
    """The plugin: keeps the tests of one lane, and says which worker runs what."""

    def __init__(self, lane: str | None) -> None:
        self._lane = lane

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Pass by files that hold no test of this lane: to import all of them takes ten seconds."""
        if self._lane is None or not re.fullmatch(r"test_\w+\.py", collection_path.name):
            return None
        text = collection_path.read_text(encoding="utf-8")
        if self._lane == "pure":
            return True if _MARKED_WHOLE.search(text) else None
        return None if _NEEDED[self._lane].search(text) else True

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Deselect tests of other lanes, and begin with the longest files."""
        if self._lane is None:
            return
        ours: list[pytest.Item] = []
        others: list[pytest.Item] = []
        for item in items:
            (ours if lane_of(item) == self._lane and is_tonight(item) else others).append(item)
        config.hook.pytest_deselected(items=others)
        items[:] = longest_first(ours)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: object) -> object:
        """Give each worker whole files, longest first."""
        from xdist.scheduler import LoadScopeScheduling

        class WholeFiles(LoadScopeScheduling):  # type: ignore[misc]
            def _split_scope(self, nodeid: str) -> str:
                return group_of(nodeid)

        return WholeFiles(config, log)
