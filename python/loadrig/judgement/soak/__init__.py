"""Verdicts on a soak and a spike: what grows and where that ends, what drifts and dips, which goals lapse.

forecast   when growth reaches its limit, or that it does not within a time
drift      steps and slopes of latency and throughput by route
mix        change of what was asked for, which must be known before routes are compared
dips       dips of throughput: which are worth reporting, what comes with them
stretches  goals that hold for every stretch of a length
spike      what a sudden load leaves behind, and how long until it is gone
verdict    all that a soak came to, as its verdict
document   both verdicts as JSON (loadrig.soak/1, loadrig.spike/1), with what `soaking` adds for charts
"""
