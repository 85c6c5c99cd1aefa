"""Sentences of the converter `postman` in English: why a part is left out, or said otherwise."""


class ConvertersPostmanTexts:
    login_in_address = "name and password in the address"
    encoded_all_the_same = "signs of its address are encoded, which Postman sends as they stand"
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
    assignments = "fixed values of variables"
    rows = "rows of a data file"
    jumps = "orders of requests"
    graphql_variables = "variables of GraphQL"
    script_before = "script before the request"
    script_after = "test script"

    # --- left out -------------------------------------------------------------------------------

    no_address = "it has no address"
    own_header = "loadrig writes this header itself, or it is no name of a header"
    no_multipart = "a plan has no body of a file that is no text beside variables"
    no_json = "they are no JSON"
    no_file_beside = "there is no such file in the folder of the collection or below it"
    other_text = "a variable that it gets has another text in that scope; use `pm.variables.replaceIn`"
    gone_past = "a script goes past it in any case"
    other_order = "a plan cannot say that order: a request of that name, and what decides, must be plain"
    no_column_used = "no text has a variable of its columns"

    # --- altered --------------------------------------------------------------------------------

    one_user = "a collection says none: one user, who makes all requests again and again"
    time_counted = "a number that counts up from when the file was written"
    time_of_the_file = "the time when the file was written"
    no_such_dynamic = "one fixed word"
    no_end = "variables name each other without end; the text is sent as it stands"
    set_later = "a script sets it only later; before, it is empty"
    set_after_use = "a script sets it anew; requests before it have its first value in later loops, too"
    of_good_answers = (
        "it is taken from every good answer, and not only from those of the status that is asked for"
    )
    decided_by_body = (
        "what a body says decides only where the answer is a good one; else its values are missing"
    )
    of_present = "it has no value where an answer has nothing there, and Postman keeps that of before"
    in_turn = "each loop of a user takes the next row, and after the last the first"
    row_without = "rows of the data file lack it, and a script sets it; there it has what the other files say"
    row_escaped = "signs of its values that cannot stand here are escaped; newman sends some as they are"

    def header(self, name: str) -> str:
        return f"header {name!r}"

    def file(self, name: str) -> str:
        return f"file {name!r}"

    def data_file(self, name: str) -> str:
        return f"data file {name!r}"

    def row_of(self, file: str, count: int) -> str:
        return f"rows of {file}: {count:,}"

    def other_method(self, method: str) -> str:
        return f"a plan has no method {method}"

    def other_login(self, kind: str) -> str:
        return f"a plan has no login of kind {kind!r}"

    def other_body(self, mode: str) -> str:
        return f"a plan has no body of kind {mode!r}"

    def too_many(self, left_out: int, most: int) -> str:
        return f"there are more than {most:,}; the last {left_out:,} are left out"

    def too_many_sends(self, most: int) -> str:
        return f"scripts make more than {most:,} requests"

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
    no_rows = "it has no row of values"
    rows_wanted = "name a data file as newman takes it: CSV with a line of names, or JSON, a list of objects"
    fewer_rows = "leave rows out: each request that needs one has all of them in memory"
    open_quote = "a quote is not closed, or something follows the closing one"
    close_quote = "close the quote, and write a quote within it twice"
    second_data = "a second data file"
    join_rows = "put all rows into one data file"

    def many_rows(self, most: int) -> str:
        return f"it has more than {most:,} rows"
