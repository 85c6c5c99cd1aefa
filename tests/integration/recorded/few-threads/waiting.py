"""A server that waits for something that is not here."""

import time


def app(environ, start_response):
    if environ["PATH_INFO"] != "/health":
        time.sleep(0.02)
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "2")])
    return [b"ok"]
