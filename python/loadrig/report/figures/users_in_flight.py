"""Chart of who was there and what was under way: users, requests in flight, connections."""

from loadrig.report.figures import _time
from loadrig.report.model import Figure
from loadrig.report.timeline import Timeline


def draw(view: str, time: Timeline, *, is_told: bool = True) -> Figure:
    """Return users or sessions, requests in flight and queued, connections open and opened a second.

    is_told: what became of connections is known; another tool's results do not say it.
    """
    styles: tuple[tuple[str, str, _time.Colour, dict[str, object]], ...] = (
        ("in_flight", "requests in flight", "blue", {"width": 2}),
        ("users", "users", "orange", {"dash": (6, 4)}),
        ("sessions", "sessions", "green", {"dash": (6, 4)}),
        ("queued", "waiting for a connection", "red", {"dash": (3, 2)}),
        ("open", "open connections", "purple", {"dash": (2, 3)}),
    )
    lines = [
        _time.band_line(label, "", time.levels[name], colour, time.merged, **style)
        for name, label, colour, style in styles
        if any(time.levels[name].mean)
    ]
    panels = [_time.panel(lines, height=200)]
    title, about = "Users and requests in flight", "Counts at each moment, as the results tell them."
    if is_told:
        rate = time.rates["opened"]
        opened = _time.band_line("connections opened", "1/s", rate, "sky", time.merged, fill=0.2)
        panels.append(_time.panel([opened], height=110))
        title = "Users, requests in flight, connections"
        about = (
            "Counts at each moment, and connections opened a second: with keep-alive that falls to nothing"
            " after the start."
        )
    return _time.figure("users", view, time, title, about, panels, "Counts in the measured part")
