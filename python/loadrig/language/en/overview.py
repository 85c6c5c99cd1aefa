class OverviewTexts:
    """Sentences about the program as a whole."""

    opening = "Put a server on the rig: load it, watch every tier, find what limits it."
    attack = "load a URL and see what it does"
    run = "run the trial or the study of a plan"
    explain = "what a word or an error code means"
    help_option = "show the commands and exit"
    version_option = "show the version and exit"
    lang_option = "language of all that is said: en or ko (default: that of the locale)"
    closing = (
        "Every command has --help. Exit codes: 0 fine, 99 a goal missed, 104 plan wrong,\n"
        "105 interrupted, 111 void, 112 undecided, 113 regression, 120 target failed, 70 our own fault.\n"
        "Language: --lang en or ko, or LOADRIG_LANG, else that of the locale."
    )
