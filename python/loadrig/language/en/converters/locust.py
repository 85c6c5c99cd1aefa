"""Sentences of the converter `locust` in English: why a part of a file is left out, or said otherwise."""


class ConvertersLocustTexts:
    files = "a locustfile (.py)"
    server = "the server"
    users = "users"
    no_python = "it is no Python, or nested too deeply"
    mend_file = "name the locustfile itself; see that Python takes it"

    # --- left out -------------------------------------------------------------------------------

    computed = "only running the file would tell it"
    computed_flow = "what decides here only running the file would tell"
    computed_pause = "a pause is a number of the file, or between two such"
    computed_headers = "only running the file would tell these headers"
    too_many_steps = "a task has too many requests for a plan"
    too_deep = "too many tasks, or too deep within others"
    no_checks = "only running the file would tell what it checks; write it as `expect`"
    other_client = "it is neither a user of HTTP nor a set of tasks that is read"
    no_shapes = "the shape of the load is computed; write it as `stages` of `users`"
    no_end = "a plan has no requests at a user's end"
    no_second_login = "a plan has one login at most, and none for several kinds of users"
    no_choice_in_order = "a sequence of a plan has no choice in it"
    nothing_in_it = "it makes no request that the file's text tells"
    unknown_task = "the file does not define it"

    # --- altered --------------------------------------------------------------------------------

    users_of_command = "they stand on Locust's command line; its default is one"
    fixed_as_weight = "it is a weight among the users"
    pause_after = "the pause is that long after the task, and not from its begin"
    set_left_at_once = "a user picks a task anew each time, and does not stay in this set"
    set_by_shares = "a user picks a task anew each time, as often as in this set until it is left"
    letters_as_they_are = "letters beyond ASCII in its values are sent in UTF-8; Python escapes them in JSON"
    value_escaped = "signs of its values are escaped here, so that each stays one value; Locust sends them"
    drawn_anew = "it is drawn anew for each request, and not once for each user"
    drawn_by_each = "it is drawn once for each user, and not once for all of them"
    drawn_by_request = "it is drawn for each of the requests that share it"
    weight_computed = "only running the file would tell the weight; it is 1"

    def server_of_command(self, server: str) -> str:
        return f"it stands on Locust's command line; write yours in place of {server}"

    def too_long(self, most_bytes: int) -> str:
        return f"it is longer than {most_bytes:,} bytes"
