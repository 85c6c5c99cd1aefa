"""Reader of a case from a trial's recording."""

from collections.abc import Iterable, Iterator

import numpy as np

from loadrig.account.population import Held, held_of
from loadrig.account.trial_account import account_of, components_under_load
from loadrig.base.claims import Weakened
from loadrig.base.component import HOST, SERVER
from loadrig.base.series import Event
from loadrig.judgement.facts.case import Case, GoalAnswer, Remark, Unseen
from loadrig.judgement.facts.read_load import load_of
from loadrig.judgement.facts.tier import Edge
from loadrig.judgement.own_words import events_of_answers
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.facts import JudgementFactsReadTexts
from loadrig.profilers import profiles_of
from loadrig.recording.manifest_document import DeathDocument
from loadrig.recording.reader import Frame, Recording
from loadrig.recording.service_map import MapDocument
from loadrig.recording.steps import NS

TEXTS = texts_of(JudgementFactsReadTexts)

STEP_NS = NS
"""Length of a step in ns: the probes' interval. Steps are shorter only where the load is too short."""

FEWEST_STEPS_TO_READ = 12
"""Steps of a short trial at least, so that a spread can be told of them."""


def case_of(
    recording: Recording,
    remarks: Iterable[Remark] = (),
    goals: Iterable[GoalAnswer] = (),
    weakened: Iterable[Weakened] = (),
) -> Case | None:
    """Return the case of one trial; None where the generator left no frame."""
    frames = [frame for frame in recording.frames if frame.len_ns > 0]
    if not frames:
        return None
    manifest = recording.manifest
    bounds = _bounds(frames)
    edges_ns = np.array([frames[first].t_ns for first, _ in bounds] + [frames[-1].end_ns], dtype=np.int64)
    service_map = manifest.map or MapDocument()
    return Case(
        edges_ns=edges_ns,
        load=load_of(recording, frames, bounds, edges_ns),
        components=service_map.components,
        edges=tuple(Edge(edge.source, edge.to, edge.address, edge.connections) for edge in service_map.edges),
        series=recording.series(),
        events=(*recording.events, *_death(manifest.death), *events_of_answers(frames)),
        remarks=tuple(remarks),
        weakened=tuple(weakened),
        goals=tuple(goals),
        profiles=profiles_of(recording),
        unseen=tuple(_unseen(recording)),
        cores=_cores(recording),
        generator_cpus=manifest.generator.cpus,
        held=_held_by_components(recording),
        account=account_of(recording),
    )


KILLED = frozenset({"kernel_log", "control_group"})
"""Evidence in a manifest by which the kernel itself says that it killed the server for lack of memory."""


def _death(death: DeathDocument | None) -> Iterator[Event]:
    """Yield the server's end as events, where the kernel killed it: no probe is left that could tell."""
    if death is not None and death.out_of_memory in KILLED:
        t_ns, text = death.t_ns, TEXTS.kernel_killed_server
        yield Event(t_ns, "oom_kill", "memory", text, {"count": 1}, SERVER)
        yield Event(t_ns, "process_died", "process", text, {"pid": death.pid}, SERVER)


def _held_by_components(recording: Recording) -> tuple[Held, ...]:
    """Return the most requests that a component holds at a time, for each component that reached it."""
    observations = components_under_load(recording)
    if observations is None:
        return ()
    limits = (held_of(component, observations[1]) for component in observations[0])
    return tuple(held for held in limits if held is not None)


def _bounds(frames: list[Frame]) -> list[tuple[int, int]]:
    """Return first and last-plus-one frame of each step. All frames but the last are of one length."""
    frame_ns = float(np.median([frame.len_ns for frame in frames]))
    length_ns = frames[-1].end_ns - frames[0].t_ns
    a_step = max(1, int(min(1.05 * STEP_NS, length_ns / FEWEST_STEPS_TO_READ) / frame_ns))
    starts = list(range(0, len(frames), a_step))
    if len(starts) > 1 and len(frames) - starts[-1] <= a_step / 2:
        starts.pop()  # the remaining frames belong to the step before
    return list(zip(starts, [*starts[1:], len(frames)], strict=True))


def _cores(recording: Recording) -> int:
    """Return the number of the machine's cores; the manifest has only those that the rig may use."""
    series = recording.series("system_cpu", "user_s", component=HOST)
    machine = recording.manifest.machine
    return max(machine.cores if machine else 0, 1, sum(key.subject.startswith("cpu") for key in series))


def _unseen(recording: Recording) -> Iterable[Unseen]:
    """Yield what probes could not see: a missing right, a gap, a tier that no probe could look into."""
    reported = set()
    for event in recording.events:
        if event.kind in ("probe_failed", "gap"):
            key = (event.component, event.subject)
            if key not in reported:
                reported.add(key)
                yield Unseen(event.component, event.subject, event.text)
    target = recording.manifest.target
    if target is None or target.pid is None:
        yield Unseen(
            "server", "process",
            TEXTS.server_process_not,
        )  # fmt: skip
