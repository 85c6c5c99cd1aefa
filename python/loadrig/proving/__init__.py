"""Proof of a cause: one thing is changed in shuffled blocks, and what moves is measured.

`carry_out` takes a run whose diagnosis leaves rivals (`question`) and makes the experiments that tell most:
those that work while load runs in one trial (`able`, `live`, `slots`), and others as trials of their own
(`pairs`, `trials`). The room of judgement says what their results mean (`judgement.experiments`); the mend is
verified where it is a knob (`fix`). The answer is kept in RUN/proof/proof.json (`document`); the recordings
are those of ordinary trials in RUN/proof/trials.
"""
