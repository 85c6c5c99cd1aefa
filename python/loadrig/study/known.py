"""A trial that is over although the ledger does not say so: the rig was killed after its folder was sealed.

What was measured once is not measured again. What was cut short is no such trial: it has seen less than the
others, and its load cannot go on, as the server has rested in between.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from loadrig.base.errors import RigError
from loadrig.recording import manifest
from loadrig.recording.layout import TrialFolder
from loadrig.trial.death import error_of
from loadrig.trial.spec import Recalling, TrialSpec

if TYPE_CHECKING:
    from loadrig.trial.result import TrialResult

WHICH = ("seed", "index", "block", "repeat", "is_base")


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

    is_asked = facts.setting == dict(spec.setting) and all(
        getattr(facts, name) == getattr(spec, name) for name in WHICH
    )
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
    if not isinstance(spec.experiment, Recalling):
        return result
    spec.experiment.recall(recording)
    return replace(result, measures={**result.measures, **spec.experiment.estimates()})
