"""Sentences of the converter `jmeter` in English: why a part of a test is left out, or said otherwise."""


class ConvertersJmeterTexts:
    files = "a test plan (.jmx)"
    body = "body"
    embedded_resources = "embedded resources"
    proxy = "proxy"
    source_address = "source address"

    # --- left out -------------------------------------------------------------------------------

    switched_off = "it is switched off in the test"
    never = "the test as it stands never comes to it"
    no_such_loop = "a plan has no sequence that variables or files decide"
    no_sampler = "a plan sends HTTP requests only"
    no_listener = "loadrig keeps every result itself"
    no_scripts = "a plan runs no scripts"
    cache_of_nothing = "it keeps no answer"
    no_such_check = "a plan has no check of this kind"
    no_such_timer = "a plan has no pause of this kind"
    no_such_part = "a plan has nothing of this kind"
    no_around = "a plan has no requests before and after the load"
    no_load = "it makes no load as the test stands"
    no_host = "it names no host of a server, or another protocol than HTTP"
    no_embedded_resources = "write the requests of a page's parts into the plan"
    no_multipart = "a plan has no body of several files, or of a file that is no text beside variables"
    own_header = "loadrig writes this header itself"
    no_header_name = "that is no name of a header"
    login_of_variables = "a login of variables cannot be written as one header"
    cookie_of_open_address = "it is not sent where variables decide whether a request is to its host and path"
    check_of_variables = "it depends on variables, or is empty"
    other_pattern = (
        "the pattern has signs that the generator's patterns do not have (look-around, back references)"
    )
    no_not = "a plan has bounds of a size, and no size that it must not have"
    no_mismatch = "a plan checks that a value matches a pattern it can have, and not that it does not"
    as_text = "a text that reads like the value is taken as it, too"
    only_of_json = "an answer that is no JSON fails it, too"
    other_header = "a plan checks a header by its name, as in `X-Id: a`"
    no_variable_named = "it names no variable"
    not_of_requests = "loadrig connects to the server itself, from the address of its machine"
    no_rate = "it sets no rate as the test stands"
    rate_of_part = "it paces a part of the requests, and a plan has one rate for all of them"
    second_rate = "a plan has one rate, and another timer sets it"
    no_other_action = "a plan has pauses, and neither stops nor jumps"
    no_columns = "neither the test nor the file names its columns"
    no_second_login = "a plan has one login at most, and none for several groups"

    # --- altered --------------------------------------------------------------------------------

    sent_as_it_stands = "it is sent as it stands"
    unknown_variable = "nothing sets it, so it is sent as it stands"
    unknown_function = "a plan cannot evaluate it, so it is sent as it stands"
    time_of_file = "it is always the time when the file was written, in UTC"
    time_counted = "a number that counts up from when the file was written"
    encoded_by_place = "what fills it is encoded for the place where it stands: not at all in a text"
    type_of_text = "says the type of bodies whose values are sent as they are, and not escaped for it"
    value_escaped = (
        "signs of its values are escaped here, so that each stays one value; JMeter does not do that"
    )
    not_asked = "no part of the test that is carried asks for this property"
    no_fragment = "what stands behind # is not sent"
    login_at_once = "the login is sent with every request, also before the server asks for it"
    as_uniform = "a pause of the same mean and standard deviation, all lengths equally likely"
    rate_of_requests = "requests are due at this rate, whether those before are answered or not"
    rate_of_other_group = "its requests have a share of the rate that the timer of another group sets"
    loops_at_a_rate = "its loops have no limit, as requests at a rate are of no user's loops"
    goes_on_after_errors = "a user goes on after an error"
    begins_at_once = "it begins at once, without the delay"
    ends_after_a_day = "it has no end in the test, and ends after a day here"
    schedule_in_part = "only rate, random_arrivals, even_arrivals and pause are read of its schedule"
    no_transactions = "its requests are routes of their own, and nothing adds them up"
    in_sequence = "its requests are made in their order, each once"
    endless_loop = "it has no end, so what stands behind it is never reached in JMeter; here it is made once"
    as_login = (
        "it is the plan's login: made before a user's first loop, without pauses, and left out of the "
        "figures of the service"
    )
    in_every_loop = "its requests are made in every loop"
    always = "its requests are made in every loop, as the test does not fix when"
    while_once = "its requests are made once in every loop"
    unset_anew = "an answer that lacks a value leaves none, and JMeter keeps that of the answer before"
    first_round_made = "its first round is always made, as a plan needs a request that is"
    in_turn_by_chance = "one of its parts is picked by chance, and not in turn"
    switch_by_chance = "one of its parts is picked by chance, as answers or rows decide"
    status_counts = "a status of 400 or above is a failure here, and the test ignores the status"
    of_last_answer = "only the last answer is looked at, and not those of redirects and embedded resources"
    value_of_rounds = (
        "a loop of a user has one value of it; JMeter takes the next at each round of the controller"
    )
    row_of_rounds = "a loop of the plan is several of a thread, and these share its value"
    rows_anew = "after the last row the first comes again"
    counts_by_one = "it counts by one, without end and format"
    no_format = "the number is sent without its format"
    cookies_by_header = "its cookies are a header of requests to their host, and of redirects within it"
    cookies_of_all_loops = "users keep cookies from loop to loop; threads of JMeter clear them"
    connections_kept = "all connections are kept open, also where single requests close theirs"
    connect_timeouts_differ = "the longest wait for a connection holds for all requests"
    host_without_port = "the port of the request is not added to a host that variables make"
    cache_for_all = "all requests have the cache, also where parts of the test have no cache manager"
    another_cache = "a plan has one kind of cache: that of most of its requests"
    fresh_by_standard = (
        "an answer that has neither max-age nor Expires nor Last-Modified is asked about; JMeter takes it "
        "for fresh for a year"
    )
    cookies_for_all = "all users keep cookies, also where parts of the test have no cookie manager"
    host_not_fixed = "the test does not fix the host; write it as `target`, and under `allow`"
    empty_loops = "loops without a request are left out, so the shares of the others are larger"
    uncompressed = "Accept-Encoding: identity is sent, as JMeter sends none"
    other_arrivals = "its requests come as those of the first group do: a plan has one kind of arrivals"
    groups_shared = "users pick a group anew for every loop, by the groups' threads"
    ends_before_others = "it ends before other groups: its users go then; the others still pick its requests"
    arrivals_of_another_kind = "its arrivals have the spacing of those of the first group, even or random"
    not_in_sequence = "its groups load the service beside each other, and not one after another"
    iterations_of_threads = "its threads leave after so many loops and others replace them; here users stay"
    no_limit_at_once = "the number of sessions at once has no limit"
    arrivals_of_one_kind = "its schedule has even and random arrivals; here all are of the last kind"
    loops_differ = "groups make different numbers of loops, so the loops have no limit"

    def ends_after(self, rounds: int) -> str:
        return f"it ends after {rounds:,} rounds at the latest"

    def with_below(self, why: str, elements: int) -> str:
        return f"{why}; with it {elements:,} {'element' if elements == 1 else 'elements'} below it"

    def other_method(self, method: str) -> str:
        return f"a plan has no method {method}"

    def other_charset(self, charset: str) -> str:
        return f"a plan is sent in UTF-8, and not in {charset}"

    def values_in_other_charset(self, charset: str) -> str:
        return f"values of variables and forms of files are sent in UTF-8, and not in {charset}"

    def no_file_beside(self, name: str) -> str:
        return f"there is no file {name!r} in the folder of the test or below it"

    def other_login(self, mechanism: str) -> str:
        return f"a plan has no login of kind {mechanism}"

    def check_elsewhere(self, place: str) -> str:
        return f"a plan checks status and body of an answer, not {place}"

    def of_another_text(self, scope: str) -> str:
        return f"its scope is {scope!r}, and a plan looks at the answer itself"

    def extract_elsewhere(self, place: str) -> str:
        return f"a plan takes values from body, one header or a cookie of an answer, not from {place}"

    def no_such_codes(self, count: int) -> str:
        return f"it allows {count} status codes"

    def other_path(self, path: str) -> str:
        return f"a plan has paths of names and numbers only, such as $.a[0].b, and not {path!r}"

    def other_selector(self, selector: str) -> str:
        return f"CSS cannot say {selector!r}; write a selector or an expression under `extract`"

    def template_of_groups(self, template: str) -> str:
        return f"a plan takes one group, and not {template!r}"

    def too_deep(self, most: int, elements: int) -> str:
        return (
            f"more than {most} controllers lie within each other, or a group has more than {elements:,} parts"
        )

    def too_many_steps(self, most: int) -> str:
        return f"a loop of more than {most:,} requests"

    def no_module(self, name: str) -> str:
        return f"there is not just one controller named {name!r}"

    def long_text(self, most: int) -> str:
        return f"the text is cut after {most:,} letters"

    def number_not_fixed(self, text: str, default: str) -> str:
        return f"{text!r} is no number that the test fixes; it is taken as {default}"

    def property_default(self, value: str) -> str:
        return f"its default is taken: {value[:80]!r}"

    def made_beforehand(self, count: int) -> str:
        return f"{count:,} values are made beforehand; after the last the first comes again"

    def value_of_its_own(self, name: str) -> str:
        return f"requests that use ${{{name}}} draw a value of their own"

    def first_match(self, number: str) -> str:
        return f"the first match is taken, not number {number}"

    def no_rows(self, file: str) -> str:
        return f"no rows of {file!r} could be read; put them into the file beside the plan"

    def bad_rows(self, reason: str) -> str:
        return f"the file cannot be read as rows: {reason}"

    def nothing_sets(self, hole: str) -> str:
        return f"no request of the plan sets it; put values for {hole} here"

    def loop_once(self, times: int) -> str:
        return f"it is made once and not {times:,} times, which would make the plan too long"

    def too_many_variants(self, most: int) -> str:
        return f"parts by chance would make more than {most} sequences; the longest of them is always made"


class ConvertersJmeterErrors:
    foreign_declaration = "it declares a document type or an entity, which JMeter does not write"
    save_in_jmeter = "open the test in JMeter and save it anew"

    def deep_nesting(self, most: int) -> str:
        return f"more than {most} elements lie within each other"

    def many_elements(self, most: int) -> str:
        return f"there are more than {most:,} elements"

    def other_root(self, tag: str) -> str:
        return f"the file begins with {tag}, and not with jmeterTestPlan"
