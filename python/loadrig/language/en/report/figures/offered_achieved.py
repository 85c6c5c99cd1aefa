class OfferedAchievedTexts:
    """Sentences about the offered and the achieved rate."""

    answered = "answered"
    due = "due"
    planned = "planned"
    failed = "failed"
    unsent = "unsent"
    title = "Offered and achieved rate"
    achieved = "Achieved rate"
    about = (
        "Requests due and requests answered, a second. Where the dashed line lies above the solid one"
        " the server fell behind."
    )
    about_achieved = "Requests answered, a second; what was asked for is not known."
    caption = "Requests a second in the measured part"
