"""Sentences of `database_cpu` in English, and the sections of its page.

## Signature

The database uses nearly all of the cores, or of the quota, that it may use; those who ask it do not.
More statements are at work in it than it has cores, so they queue inside.

## Data

CPU time of the database's process and of its cores, its quota, its sessions at work; service demand: CPU time
of the database for each request.

## Deciding test

`--prove` gives the database a quarter more CPU while load runs, or takes a fifth of it: throughput follows
in proportion (elasticity about 1). The application's CPU and its knobs move nothing.

## Guard

A missing index makes the same picture, and is then the cause. On a core that it shares, who uses it counts.
Full pools, busy threads and waiting requests in front of it are its symptoms: more connections only queue.

## Fix

The costliest statement first (an index, a cache, fewer of them); then more cores.
"""


class DatabaseCpuTexts:
    title = "the database's CPU is used up"
    make_statements_cheaper = "make its statements cheaper first"

    def cpu_may_use(self, share: str) -> str:
        return f"{share} of the CPU that it may use was used"

    def next_limit_s(self, what: str, component: str, rps: str) -> str:
        return f"; the next limit is {what} of {component} at {rps}/s"

    def statements_work_once(self, running: str, number: str) -> str:
        return f"{running} statements ran at the same time, on {number}"

    def decides(self, name: str) -> str:
        return f"the same load with a quarter more CPU for {name}: if this is the cause, throughput rises"

    def look_costliest_statement(self, top: str) -> str:
        return f"look at its costliest statement first ({top})"

    def compute_less_often(self, top: str) -> str:
        return f"compute its costliest statement ({top}) less often: keep its result in a cache or a table"

    def then_give_more(self, first: str) -> str:
        return (
            f"{first}, then give the database more cores; more connections or threads would only wait in it"
        )
