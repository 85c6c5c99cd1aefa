"""Tuners replayed on surfaces whose every point is known: how good is what they recommend, at what cost.

surface     a table of settings with what was measured there; read from a recording, or made up and said so
synthetic   made-up surfaces, from the facts of the five cases and of the labs
weather     noise of trials: between runs, within a run, and drift
replay      one tuning on a surface, and its regret
rivals      random search, Optuna's default sampler and the grid, at equal trial seconds
summary     shares and tables
record      a real surface, recorded by loadrig's own study
"""
