"""The truths: every lab is run, and its diagnosis must be right."""
