"""Account of where requests and slots spend their time: made from a recording, and adding up.

Every component of the map has two accounts of a window: per request, how long a request is in each state
(Little's law: requests in a state over answers a second), and per slot, what its threads, cores, workers and
connections do with their time. The lines and what is not accounted for add up to what was measured from
outside. What belongs here is that arithmetic; which line is a cause, and what would mend it, is judged above.

book.account_of(recording)   the account of a trial, a pure function of its folder
loads.loads_of(recording)    the same by level of the load, and which line grew with it
calm.dipped(recording, ...)  the same of dips beside the calm
compose.document_of(...)     its document in a trial's result, of the types in `document`
sentence.sentence_of(...)    the longest parts in one sentence
growth_words.by_load(...)    what grew, in one sentence
fullness.Fullness            which programs are nearly full, by samples as they come
"""
