"""The best setting under the goals, at a small part of a grid's cost.

space       the settings that may be tried, and how alike they are
objective   the figure to make as good as can be, on a scale on which noise is even; slacks of goals
ground      what a tuning is given: plan, space, objective, sizes of its stages
rounds      which trials of a block are left, and their specs
screen      which knobs matter at all; screened: what the trials of a screening say
queueing    what a queueing model foretells
gaussian    a Gaussian process of few noisy trials; model: what to try next, and what is believed
search      the next trial of the search
race        fewer and fewer settings, longer and longer
confirm     winner, runner-up and default side by side
stages      the strategy that joins them
document    the answer as JSON; answer: parts of it; answering: from the trials to it
map         two knobs and what is believed of every pair of their values
result      the answer laid over a study's result
load        what a trial of a tuning runs: a window, or a search for the capacity
"""
