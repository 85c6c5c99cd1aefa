"""A cause proved: one thing is changed in shuffled blocks, and what moves is measured.

`carry_out` takes a run whose diagnosis has rivals, chooses the experiments that tell them apart (`choose`),
makes those that work while load runs in one trial (`live`) and the others as trials of their own (`pairs`),
says what came of them (`outcome`, `judge`), and verifies the mend where it is a knob. What is said of a proof
is kept in RUN/proof/proof.json (`document`), its recordings are those of ordinary trials in RUN/proof/trials.
"""
