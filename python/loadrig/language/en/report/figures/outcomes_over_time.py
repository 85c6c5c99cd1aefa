class OutcomeFigureTexts:
    """Sentences about failures over time."""

    title = "Failures over time"
    about = "Requests a second that did not end well, one class on top of the other."
    caption = "Failures a second in the measured part"
    failed = "failed"
