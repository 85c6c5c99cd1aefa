"""Sentences of the converter `postman` in English: why a part is left out, or said otherwise."""


class ConvertersPostmanTexts:
    login_in_address = "name and password in the address"
    as_header = "write them as the header `Authorization: Basic …` of the request"
    files = "a collection 2.1 (JSON), and environments after it"
    collection = "the collection"
    load = "load"
    request = "request"
    requests = "requests"
    server = "server"
    login = "login"
    logins = "logins"
    body = "body"
    bodies = "bodies"
    checks = "checks"
    extractions = "extractions"
    graphql_variables = "variables of GraphQL"
    script_before = "script before the request"
    script_after = "test script"

    # --- left out -------------------------------------------------------------------------------

    no_scripts = "a plan runs no scripts"
    no_address = "it has no address"
    own_header = "loadrig writes this header itself, or it is no name of a header"
    no_multipart = "a plan has no body of a file that is no text beside variables"
    no_json = "they are no JSON"
    no_file_beside = "there is no such file in the folder of the collection or below it"

    # --- altered --------------------------------------------------------------------------------

    one_user = "a collection says none: one user, who makes all requests again and again"
    time_counted = "a number that counts up from when the file was written"
    time_of_the_file = "the time when the file was written"
    no_such_dynamic = "one fixed word"
    no_end = "variables name each other without end; the text is sent as it stands"
    set_later = "an answer sets it only later; before, it is empty"

    def header(self, name: str) -> str:
        return f"header {name!r}"

    def file(self, name: str) -> str:
        return f"file {name!r}"

    def other_method(self, method: str) -> str:
        return f"a plan has no method {method}"

    def other_login(self, kind: str) -> str:
        return f"a plan has no login of kind {kind!r}"

    def other_body(self, mode: str) -> str:
        return f"a plan has no body of kind {mode!r}"

    def other_server(self, url: str, server: str) -> str:
        return f"it goes to {url}, and a plan loads one server: {server}"

    def too_many(self, left_out: int, most: int) -> str:
        return f"there are more than {most:,}; the last {left_out:,} are left out"

    def not_read(self, count: int, first: str) -> str:
        return f"{count:,} {'statement' if count == 1 else 'statements'} of it, from `{first}` on"

    def host_not_fixed(self, host: str) -> str:
        return f"nothing fixes {host!r}; name the environment after the collection, or write `target`"

    def long_text(self, most: int) -> str:
        return f"its variables would make more than {most:,} letters; it is sent as it stands"

    def made_beforehand(self, count: int) -> str:
        return f"{count:,} values are made beforehand; after the last the first comes again"

    def nothing_sets(self, hole: str) -> str:
        return f"nothing sets it; name the environment after the collection, or put values for {hole} here"

    def secret_wanted(self, variable: str) -> str:
        return f"put it into the variable {variable} of the environment"

    def user_and_password(self, variable: str) -> str:
        return f"put base64 of user:password into the variable {variable} of the environment"


class ConvertersPostmanErrors:
    no_collection = "it is an environment, and no collection"
    collection_first = "name the collection first, then its environment"
    no_items = "it has no list `item`, as collections 2.0 and 2.1 have"
    export_anew = "export the collection from Postman as Collection v2.1"
    no_environment = "it has no list `values`, as an environment of Postman has"
    environment_after = "name an environment or globals after the collection, as Postman exports them"
