class RunByRunTexts:
    """Sentences about a measure run by run."""

    about = (
        "A dot a run, the newest on the right; lines: the levels between changes. The scale does not"
        " begin at zero."
    )
