"""Real servers for tests, a file each: started on a free port of 127.0.0.1, stopped by their pid.

Each file has `started_NAME(folder, ...)`, a context manager that yields the server when it
answers, and skips the test by name where the program is not installed. Its data lies in the folder.
"""
