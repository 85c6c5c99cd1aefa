"""A soak while it runs: followed in constant memory, and ended early when its answer is sure.

follow       levels of all processes out of samples and frames as they come
experiment   the soak as an experiment of a trial

What a soak says when it is over is worked out of its recording, by `judgement.soak` and `soaking.result`.
"""
