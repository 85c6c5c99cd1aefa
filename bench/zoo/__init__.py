"""Whether causes are named on stacks that the judge was not made for: cases, recordings, judgement.

`python -m bench zoo record` runs cases and keeps what was recorded; `python -m bench zoo judge` judges the
recordings, as often as wanted, without a server. Harm decides the truth: a fault that costs nothing is none.
"""
