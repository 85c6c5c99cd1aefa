"""Sentences of `pool_too_large` in English, and the sections of its page.

## Signature

Far more statements are at work in the database than it has cores, its CPU is used up, and they do not
wait for locks: they wait for a core, inside, where they hold memory, locks and connections meanwhile.
Or so many transactions are open at once that most conflict, are rolled back and made again; or the database
says that it takes no more connections, and requests fail.

## Data

Sessions at work, the database's cores and CPU time, connections of the one who owns the pool, transactions
committed and rolled back.

## Deciding test

`--prove` takes connections from the pool, in turns, where its size is a knob: throughput rises, and a
statement takes less time. Where throughput stays, the pool's size costs nothing.

## Guard

A database whose CPU is used up makes a large pool look busy: then the pool is only where the queue stands.
Statements that wait for locks or for the disk are no sign.

## Fix

Make the pools of all workers together smaller than what the database takes; where its cores are full, about
two connections for each. Where each worker has a connection of its own, start fewer workers.
"""


class PoolTooLargeTexts:
    title = "more connections are opened than the database can use"
    most_them_waited = "most of these statements waited for a lock"
    few_them_waited = "few of these statements waited for a lock"
    whether_fewer_connections = "a smaller pool was not tried: a study over the pool's size would show it"

    def statements_work_once(self, statements: str, name: str, cores: str) -> str:
        return f"{statements} statements ran in {name} at the same time, on {cores}"

    def used(self, name: str, mean: str, cores: str) -> str:
        return f"{name} used {mean} of {cores}"

    def connections(self, connections: str, cores: str) -> str:
        return f"{connections} connections, {cores}"

    def threads_waited_core(self, name: str) -> str:
        return f"threads of {name} waited for a core {{}} s every second"

    def effect(self, connections: str, statements: str, cores: str, name: str) -> str:
        return f"with {connections} connections {statements} statements ran or waited for {cores} of {name}"

    def rolled_back(self, number: str) -> str:
        return f"for each transaction that is committed, {number} are rolled back and made again"

    def thrown_away(self, share: str) -> str:
        return f"{share} of the transactions bring no answer"

    def effect_of_conflicts(self, connections: str, name: str, number: str) -> str:
        return (
            f"{connections} connections let so many transactions into {name} at once that they conflict:"
            f" {number} are rolled back for each that is committed"
        )

    def mend(self, wanted: str, name: str) -> str:
        return f"try a pool of {wanted}, about two connections for each core of {name}"

    def decides(self, wanted: str) -> str:
        return f"the same load with a pool of {wanted}: throughput stays or rises, statements get faster"
