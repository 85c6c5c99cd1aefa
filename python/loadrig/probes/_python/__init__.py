"""What is seen of a Python server: who holds the lock, what it tells from inside, what gunicorn logs."""
