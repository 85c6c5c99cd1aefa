"""Parts of a request in the last seconds of a trial that runs: its account, made anew every few seconds."""

import math
import time
from pathlib import Path

from loadrig.account import sentence
from loadrig.account.fullness import FULL_SHARE
from loadrig.account.recent import Recent
from loadrig.base.documents import plain
from loadrig.base.errors import RigError
from loadrig.base.series import Sample
from loadrig.following.document import PartDocument
from loadrig.following.tiers import TierUse
from loadrig.recording import documents
from loadrig.recording.frame import Frame
from loadrig.recording.manifest_document import ManifestDocument

ACCOUNT_EVERY_S = 2.0
"""Time between two accounts of the last seconds: each takes some 10 ms of a core."""


class RecentParts:
    """Maker of the parts. config: file of the generator's configuration. parts, sentence: the last ones."""

    def __init__(self, config: Path) -> None:
        self._config = config
        self._recent: Recent | None = None
        self._made_at_s = -math.inf
        self.parts: tuple[PartDocument, ...] = ()
        self.sentence = ""

    def see(self, frame: Frame, manifest: ManifestDocument) -> None:
        """Take a frame as the generator had sent it."""
        if self._recent is None:
            facts = {
                "load": plain(manifest.load), "machine": plain(manifest.machine), "address": manifest.address,
            }  # fmt: skip
            try:
                self._recent = Recent(documents.read(self._config), facts)
            except (OSError, RigError):
                self._recent = Recent(None, facts)
        self._recent.see(frame)

    def hear(self, component: str, sample: Sample) -> None:
        """Take a sample of a component."""
        if self._recent is not None:
            self._recent.hear([sample], component)

    def look(self, manifest: ManifestDocument, tiers: TierUse) -> None:
        """Work out parts and sentence where they are old; tell the tiers whether the workers are full."""
        now_s = time.monotonic()
        if self._recent is None or now_s - self._made_at_s < ACCOUNT_EVERY_S:
            return
        self._made_at_s = now_s
        self._recent.know({"metrics": plain(manifest.metrics), "map": plain(manifest.map)})
        account = self._recent.account()
        if account is None:
            return
        workers = [slot.full_share or 0.0 for slot in account.slots.slots if slot.slot == "workers"]
        tiers.see_workers(are_full=max(workers, default=0.0) >= FULL_SHARE)
        if account.is_seen:
            self.parts = tuple(
                PartDocument(state=part.words if part.state else "", share=part.share, seconds=part.ms / 1000)
                for part in sentence.parts(account)
            )
            self.sentence = sentence.sentence_of(account)
