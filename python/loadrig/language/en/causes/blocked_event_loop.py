"""Sentences of `blocked_event_loop` in English, and the sections of its page.

## Signature

Routes that are quick alone are slow together with a slow one: each waits until the loop comes round. The
loop is late (Node tells by how much). A call that waits (sleep, a file, a driver that is not asynchronous)
leaves the CPU idle meanwhile; one that computes fills one core, however many there are.

## Data

Delay of the event loop (probe `node`); latency of each route under load against its fastest answers;
throughput × the time of a request alone (one loop works on one at a time when its calls block); CPU time.

## Deciding test

`--prove` starts more processes, each with a loop of its own, in turns, where their number is a knob:
throughput rises. It also leaves out the slow route, where one stands out: the others are quick without it,
which alone proves no more than that it is heavy.

## Guard

A loop that is full of many short calls is short of CPU: with one core to itself that is `host_cpu`; where
other cores are free it is named here, as more loops are what helps. A CPU quota and collections of garbage
stop a loop too. A dependency that is slow, but is awaited, holds up only those who need it.

## Fix

What waits: an asynchronous driver, or a thread (`asyncio.to_thread`, `run_in_executor`). What computes: a
worker thread or process; more processes of the server.
"""


class BlockedEventLoopTexts:
    title = "a call that does not return holds up the event loop"
    decides = "the same load without the slow route: if this is the cause, the other routes become fast"
    call_blocks = "the call that blocks"
    await_asyncio_thread = "await asyncio.to_thread(…)"
    asynchronous_form = "its asynchronous form"
    process_pool = "a process pool"
    worker_thread_worker = "a worker thread (worker_threads)"

    def most_cpu_time(self, hot: str) -> str:
        return f"most of its CPU time is spent in {hot}"

    def works_flight_once(self, at_once: str, waiting: str) -> str:
        return f"it works on {at_once} of {waiting} requests in flight at the same time"

    def blocked_loop_does(self, text: str) -> str:
        return f"{text}, which a blocked loop does not"

    def work_rest_waiting(self, mean_alone: str, p50: str) -> str:
        return f"{mean_alone} of the {p50} of a request is work: the rest is waiting"

    def effect(self, text: str, waiting: str, ok_rps: str) -> str:
        return f"{text}; {waiting} requests in flight, {ok_rps} responses/s"

    def what_does(self, hot: str) -> str:
        return f"what {hot} does"

    def take_out_loop(self, what: str, how: str) -> str:
        return f"take {what} out of the event loop: {how}, or an asynchronous driver"

    def take_out_loop_more(self, what: str, how: str) -> str:
        return f"take {what} out of the event loop: {how}; and run one process of the server for each core"
