"""Whether a search finds the capacity of simulated servers, whose true one is known from long runs.

queues: a server that is offered requests at a rate. users: one with users who wait for their answers.
servers: those that are searched. truth: their capacity by brute force, kept in truth.json. searches: one
search on one server. coverage: many, and the tables of them.
"""
