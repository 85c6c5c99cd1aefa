"""A server that is slow for the three seconds after its first request."""

import time

began = None


def app(environ, start_response):
    global began
    if environ["PATH_INFO"] != "/health":
        began = began or time.monotonic()
        time.sleep(0.15 if time.monotonic() - began < 3 else 0.01)
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "2")])
    return [b"ok"]
