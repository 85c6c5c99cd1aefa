"""Chart of who was there and what was under way: users, requests in flight, connections."""

from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.users_in_flight import UsersInFlightTexts
from loadrig.report.figures import _time
from loadrig.report.model import Figure
from loadrig.report.strips import StripBand
from loadrig.report.timeline import Timeline

TEXTS = texts_of(UsersInFlightTexts)


def draw(view: str, time: Timeline, *, is_own: bool = True) -> Figure:
    """Return users or sessions, requests in flight and queued, connections open and opened a second.

    is_own: what became of connections is known; another tool's results do not say it.
    """
    styles: tuple[tuple[StripBand, str, _time.Colour, dict[str, object]], ...] = (
        (time.levels.in_flight, TEXTS.requests_in_flight, "blue", {"width": 2}),
        (time.levels.users, TEXTS.users, "orange", {"dash": (6, 4)}),
        (time.levels.sessions, TEXTS.sessions, "green", {"dash": (6, 4)}),
        (time.levels.queued, TEXTS.waiting_for_connection, "red", {"dash": (3, 2)}),
        (time.levels.open, TEXTS.open_connections, "purple", {"dash": (2, 3)}),
    )
    lines = [
        _time.band_line(label, "", band, colour, time.merged, **style)
        for band, label, colour, style in styles
        if any(band.mean)
    ]
    panels = [_time.panel(lines, height=200)]
    title, about = TEXTS.title, TEXTS.about
    if is_own:
        rate = time.rates.opened
        opened = _time.band_line(TEXTS.connections_opened, "1/s", rate, "sky", time.merged, fill=0.2)
        panels.append(_time.panel([opened], height=110))
        title, about = TEXTS.title_with_connections, TEXTS.about_with_connections
    return _time.figure("users", view, time, title, about, panels, TEXTS.caption)
