"""Logs of a server: which there are, how they are followed, and what is made of their lines."""
