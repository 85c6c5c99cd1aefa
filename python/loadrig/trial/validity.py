"""Whether a trial may be believed: the checks on the rig itself, before anyone looks for causes.

Void means that the rig could not run the trial properly: nothing it measured says anything about
the target. Suspect means that one should look before believing. A note changes nothing: it says
what the target did that a reader of the figures must know.
"""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from loadrig.recording.reader import Recording
from loadrig.trial import checks, foreign
from loadrig.trial.checks import NotApplicable, Reason
from loadrig.trial.evidence import gather


@dataclass(frozen=True, slots=True)
class Validity:
    """The verdict, every reason, and the checks that could not be applied, with why."""

    verdict: Literal["valid", "suspect", "void"]
    reasons: tuple[Reason, ...]
    not_checked: tuple[NotApplicable, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As in the trial's result."""
        return {
            "verdict": self.verdict,
            "reasons": [asdict(reason) for reason in self.reasons],
            "not_checked": {item.check: item.why for item in self.not_checked},
        }


def judge(recording: Recording) -> Validity:
    """Apply every check to a recording; a pure function of its folder."""
    if recording.imported:
        found = list(foreign.remarks(recording))
    else:
        evidence = gather(recording)
        found = [remark for check in checks.ALL for remark in check(evidence)]
    reasons = tuple(remark for remark in found if isinstance(remark, Reason))
    levels = {reason.level for reason in reasons}
    return Validity(
        "void" if "void" in levels else "suspect" if "suspect" in levels else "valid",
        reasons,
        tuple(remark for remark in found if isinstance(remark, NotApplicable)),
    )
