class WhatHappenedTexts:
    """Sentences about what happened to each tier."""

    by_hand = "by hand"
    title = "What happened"
    at = "at"
    tier = "tier"
    what = "what"
    lasted = "lasted"
    about = "Each tick is one that began at that instant; where it lasted, its height is how long."

    def events(self, number: int) -> str:
        return f"There were {number:,} event{'' if number == 1 else 's'}."

    def in_all(self, length: str) -> str:
        return f", {length} in all"

    def several(self, number: int, first: str) -> str:
        return f"{number} times; the first: {first}"

    def more_rows(self, number: str) -> str:
        return f"{number} more are in events.jsonl."
