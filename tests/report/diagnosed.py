"""Findings and a diagnosis as a trial's result has them, for the tests of the report."""

from typing import Any

NASTY = "redis <img src=x onerror=alert(1)>"


def evidence(text: str, weight: float, **source: Any) -> dict[str, Any]:
    return {"text": text, "weight": weight, "source": source}


CPU = {"kind": "series", "component": "server", "series": "process.cpu_s", "subject": "tree"}

SYMPTOM: dict[str, Any] = {
    "cause": "too_few_workers", "component": "server", "verdict": "likely",
    "title": "all workers are busy", "effect": "8 of 8 threads were busy", "mend": "mend the root",
    "decides": "", "weight": 3.0, "bound": None, "gain": None, "detail": "", "evidence": [], "against": [],
    "missing": [], "symptoms": [], "rivals": [],
}  # fmt: skip

FINDINGS: list[dict[str, Any]] = [
    {
        **SYMPTOM,
        "cause": "connection_churn",
        "component": "redis",
        "title": "a connection is opened for every request",
        "effect": "380 connections a second to redis for 412 requests a second",
        "mend": "use a pool of connections, such as redis.ConnectionPool",
        "decides": "the same load with a pool",
        "chance": 0.78,
        "weight": 4.5,
        "evidence": [
            evidence("0.92 connections were opened a request", 2.0, kind="formula", formula="380/s / 412/s"),
            evidence(
                "380 connections a second were opened", 1.0, kind="series", component="host",
                series="tcp_sockets.opened", subject="out:127.0.0.1:6379",
            ),
            evidence("the server used 0.9 cores", 0.5, **CPU),
            evidence(
                "a worker was killed", 0.5, kind="events", component="server", event="worker_died", count=1
            ),
            evidence("412/s were answered", 0.5, kind="load", field="load.successful_rps"),
        ],
        "against": [evidence(f"{NASTY} was quick all the while", 0.5, **CPU)],
        "symptoms": [SYMPTOM],
        "rivals": [
            {
                "cause": "gc_pressure", "component": "server",
                "why": "it can explain 0.005 % at most: pauses of 2 ms in 40 s", "weight": 0.0,
                "source": {"kind": "formula", "formula": "2 ms / 40 s"},
            }
        ],
    },
    {
        **SYMPTOM,
        "cause": "leak",
        "verdict": "possible",
        "title": "memory grows with every request",
        "effect": "22 B a request",
        "missing": ["the memory of single workers was not read: let the probe process see them"],
        "evidence": [evidence("memory grew by 360 kB", 1.0, **CPU)],
    },
]  # fmt: skip

DIAGNOSIS: dict[str, Any] = {
    "sentence": "Likely: a connection is opened for every request (redis).",
    "harms": [{"harm": "saturated", "text": "50 of 50 users were waiting"}],
    "cleared": [
        {
            "cause": "gc_pressure", "component": "server", "why": "it can explain 0.005 % at most",
            "weight": 0.0, "source": {"kind": "formula", "formula": "2 ms / 40 s"},
        }
    ],
    "unseen": [{"component": "redis", "what": "python", "why": "no right to trace process 4711"}],
    "decides": ["the same load with a pool"],
    "cards": [
        {
            "id": "ports:redis", "title": "ports", "component": "redis", "formula": "28,232 / 60 s = 470/s",
            "says": "a connection a request lasts for 470 requests a second",
        }
    ],
    "ceilings": [
        {
            "component": "server", "what": "CPU", "rps": 455.0, "low": 440.0, "high": 470.0,
            "used_share": 0.9, "demand_s": 0.0022, "servers": 1.0,
            "series": "process.cpu_s", "subject": "tree",
        },
        {
            "component": "redis", "what": "CPU", "rps": 10_300.0, "low": 9_900.0, "high": 10_900.0,
            "used_share": 0.04, "demand_s": 0.0001, "servers": 1.0, "series": "process.cpu_s",
            "subject": "tree",
        },
    ],
}  # fmt: skip
