"""Work of locust: users without pause, or, with PER_USER, so many requests a second each."""

import os

from locust import FastHttpUser, constant_throughput, task

PER_USER = float(os.environ.get("PER_USER", "0"))


class Visitor(FastHttpUser):
    """Asks for the root again and again."""

    insecure = True
    if PER_USER:
        wait_time = constant_throughput(PER_USER)

    @task
    def ask(self) -> None:
        """Send one request."""
        self.client.get("/")
