"""Many trials with a question: which settings, in which order, and what they say together.

space          the settings of a study
strategies/    which of them are tried (a room to extend: one file a strategy)
blocks         randomised blocks, the base twice in each
ledger         what was done, kept before the next begins
runner         one trial after the other
judge          noise, comparisons, the set that may be best, the recommendation
result         what the judge found as its document
document       what a study is as JSON, schema loadrig.study/2
carry_out      all of it, into a run's folder
"""
