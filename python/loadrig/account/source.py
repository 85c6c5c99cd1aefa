"""Sources of accounts: a recording that is over, or the last seconds of a trial that still runs."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from loadrig.base.series import Event, Key
from loadrig.recording.config_document import ConfigDocument
from loadrig.recording.frame import Frame
from loadrig.recording.manifest_document import ImportedDocument, ManifestDocument
from loadrig.recording.window import Window

if TYPE_CHECKING:
    from loadrig._native import Histogram
    from loadrig.base.series import Series


class AccountSource(Protocol):
    """Frames of the generator, series of the probes, and facts of the trial; named as in `Recording`."""

    @property
    def manifest(self) -> ManifestDocument:
        """Facts of the trial: its map, its load, its machine."""

    @property
    def config(self) -> ConfigDocument | None:
        """Configuration of the generator; None if it was never given one."""

    @property
    def frames(self) -> list[Frame]:
        """The generator's frames in order."""

    @property
    def events(self) -> list[Event]:
        """Events of the trial, in order."""

    @property
    def imported(self) -> ImportedDocument | None:
        """Facts of another tool's results; None for a recording of loadrig."""

    @property
    def measured(self) -> Window:
        """The measured window."""

    def series(self) -> "dict[Key, Series]":
        """Return the series of the probes."""

    def histograms(
        self,
        edges_ns: Sequence[int],
        route: str | None = None,
        outcome: str | None = None,
        kind: str = "response",
        classes: tuple[str, ...] = ("service",),
    ) -> "Iterable[Histogram]":
        """Return one histogram for each window between two neighbouring edges."""
