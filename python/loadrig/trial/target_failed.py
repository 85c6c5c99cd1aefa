"""Failure of the server in a trial or a study, as a fact of the folder and as a sentence.

It died or went away, which the manifest says, or it never answered, which follows from the frames.
"""

from collections import Counter
from collections.abc import Sequence

from msgspec import structs

from loadrig.base.documents import plain, typed
from loadrig.base.setting import Setting, show_setting
from loadrig.language.choice import texts_of
from loadrig.language.en.trial.endings import TrialTargetFailedTexts
from loadrig.recording.reader import Recording
from loadrig.trial.death import OURS, sentence
from loadrig.trial.document import FailedTrial, FailureInTrials, TargetFailure

TEXTS = texts_of(TrialTargetFailedTexts)


def target_failed(recording: Recording) -> TargetFailure | None:
    """Return how the server failed in a trial, with a sentence; None where it answered and lived."""
    death = recording.manifest.death
    if death is not None:
        return typed(TargetFailure, {**plain(death), "sentence": sentence(death)}, str(recording.path))
    return None if recording.imported else _never_answered(recording)


def _never_answered(recording: Recording) -> TargetFailure | None:
    outcomes: Counter[str] = Counter()
    for frame in recording.frames:
        if frame.answered:
            return None
        for row in frame.routes:
            outcomes[row.outcome] += row.count
    # Requests that the generator could not send tell nothing of the server.
    failed = {name: count for name, count in outcomes.most_common() if name not in OURS and count}
    if not failed:
        return None
    every, (worst, most) = sum(failed.values()), next(iter(failed.items()))
    how = TEXTS.all_ended(worst) if most == every else TEXTS.most_ended(worst)
    requests = "request" if every == 1 else TEXTS.requests(f"{every:,}")
    text = TEXTS.server_gave_no(requests, how) if every > 1 else TEXTS.server_gave_no_http(worst)
    return TargetFailure("never_answered", text, outcomes=failed)


def in_trial(failed: TargetFailure, trial: int, setting: Setting) -> FailedTrial:
    """Return a failure with the trial in which it happened."""
    return FailedTrial(**structs.asdict(failed), trial=trial, label=show_setting(setting), setting=setting)


def of_many(failures: Sequence[FailedTrial], trials: int) -> FailureInTrials | None:
    """Return what a run says of the trials in which the server failed; None where it failed in none.

    failures: in order. trials: how many there are.
    """
    if not failures:
        return None
    first = failures[0]
    if trials == 1:
        return FailureInTrials(**structs.asdict(first), trials=tuple(failures))
    where = TEXTS.trials_first_trial(str(len(failures)), str(trials), str(first.trial), first.label)
    text = TEXTS.server_failed(where, first.sentence[:1].lower(), first.sentence[1:])
    return FailureInTrials(first.kind, text, trials=tuple(failures), last_lines=first.last_lines)
