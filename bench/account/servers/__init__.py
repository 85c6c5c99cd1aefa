"""Servers of known truth, one for each runtime: each reads a cell as JSON and keeps its own book.

A server prints `{"port": N}` when it listens, and its book, one line of JSON, when its standard input closes;
then it ends. `books` says what a book holds.
"""
