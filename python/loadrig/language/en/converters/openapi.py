"""Sentences of the converter `openapi` in English: why a part is left out, or said otherwise."""


class ConvertersOpenapiTexts:
    files = "a description of OpenAPI 3.0 to 3.2 (JSON, YAML)"
    description = "the description"
    load = "load"
    server = "server"
    operation = "operation"
    operations = "operations"
    parameters = "parameters"
    body = "body"
    bodies = "bodies"
    requests_to_you = "requests of the server"
    whole_value = "all of it"
    deprecated = "deprecated"

    # --- left out -------------------------------------------------------------------------------

    first_server = "a plan takes the first of several servers that are as good"
    no_webhooks = "the server sends them; a plan sends requests only"
    optional = "they are optional"
    no_value = "there is no value for it"
    no_such_place = "a plan has no parameter there, or loadrig writes it itself"
    leads_nowhere = "it leads out of the document, or nowhere; bundle the description into one file"

    # --- altered --------------------------------------------------------------------------------

    one_user = "a description says none: one user, who picks among the requests"
    host_not_fixed = "no host is named; write it as `target`, and under `allow`"
    not_declared = "nothing declares it, so 1 stands there"
    has_no_end = "it was cut, as its schemas mean each other or very much"

    def scheme(self, name: str) -> str:
        return f'security scheme "{name}"'

    def parameter(self, name: str) -> str:
        return f'parameter "{name}"'

    def parameters_named(self, names: str) -> str:
        return f"parameters {names}"

    def other_scheme(self, kind: str) -> str:
        return f"a plan has no login of kind {kind!r}"

    def headers_of_parts(self, names: str) -> str:
        return f"a part of a form has no headers of its own in a plan ({names})"

    def no_method(self, method: str) -> str:
        return f"a plan has no method {method}"

    def no_body_here(self, method: str) -> str:
        return f"a {method} has no body of any meaning"

    def no_such_body(self, kinds: str) -> str:
        return f"no example is given, and none is made up for {kinds}"

    def long_bodies(self, most: int) -> str:
        return f"all bodies together would have more than {most:,} letters"

    def too_many_operations(self, left_out: int, most: int) -> str:
        return f"there are more than {most:,}; the last {left_out:,} are left out"

    def made_up(self, places: str) -> str:
        return f"the description gives no value, so one is made up ({places})"

    def no_patterns(self, places: str) -> str:
        return f"the made-up value does not follow the pattern ({places})"

    def secrets_wanted(self, names: str) -> str:
        return f"put the secret into the variable of the environment that stands there ({names})"

    def secret_wanted(self, variable: str) -> str:
        return f"put it into the variable {variable} of the environment"

    def token_wanted(self, variable: str) -> str:
        return f"get a token, and put it into the variable {variable} of the environment"

    def user_and_password(self, variable: str) -> str:
        return f"put base64 of user:password into the variable {variable} of the environment"


class ConvertersOpenapiErrors:
    swagger = "it is a description of Swagger 2.0, and OpenAPI 3.0 to 3.2 are read"
    convert_first = "convert it to OpenAPI 3.0 first, with swagger2openapi or editor.swagger.io"
    versions_read = "bring it to OpenAPI 3.0, 3.1 or 3.2"

    def other_version(self, version: str) -> str:
        return f"its version of OpenAPI is {version!r}"
