"""Numbers that decide in this room, each with its unit and its reason."""

FULL_SHARE = 0.85
"""Share of the cores that a program may use, 0 to 1, from which on they are full; of one core where it does
one thing at a time. A request that needs 1 ms waits there for 6 (1 / (1 - U), M/M/1), and the rest is lost in
pauses of an uneven load. Above it use no longer follows the load."""

BRIM = 0.93
"""Share of the cores that is busy, 0 to 1. Where users always wait in a closed load, cores that are the limit
are hardly ever idle."""

AT_LIMIT = 0.95
"""Share of a limit of the kernel in use, 0 to 1, from which on it is reached: memory is taken back only
there, entries of a full table end by themselves, a descriptor was closed at the moment of the look, and one
connection was just accepted."""

FAIR_SHARE = 0.5
"""Share of the time in which a thread of the programs measured ran or wanted to, 0 to 1, below which cores
that others fill hold nobody up: who asks for less than its fair share of a core has one at once."""

HELD_BACK_A_REQUEST = 0.2
"""Acknowledgements held back for each request. Below it they do no harm to half of the requests."""

FULL = 0.88
"""Share of a resource in use from which on it is full: an M/M/1 queue is seven long there, and of a core
that is the limit some percent go to interrupts and to switching."""

FULL_OF_TIME = 0.6
"""Share of the time in which no slot is free from which on slots are full: with users at random, ten slots
that are used to 90 % have none free in 60 % of the time (Erlang C)."""

FULL_OF_USE = 0.95
"""Share of a pool's connections in use, on average, from which on it is full although one is free now and
then, on its way to who waits for it: with users at random ten of which 95 % are in use have none free in 83 %
of the time, forty in 66 % (Erlang C)."""

WAITS = 0.12
"""Share of a request's time that it waits for slots from which on they may be a bottleneck: without that wait
it would be 1 / (1 - 0.12) = 1.14 times as fast, about the harm of 15 % from which on the field suite calls
a case a fault."""

SUSPECT = 0.75
"""Share of a resource in use from which on it is suspected of what nothing else explains: at three quarters
requests wait three times as long for it as they use it (M/M/1), so bursts fill it."""

WORTH = 1.15
"""Gain from which on there is a bottleneck: a fault is what costs 15 % of throughput."""

KEPT_BY_CLIENTS = 0.15
"""Share of all workers, 0 to 1, that wait for bytes of clients from which on these hold them: the harm of
15 % from which on the field suite calls a case a fault. A request that comes in one piece holds none."""

CROWD = 4.0
"""Processes that serve, over cores, from which on they are a crowd: usual advice is two for a core, and one
more (2 n + 1 of gunicorn)."""

USUAL_WORTH = 1.5
"""Gain from which on work that all servers do (serialising, logging, TLS) is called too much: less is what
a plain JSON server spends on it."""

WANTING = 0.5
"""Threads that wait for an interpreter's lock, on average, from which on it is what they wait for."""

FILES_WORTH = 1.25
"""Gain from which on the kernel's work on files is too much for a program that is no database and no proxy:
without a fifth of its CPU time. Such a program opens or writes a file for each request, as a log may do."""

COLLECTED_WORTH = 1.25
"""Gain from which on collections of garbage are too much where the heap has room: without a fifth of the
time. Go gives them up to a quarter of the CPU by design, collectors of JVMs aim at 1 to 5 %."""

LEAST_DEMAND_S = 1e-9
"""Seconds of a resource a request below which it is not used by requests."""

LEAST_AT_WORK = 0.1
"""Cores that a process uses at least to be one that serves."""

IN_OTHER_THREADS = 0.15
"""Cores that the other threads of an event loop's process may use: collectors, compilers, those that read
files."""

HIGH_LOAD, BUSY_STEPS = 0.5, 0.9
"""Share of a high load, 0 to 1, from which on a request costs what it costs near the limit, and the quantile
of the steps that is that load. With little to do a program is woken for each request and finds its caches
cold: loadrig's own generator spends 28 µs on a request at 36,000/s and 320 µs at 90/s."""

SEVERAL = 2.0
"""By how much more of a full resource there is in thought where a mend only gives more of it: twice the
CPU."""

WHOLE = 0.2
"""Share of a request's time that is not accounted for up to which an account can clear a cause."""

CROWDED = 2.0
"""Requests that wait to be taken up, for each in hand, from which on whatever takes them up is taken all
the time."""

ONE_IN_HAND = 0.5
"""Requests in hand below which none of that waiting can be put down to those in hand."""

A_CONNECTION = 0.9
"""Connections of a pool, on average, from which on there is one: a look may come while it is made anew."""

FEW_INSIDE = 2.0
"""Requests that stand inside a program, on average, below which nobody there need wait for another."""

