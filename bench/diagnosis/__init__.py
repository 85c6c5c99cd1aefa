"""Measurement of how well causes are named: small real applications with injected faults, and healthy ones.

`python -m bench diagnosis` runs them; `injections` is the catalogue, with the labels. What diagnoses is the
program itself, which sees a server, its processes and its services, and no label: an application takes its
illness from a file of numbers at a path that says nothing.
"""
