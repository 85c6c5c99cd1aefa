"""Pools of connections to Redis: redis-py's and Jedis's, by the names of their parameters."""

from loadrig.catalogue.entry import Entry, by_name

TITLE = "Redis client pools"
PY, JEDIS = "redis-py 8.1", "Jedis 5"
OF_PY = "redis-py documentation, Connecting to Redis; defaults as in redis-py 8.1's connection module"
OF_JEDIS = "Jedis documentation, JedisPoolConfig; Apache Commons Pool 2, GenericObjectPoolConfig"

KNOBS = by_name(
    Entry(
        "max_connections", "key", "Most connections of a pool of redis-py.",
        "Beyond them ConnectionPool fails and BlockingConnectionPool waits; the threads at once are enough.",
        "100; 50 of BlockingConnectionPool", PY, OF_PY, low=1, high=500, scale="log",
        costs="A connection of Redis each, for each process.",
    ),
    Entry(
        "timeout", "key", "How long BlockingConnectionPool waits for a connection before it fails.",
        "Beyond the capacity: it says how old a request may get before it is given up.",
        "20", PY, OF_PY, unit="s", low=0.1, high=60, scale="log",
    ),
    Entry(
        "socket_keepalive", "key", "Whether idle connections are kept alive by TCP.",
        "When something between the two forgets idle connections.",
        "true", PY, OF_PY, words=("true", "false"), scale="words",
    ),
    Entry(
        "maxTotal", "key", "Most connections of a JedisPool.",
        "When threads wait for a connection: eight are few for a server of 200 threads.",
        "8", JEDIS, OF_JEDIS, low=1, high=500, scale="log", costs="A connection of Redis each.",
    ),
    Entry(
        "maxIdle", "key", "Idle connections that a JedisPool keeps; more are closed when given back.",
        "Below maxTotal connections are closed and made again under an uneven load.",
        "8", JEDIS, OF_JEDIS, low=1, high=500, scale="log",
    ),
    Entry(
        "minIdle", "key", "Idle connections that a JedisPool makes ahead.",
        "When load comes in bursts.",
        "0", JEDIS, OF_JEDIS, low=0, high=100,
    ),
    Entry(
        "maxWait", "key", "How long a thread waits for a connection of a JedisPool; -1 is for ever.",
        "Beyond the capacity: without it threads pile up.",
        "-1", JEDIS, OF_JEDIS, unit="ms", low=10, high=10_000, scale="log",
    ),
    Entry(
        "testOnBorrow", "key", "Whether a JedisPool sends PING before it gives a connection out.",
        "It doubles the round trips of a short command.",
        "false", JEDIS, OF_JEDIS, words=("true", "false"), scale="words",
    ),
)  # fmt: skip
