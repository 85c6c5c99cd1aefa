"""Sick systems to learn on: each lab is a folder with a server, plans, and what is wrong with it.

A lab is started, loaded and diagnosed by `loadrig lab`; its truth.yaml says what the diagnosis must find.
A folder here that holds a lab.yaml is a lab. The modules beside them know the format, what a lab needs,
its services and their undoing; running a plan is for the command, above.
"""
