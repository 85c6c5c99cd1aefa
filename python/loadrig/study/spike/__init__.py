"""A spike while it runs: the load raised, lowered again, and watched until the server is as before.

experiment   the spike as an experiment of a trial

What a spike did is worked out of its recording, by `judgement.soak.spike` and `soaking.spike_result`.
"""
