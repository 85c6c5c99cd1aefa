"""Whatever call of ours fails, and whoever of us is killed: nothing is lost, nothing is left.

Here each line of the program that makes a call fails once, for two commands; of files that are written whole
one step stands for all. `make faults` tries all commands and steps, and prints the table.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.faults.commands import ATTACK, RUN, server
from tests.faults.harness import Command, Tried, faults_at_each_site, is_of_a_draft, tried
from tests.faults.injector import CallFault, InjectedCall, run, warm_parent
from tests.faults.kills import killed
from tests.lengths import length

pytestmark = [pytest.mark.integration, pytest.mark.timeout(300)]

AT_ONCE = 2
"""Commands that run beside each other: half of their time they wait. More would crowd the cores of others."""

ATTACK_S, RUN_S = 2.5, 6.0
"""About how long the commands take, so that kills at random instants meet all their parts."""


@pytest.fixture(scope="module")
def values() -> Iterator[Mapping[str, object]]:
    with server() as there, warm_parent():
        yield there


@pytest.fixture(scope="module")
def clean_calls(
    values: Mapping[str, object], tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, tuple[InjectedCall, ...]]:
    """Return the calls of each command where nothing fails."""
    by_command = {}
    for command in (ATTACK, RUN):
        ended = command.run(tmp_path_factory.mktemp("clean") / "it", values)
        assert ended.code in command.codes, ended.err
        assert not ended.hits
        by_command[command.name] = ended.calls
    return by_command


def troubles(results: list[Tried]) -> list[str]:
    return [str(result) for result in results if result.troubles]


def test_the_injector_makes_the_call_fail_that_is_meant(tmp_path: Path) -> None:
    ended = run(["explain", "knob"], tmp_path, tmp_path / "injected", CallFault("pipe", "EIO", 1))
    assert [(hit.kind, hit.role, hit.place, hit.outcome) for hit in ended.hits] == [
        ("pipe", "control", "stdout", "EIO")
    ]
    assert ended.code != 0


def test_nothing_is_lost_or_left_whatever_call_of_an_attack_fails(
    clean_calls: Mapping[str, tuple[InjectedCall, ...]], values: Mapping[str, object], tmp_path: Path
) -> None:
    drafts = [call for call in clean_calls["attack"] if is_of_a_draft(call)]
    others = [call for call in clean_calls["attack"] if not is_of_a_draft(call)]
    faults = faults_at_each_site([*others, *drafts[:2]])
    assert {fault.kind for fault in faults} >= {"file", "pipe", "fsync", "rename", "spawn"}
    # Half of them, the same in each short run, so that it fails by a change and never by chance.
    chosen = length(faults[::4], faults)
    results = tried(ATTACK, tmp_path, chosen, AT_ONCE, values)
    assert troubles(results) == []
    # Two runs do not make quite the same calls, but nearly.
    assert sum(result.was_hit for result in results) > 0.8 * len(results)


# Seventeen seconds; a study makes the calls of its trials, which those of an attack are.
@pytest.mark.nightly
def test_nothing_is_lost_or_left_whatever_call_of_a_study_fails(
    clean_calls: Mapping[str, tuple[InjectedCall, ...]], values: Mapping[str, object], tmp_path: Path
) -> None:
    # What a study does that an attack does not: its server, its group, its ledger, the next trial.
    sites = {call.site for call in clean_calls["attack"]}
    own = [call for call in clean_calls["run"] if call.site not in sites and not is_of_a_draft(call)]
    results = tried(RUN, tmp_path, faults_at_each_site(own), AT_ONCE, values)
    assert troubles(results) == []


def test_a_call_that_is_interrupted_or_short_changes_nothing(
    clean_calls: Mapping[str, tuple[InjectedCall, ...]], values: Mapping[str, object], tmp_path: Path
) -> None:
    frames = [call for call in clean_calls["attack"] if call.place.endswith("frames.jsonl")]
    connects = [call for call in clean_calls["attack"] if call.kind == "connect"]
    faults = [CallFault("file", "SHORT", frames[0].number), CallFault("connect", "EINTR", connects[0].number)]
    assert troubles(tried(ATTACK, tmp_path, faults, AT_ONCE, values)) == []


def test_a_disk_that_stays_full_leaves_what_was_measured(
    clean_calls: Mapping[str, tuple[InjectedCall, ...]], values: Mapping[str, object], tmp_path: Path
) -> None:
    frames = [call for call in clean_calls["attack"] if call.place.endswith("frames.jsonl")]
    full = CallFault("file", "ENOSPC", frames[-2].number, is_lasting=True)
    (result,) = tried(ATTACK, tmp_path, [full], AT_ONCE, values)
    assert result.was_hit
    assert result.troubles == ()


@pytest.mark.parametrize(
    ("command", "longest_s", "seed"),
    [(ATTACK, ATTACK_S, 1), (ATTACK, ATTACK_S, 2), (RUN, RUN_S, 3), (RUN, RUN_S, 4)],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_nothing_is_lost_or_left_whoever_is_killed(
    command: Command, longest_s: float, seed: int, values: Mapping[str, object], tmp_path: Path
) -> None:
    outcome = killed(command, tmp_path / "it", longest_s, seed, values)
    assert outcome.troubles == (), str(outcome)
