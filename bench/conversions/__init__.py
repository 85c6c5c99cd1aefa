"""Tests of other tools and the plans made of them, let loose on one server, and what each of the two sent.

A test and its plan name hosts of others. Both run in a network namespace of their own, where every name and
every address is the recording server, so files are run as they are and nothing leaves this machine.
"""
