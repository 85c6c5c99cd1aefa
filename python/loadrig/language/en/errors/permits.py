"""Words for effects on a server that nobody has allowed, shared by probes and profilers, in English."""

from loadrig.base.error_words import ErrorWords


def not_permitted(wanted: str, unseen: str, does: str) -> ErrorWords:
    """Return the words for something that is not observed because an effect is not permitted.

    wanted: name of the permit. unseen: begins the sentence; does: the effect, continues "the rig may".
    """
    return ErrorWords(
        what=f"{unseen} is seen only where the rig may {does}, and nobody has said that it may",
        mend=f"add --permit {wanted}, or `permit: [{wanted}]` to the plan",
    )
