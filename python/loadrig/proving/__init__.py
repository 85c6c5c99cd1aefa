"""Proof of a cause: one thing is changed in shuffled blocks, and what moves is measured.

`carry_out` takes a run whose diagnosis has rivals (`question`, `rivals`) and makes the experiments that tell
most about them (`foretold`, `credence`): those that work while load runs in one trial (`able`, `live`), and
others as trials of their own (`pairs`). It decides what the results show (`judge`, `halves`), and verifies
the mend where it is a knob (`fix`). The answer is kept in RUN/proof/proof.json (`document`); the recordings
are those of ordinary trials in RUN/proof/trials.
"""
