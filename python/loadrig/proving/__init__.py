"""Proof of a cause: one thing is changed in shuffled blocks, and what moves is measured.

`carry_out` takes a run whose diagnosis has rivals, chooses the experiments that tell them apart (`rivals`,
`able`), makes those that work while load runs in one trial (`live`) and the others as trials of their own
(`pairs`), decides what the results show (`outcome`, `judge`), and verifies the mend where it is a knob
(`fix`). The answer is kept in RUN/proof/proof.json (`document`); the recordings are those of ordinary trials
in RUN/proof/trials.
"""
