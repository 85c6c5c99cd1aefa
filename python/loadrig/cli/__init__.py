"""The program: each file is a command, which parses its arguments, calls one function and prints.

A member has `HELP` (its first line a sentence, then examples), `configure(parser)` and
`run(arguments) -> exit code`. Results go to standard output, talk to standard error.
`loadrig --help` reads `HELP` from the file without importing it, so it begins as in cli._overview.OPENING.
"""
