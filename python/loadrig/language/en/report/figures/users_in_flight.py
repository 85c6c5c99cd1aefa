class UsersInFlightTexts:
    """Sentences about users and requests in flight."""

    requests_in_flight = "requests in flight"
    users = "users"
    sessions = "sessions"
    waiting_for_connection = "waiting for a connection"
    open_connections = "open connections"
    connections_opened = "connections opened"
    title = "Users and requests in flight"
    about = "Counts at each moment, as the results tell them."
    title_with_connections = "Users, requests in flight, connections"
    about_with_connections = (
        "Counts at each moment, and connections opened a second: with keep-alive that falls to nothing"
        " after the start."
    )
    caption = "Counts in the measured part"
