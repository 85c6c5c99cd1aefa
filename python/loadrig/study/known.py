"""A trial that is over although the ledger does not say so: the rig was killed after its folder was sealed.

What was measured once is not measured again. What was cut short is no such trial: it has seen less than the
others, and its load cannot go on, as the server has rested in between.
"""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from loadrig.base.errors import RigError
from loadrig.recording import manifest
from loadrig.recording.layout import RunFolder, TrialFolder
from loadrig.trial.death import error_of
from loadrig.trial.spec import TrialSpec

if TYPE_CHECKING:
    from loadrig.recording.manifest_document import ManifestDocument
    from loadrig.trial.result import TrialResult

WHICH = ("seed", "block", "repeat", "is_base")
"""Facts that tell a study's trials apart beside their setting; the index is given as they begin."""


def left_over(run: RunFolder, in_ledger: Collection[int]) -> "dict[int, ManifestDocument]":
    """Return manifests of the trials that are whole and not in the ledger, by their index."""
    manifests = {}
    for folder in run.trial_folders():
        index = int(folder.path.name)
        if index not in in_ledger and folder.is_sealed:
            with suppress(RigError):
                manifests[index] = manifest.read(folder)
    return manifests


def is_of(spec: TrialSpec, facts: "ManifestDocument") -> bool:
    """Return whether a manifest is of the trial that is asked for, whatever its index."""
    return facts.setting == dict(spec.setting) and all(
        getattr(facts, name) == getattr(spec, name) for name in WHICH
    )


def sealed_result(spec: TrialSpec, folder: TrialFolder) -> "TrialResult | None":
    """Return what a folder says of the trial that is asked for; None for another trial, or one cut short.

    Raises TargetError where the server died in that trial, as it did then.
    """
    if not folder.is_sealed:
        return None
    try:
        facts = manifest.read(folder)
    except RigError:
        return None
    from loadrig.base.documents import ABSENT

    is_asked = facts.index == spec.index and is_of(spec, facts)
    # Whether a trial of an earlier version was cut short is not known.
    if not is_asked or facts.cut is ABSENT or facts.measured is None:
        return None
    if facts.death:
        raise error_of(facts.death)
    return _result(spec, folder) if facts.is_whole else None


def _result(spec: TrialSpec, folder: TrialFolder) -> "TrialResult":
    from loadrig.recording.reader import Recording
    from loadrig.trial.result import result_of

    recording = Recording.open(folder.path)
    result = result_of(recording)
    if spec.experiment is None:
        return result
    spec.experiment.recall(recording)
    return replace(result, measures={**result.measures, **spec.experiment.estimates()})
