"""Harms of a trial: what is wrong with it, if anything, before anybody asks why."""
