"""The program: a file is a command. Each parses its arguments, calls one function, prints.

A member has `HELP` (its first line a sentence, then examples), `configure(parser)` and
`run(arguments) -> exit code`. Results go to standard output, talk to standard error.
`loadrig --help` reads `HELP` from the file without importing it, so it begins as in cli._overview.OPENING.
"""
