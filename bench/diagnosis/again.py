"""Faults that were run once more, after causes were changed: those judged wrong, and some judged right.

To run the wrong ones alone again would find the better by chance alone. So with all that were wrong some that
were right are drawn at random, and count for all of their kind (a stratified sample).
"""

from collections.abc import Sequence
from typing import Any

from bench.diagnosis import suite
from bench.diagnosis.judged import judged
from bench.diagnosis.ledger import BenchLedger
from loadrig.stats.intervals import wilson_share

Row = dict[str, Any]


def rows(ledger: BenchLedger, first: Sequence[Row]) -> list[Row]:
    """Each fault that the ledger has and that counted the first time: its place then and now, with a proof.

    first: rows of the first time.
    """
    before = {row["case"]: row for row in first if row["is_valid"] and "proved" in row}
    rows = []
    for case, row in suite.recorded(ledger, suite.cases("*")):
        now = judged(case, row)
        if case.name in before and case.labels and case.second is None and now.is_valid and now.proved:
            then = before[case.name]["proved"]["place"]
            proved = now.proved.to_json()
            rows.append(
                {"case": case.name, "then": then, "now": proved["place"], "said": proved["said"][:1],
                 "took_s": proved["took_s"]}
            )  # fmt: skip
    return rows


def text_of(again: Sequence[Row], first: Sequence[Row]) -> str:
    """Return how many are right now, and what that makes of all.

    first: the faults that counted, after a proof.
    """
    wrong = [row for row in again if row["then"] != 1]
    right = [row for row in again if row["then"] == 1]
    all_right = sum(1 for row in first if row["place"] == 1)
    all_wrong = len(first) - all_right
    mended, still_right = (sum(1 for row in some if row["now"] == 1) for some in (wrong, right))
    text = (
        f"Run again after causes were changed for it: of {all_wrong} that were wrong {len(wrong)}, of which"
        f" {mended} are right now; of {all_right} that were right {len(right)}, drawn at random, of which"
        f" {still_right} are."
    )
    if len(wrong) == all_wrong and right:
        span = wilson_share(still_right, len(right))
        of_all = [(mended + all_right * share) / len(first) for share in (span.value, span.low, span.high)]
        text += (
            f" So about {of_all[0]:.0%} of all would be ({of_all[1]:.0%} – {of_all[2]:.0%}); by now the"
            " method has seen these faults."
        )
    lines = [
        f"- `{row['case']}`: "
        + ("nothing" if not row["said"] else f"{row['said'][0]['cause']} of {row['said'][0]['component']}")
        for row in again
        if row["now"] != 1
    ]
    return text + ("\n\nStill wrong, or wrong now:\n\n" + "\n".join(lines) if lines else "")
