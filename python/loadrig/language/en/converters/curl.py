"""Sentences of the converter `curl` in English: why a part of a command is left out, or said otherwise."""


class ConvertersCurlTexts:
    files = "a file of curl commands (copy as cURL)"
    requests = "requests"
    command = "curl"
    body = "body"

    # --- left out -------------------------------------------------------------------------------

    no_such_option = "curl has no such option, or its value is missing"
    of_output = "loadrig keeps every result itself"
    of_connections = "write the way to the server under `connections` of the plan, as far as it has one"
    of_tls = "write the server's certificates under `tls` of the plan"
    other_login = "a plan sends a login as a header only"
    login_of_variables = "a login of variables cannot be written as one header"
    no_body_here = "curl sends no body here"
    no_part = "a plan has nothing of this kind"
    no_address = "it names no address"
    no_curl = "a plan makes requests of curl only"
    no_output = "the output of a command is not known before it runs"
    no_expansion = "the shell makes this value of another one"
    only_after_failure = "it is run only where the command before it fails"
    no_cookie_file = "cookies of a file are not read; users keep those that they are given"
    no_file_beside = "there is no such file in the folder of the commands or below it"
    no_header = "that is no header"
    own_header = "loadrig writes this header itself"
    always_sent = "loadrig always sends this header"
    two_bodies = "curl takes data or a form, and not both"
    bytes_and_variables = "a plan has no body of variables beside bytes that are no text"
    pattern_of_addresses = "a plan has no pattern of addresses; write them out, or add -g"
    other_address = "it is no address of HTTP"

    # --- altered --------------------------------------------------------------------------------

    header_joined = "headers of one name are joined to one"
    host_not_fixed = "a variable names the server; write it under `target` and `allow`"
    ends_at_ampersand = "the shell ends the command at &, and what stands behind it is no part of the address"
    for_all = "it holds for all requests"
    method_of_redirects = (
        "curl keeps the method where it follows a redirect; a plan asks by GET after 303, and after 301 and"
        " 302 to a POST"
    )

    def other_method(self, method: str) -> str:
        return f"a plan has no method {method}"

    def too_many(self, most: int) -> str:
        return f"it and all behind it would make more than {most:,} requests"

    def nothing_sets(self, name: str) -> str:
        return f"the file does not set it; put values for {name} here"


class ConvertersCurlErrors:
    open_quote = "a quote or a here-document is opened there and not closed"
    close_quote = "copy the command anew, to its end"
