"""Whether an experiment's interval holds what it promises, and what interventions leave behind.

`python -m bench interventions` answers both: the first on simulated servers whose elasticities are known
(`networks`, `events`, `experiments`, `coverage`), the second on a real one (`small`, `yardstick`, `remains`,
`afterwards`).
"""
