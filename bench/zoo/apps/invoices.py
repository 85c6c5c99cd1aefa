"""A batch job that writes invoices: busy for a share of each tenth of a second. It reads settings.json."""

import json
import time

with open("settings.json", encoding="utf-8") as file:
    share = json.load(file)["share"]
while True:
    end = time.monotonic() + share * 0.1
    while time.monotonic() < end:
        pass
    time.sleep((1 - share) * 0.1)