MOSTLY = 0.5
"""Share of a whole, 0 to 1, from which on something is most of it: of a request's time, of those who wait."""

LET_THROUGH = 0.5
"""Requests let through at a time, or threads at work, over requests that stand inside, above which these are
not held up by each other: each takes long by itself."""

AS_MANY = 1.2
"""Connections of a pool over requests let through at a time up to which the pool is what holds up others: the
time of a request alone is known to a fifth."""

SPARE_THREADS = 4.0
"""Threads of a program that read or poll and serve no request: those that accept, dispatch, and keep time."""

LIKE_A_LOCK = 3.0
"""Requests at work at a time up to which what holds the others up is a lock: one has it, and one or two are
on their way to it and from it."""

SPOKEN_TO = 0.1
"""Messages to a dependency for each good answer, from which on requests use the connections to it: a pool
that looks now and then whether its connections live sends fewer."""

ALL_WAIT_ALIKE = 2.5
"""p99 over the median of a load whose requests queue behind each other: where each takes a time of its own,
exponential times have 6.6."""

CPU_FULL = 0.9
"""Share of its CPU that a program uses, 0 to 1, from which on it is late for lack of CPU time more than for
anything else: what is left is idle in pieces too short to catch up in."""

TAIL_SHARE = 0.01
"""Share of the requests that p99 is made of: trouble that fewer of them meet makes no slow tail."""

QUEUED = 2.0
"""Statements at work for each core, from which on they queue: one is served, and one waits on average."""

MOSTLY_WAIT = 0.3
"""CPU time of a taken worker over the time, 0 to 1. Below it a thread for each request could serve three
times as much."""

STILL_SHARE = 0.10
"""Share of the time in which a group stood still, 0 to 1, from which on its quota cuts bursts short though it
would do on average. Below it latency does not suffer."""

USUAL_SLOTS = 100.0
"""Workers or threads that a server is usually given at most: Tomcat has 200 threads by default, servers in
Python and Ruby have tens. Where so many cannot fill the cores, what they wait for is slow."""

MANY_SLOTS = 16.0
"""Workers or threads for each core from which on there are many: by default Puma has 5, gthread one and a
WSGI server 2 to 10 in a process. So many that all wait for one dependency say more of that dependency."""

NOTICED_S = 0.1
"""Time in seconds from which on a person notices a wait: a tenth of a second."""

HELD_BY_ONE = 0.8
"""Share of the workers, 0 to 1, that wait for one dependency from which on that holds them: without it the
others would do."""

STRETCHED, STRETCHED_S = 8.0, 0.02
"""Time of a request over its time alone, and the part of it in which nobody works on it, in seconds. Above
both an open load queues too: of a server that is seven eighths full a request takes eight times its time
alone (M/M/1), so that the next tenth of load has no room. Below 20 ms hardly any service has a goal."""

THREE_READINGS_S = 3.0
"""Seconds in which probes, which look once a second, have three readings: among fewer none can be told to be
odd. No collector's pause, and no checkpoint, should be as long."""

FEWEST_STEPS = 6
"""Steps below which nothing is said of a course through them: a line would go through any of them."""

OFTEN = 0.2
"""Share of the time, 0 to 1, from which on what holds requests up limits a server: a load may meet it at its
peaks alone, and then it makes a tail."""

FAILING = 0.02
"""Share of the requests that fail, 0 to 1. Above it a server is overloaded, and good answers say too little
of what it worked on."""

TRACE_BYTES = 1_000_000.0
"""Bytes a second below which neither a disk nor a network that a server is on is loaded."""

NO_CHANCE = 3
"""Failures, lines of a log or packets of a kind, from which on they are no chance: one or two happen on any
machine."""

TRACE_SHARE = 0.5
"""Share of a table, queue, range or link in use at its peak, 0 to 1. Below it that is not suspected: a peak
between two looks that is twice as high would still have found room."""

TRACE_WAITERS = 0.05
"""Mean number of threads or sessions that wait for a lock or a disk. Below it that is not suspected."""

OF_REQUEST = 0.3
"""Share of a request's time, 0 to 1, from which on what takes it matters: below it hardly anybody would
notice its end."""

BATCH_SPARES = 0.85
"""Share of what statements in a loop cost that one for all spares, 0 to 1: their rows are still found,
sent and read. Of two servers whose loops took 0.90 and 0.95 of all CPU time, joins spared 0.83 and 0.88 of
that: NestJS and Flask, with MariaDB."""

LEAST_BOUND = 0.10
"""Share of what is wrong that a cause can explain at most, 0 to 1. Below it arithmetic clears the cause."""

MOST_RIVALS = 6
"""Rivals told of a finding at most: so many lines fit beside it."""

USED_UP_SHARE = 0.95
"""Share of the cores that a program may use, 0 to 1, from which on users with long pauses are held up: at
less a healthy server may keep up with them as well."""
