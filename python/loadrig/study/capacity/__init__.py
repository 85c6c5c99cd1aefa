"""The highest level of load that meets the goals, how sure that is, and what happens beyond it.

Pure: told what each frame says, it says which level to offer next. Time is that of the frames; nothing here
starts, sends or waits.

goals      the plan's goals as shares of requests, a least throughput, the rest
tick       what one frame says
clusters   how many requests are worth one, as late answers come together
probe      one level: settle, then test each goal until it is sure; and the drain after it
ramp       up by doubling until it breaks: a bracket, and the saturation throughput
saturation what can be answered at most, as measured now and then; whether the server was cold before
waits      from how many requests wait to where they become late
locate     from all probes to the capacity with its interval
beyond     an overload on purpose, and whether the server recovers from it
search     all of it in order, within a budget of time
answer     what came of it
result     the answer as its document
document   what the answer is as JSON
"""
