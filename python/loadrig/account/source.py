"""What an account is made from: a recording that is over, or the last seconds of one that goes on."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from loadrig.base.series import Event, Key
from loadrig.recording.frame import Frame
from loadrig.recording.window import Window

if TYPE_CHECKING:
    from loadrig._native import Histogram
    from loadrig.base.series import Series


class Source(Protocol):
    """Frames of the generator, series of the probes, and the facts beside them; as of `Recording`."""

    @property
    def manifest(self) -> Mapping[str, Any]:
        """Facts of the trial: its map, its load, its machine."""

    @property
    def config(self) -> Mapping[str, Any]:
        """What the generator was told."""

    @property
    def frames(self) -> list[Frame]:
        """The generator's frames in order."""

    @property
    def events(self) -> list[Event]:
        """What happened, in order."""

    @property
    def imported(self) -> Mapping[str, Any]:
        """What is known of results of another tool; empty of our own."""

    @property
    def measured(self) -> Window:
        """The measured window."""

    def series(self) -> "dict[Key, Series]":
        """What probes saw."""

    def histograms(
        self,
        edges_ns: Sequence[int],
        route: str | None = None,
        outcome: str | None = None,
        kind: str = "response",
        classes: tuple[str, ...] = ("service",),
    ) -> "Iterable[Histogram]":
        """One histogram for each window between two neighbouring edges."""
