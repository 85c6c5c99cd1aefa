"""The recording as far as accounts ask for it: its map, and its series on the steps of the load."""

from typing import TYPE_CHECKING

from loadrig.account.load import LoadSeries
from loadrig.account.source import AccountSource
from loadrig.base.component import HOST, PROXY, SERVER
from loadrig.base.later import Later
from loadrig.base.series import Series
from loadrig.recording.service_map import MapComponent, MapDocument
from loadrig.recording.steps import Floats, averages, levels, rates

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")

LONGEST_GAP_S = 12.0
"""Longest time between two samples with looks, in seconds; between samples further apart nothing is known.
The probe `socket_stages` looks every 5 s on average at the least, so that in one of ten such gaps its looks
are merely late."""

HOLDS_FOR_STEPS = 12
"""Number of steps for which a burst of looks at threads holds: a burst comes every 5 s, or later where it
costs much."""


class AccountScene:
    """The recording as far as accounts ask for it: its map, and its series on the steps of the load."""

    def __init__(self, recording: AccountSource, load: LoadSeries) -> None:
        self.recording, self.load = recording, load
        service_map = recording.manifest.map or MapDocument()
        self.components = {row.name: row for row in service_map.programs if row.kind != PROXY}
        self.components.setdefault(SERVER, MapComponent(SERVER, "program"))
        self.edges = service_map.edges
        self._by_metric: dict[tuple[str, str, str], dict[str, Series]] = {}
        for key, series in recording.series().items():
            self._by_metric.setdefault(key[:3], {})[key.subject] = series
        self._groups: dict[str, dict[str, dict[str, Floats]]] = {}

    @property
    def cores(self) -> float | None:
        """Cores of this machine; the manifest has those that the rig may use, which may be fewer."""
        machine = self.recording.manifest.machine
        listed = machine.cores if machine else 0
        series_by_subject = self._by_metric.get((HOST, "system_cpu", "user_s"), {})
        return float(max(listed, sum(subject.startswith("cpu") for subject in series_by_subject))) or None

    def subjects(self, component: str, probe: str, metric: str) -> dict[str, Floats]:
        """Return all subjects of a metric on the steps, without those whose values are all unknown."""
        by_subject = {}
        for subject, series in self._by_metric.get((component, probe, metric), {}).items():
            on_steps = (rates if series.kind == "counter" else levels)(series, self.load.edges_ns)
            if np.isfinite(on_steps).any():
                by_subject[subject] = on_steps
        return by_subject

    def bursts(self, component: str, metric: str) -> dict[str, Floats]:
        """Return the means of bursts of `thread_states`, each held for a while until the next burst."""
        by_subject = {}
        for subject, series in self._by_metric.get((component, "thread_states", metric), {}).items():
            on_steps = _held(levels(series, self.load.edges_ns))
            if np.isfinite(on_steps).any():
                by_subject[subject] = on_steps
        return by_subject

    def groups(self, component: str) -> dict[str, dict[str, Floats]]:
        """Return the mean numbers of sockets by group and stage; empty where nobody looked."""
        if component not in self._groups:
            self._groups[component] = self._read_groups(component)
        return self._groups[component]

    def _read_groups(self, component: str) -> dict[str, dict[str, Floats]]:
        looks = self._by_metric.get((component, "socket_stages", "looks"), {}).get("")
        if looks is None:
            return {}
        t_ns = looks.t_ns[looks.value > 0]
        by_group: dict[str, dict[str, Floats]] = {}
        for (name, probe, metric), subjects in self._by_metric.items():
            if (name, probe) != (component, "socket_stages") or metric == "looks" or metric.endswith("_s"):
                continue
            for group, series in subjects.items():
                values = averages(series, t_ns, self.load.edges_ns, LONGEST_GAP_S)
                if np.isfinite(values).any():
                    by_group.setdefault(group, {})[metric] = values
        return by_group


def _held(values: Floats) -> Floats:
    """Return values with each gap filled, for a while, by the value before it."""
    is_known = np.isfinite(values)
    places = np.where(is_known, np.arange(values.size), -1)
    last = np.maximum.accumulate(places)
    is_near = (last >= 0) & (np.arange(values.size) - last <= HOLDS_FOR_STEPS)
    filled: Floats = np.where(is_near, values[np.maximum(last, 0)], np.nan)
    return filled
