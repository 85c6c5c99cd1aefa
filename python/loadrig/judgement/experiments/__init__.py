"""Judgement of experiments: which claims remain, what each foretells, and what a measured move means.

All of it is a pure function of a diagnosis and of the results of experiments, wherever these were made. The
causes that a diagnosis leaves standing are `suspects`; each foretells what a change would move (`foretold`).
What is measured (`outcome`) becomes `results`, in trials of their own by `trial_gains`, with the events that
a rival blames beside them (`signals`). From results follow the chances of the claims and what is worth trying
next (`credence`), which suspects are proved or cleared (`conclusions`), and a diagnosis that says so
(`verdicts`).
"""
