"""Sentences of `noisy_neighbour` in English, and the sections of its page.

## Signature

The cores that the server may use are full, a good part of them by programs that are none of those measured
or by the hypervisor (steal), and the server's threads wait for a core.

## Data

CPU time of each core, of every program that the case knows, and of the generator; steal; time that threads
waited for a core (schedstat).

## Deciding test

The same load with the server on cores of its own, or at a time when the machine is quiet: throughput rises.
`--prove` touches nobody else's programs: it lets the server go first on its cores for some seconds, and
throughput rises. Where it may not, it takes a fifth of the cores that are full, and the server must answer
less by as much; where it does not, the cores are not what it lacks.

## Guard

A neighbour costs no more than the server's threads waited for a core, whatever share of it the neighbour
uses. The generator and the rig are no neighbours; where they may be on these cores, their part is taken off
generously. And no program that works for the server is one: what it calls
on this machine and cannot be seen would look like a stranger. Burst credits that the machine has used up
itself look like steal.

## Fix

Move the neighbour, pin it to other cores or lower its share (nice, cpu.weight); another host.
"""


class NoisyNeighbourTexts:
    """Sentences about somebody else who takes the cores of the server."""

    title = "another program uses the cores that the server runs on"
    mend = (
        "find the other program (top, pidstat) and move it, pin it to other cores (taskset) or"
        " lower its priority (nice, cpu.weight)"
    )
    decides = "the same load while the other program is stopped, or on cores of its own"

    def took(self, what: str, used: str, cores: str, program: str, own_cores: str) -> str:
        return f"{what} took {used} of the {cores} of {program}, which got {own_cores}"

    def would_have_kept_up(self, need: str, cores: str, program: str) -> str:
        return f"the requested load needs {need} of {cores}: alone {program} would have kept up"

    def formula_of_need(self, used: str, ended: str, offered: str, need: str) -> str:
        return f"{used} cores / {ended}/s * {offered}/s = {need}"
