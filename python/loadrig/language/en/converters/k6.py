"""Sentences of the converter `k6` in English: why a part of a script is left out, or said otherwise."""


class ConvertersK6Texts:
    files = "a script of k6 (.js, .ts)"
    users = "users"
    redirects = "redirects"
    cookies = "cookies"
    no_javascript = "here the text is no JavaScript any more"
    mend_file = "name the script itself, TypeScript as .ts; see that k6 takes it"

    # --- left out -------------------------------------------------------------------------------

    computed = "only running the script would tell it"
    computed_flow = "what decides here only running the script would tell"
    other_file = "it is not read: only scripts in this one's folder are, whose names differ from those here"
    too_many_steps = "a function has too many requests for a plan"
    unknown_function = "the script does not define it"
    no_check = "a plan has no check like it"
    no_goal = "a plan has no goal like it"
    no_option = "a plan has no option like it"
    no_parameter = "a plan's request has nothing like it"
    no_end = "a plan has no requests at the end of a test"
    no_pause = "no request stands before it"
    check_of_some = "it is asked of some answers alone, and a plan asks it of each"
    no_second_login = "a plan has one login of one request"
    scenarios_instead = "k6 takes the load of the scenarios"
    no_abort = "a plan does not end a test by its goals"
    no_summary = "loadrig writes its own report"
    other_load = "a plan has one load, that of the first scenario; make a plan of its own"

    # --- altered --------------------------------------------------------------------------------

    users_of_command = "the script names no load, and k6 takes one user then"
    goes_on_without = "where nothing matches, it is empty and the requests go on; k6 ends the iteration"
    made_once = "its requests are made once"
    pause_of_round = "it is made behind each round, also behind the last one"
    pause_of_sure = "it is made behind the last request before it that is made in any case"
    check_of_all = "it is asked of every answer, also of one that ends the iteration before it"
    decided_by_body = (
        "nothing is taken out of an answer that failed, and what is no number is neither above nor below one"
    )
    own_jar = "cookies that the server has given to the user go along"
    drawn_by_request = "it is drawn for each of the requests that share it"
    order_of_all = "one order of entries for all users"
    shared_loops = "iterations are shared out evenly to the users"
    login_each = "each user logs in, and not the whole test once, and keeps the cookies of it"
    cookies_stay = "each user keeps its cookies, and k6 forgets them after each iteration"

    users_of_all = "users of all scenarios pick among them by weight, and none keeps to its own"
    nobody_controls = "nobody changes the users while the plan runs: they stay as many as it starts with"
    whole_answer = "the goal is of the whole answer, and not of its first byte alone"
    no_referer = "no page before is named to where a redirect leads, as k6 does by `Referer`"
    escaped_query = "what no query may hold is escaped, where k6 sends it as it is"
    default_of_variable = "the plan has the value that stands for a variable of the environment nobody sets"

    def most_at_once(self, most: int) -> str:
        return f"at most {most:,} connections: what finds none waits, and k6 leaves it out"

    def ends_after(self, rounds: int) -> str:
        return f"it ends after {rounds:,} rounds at the latest"

    def too_long(self, most_bytes: int) -> str:
        return f"it is longer than {most_bytes:,} bytes"

    def parts_of_batch(self, most: int) -> str:
        return f"requests of a batch are sent {most} at once, and the next after all of these"
