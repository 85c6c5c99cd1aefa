"""Security schemes of OpenAPI: headers, query and cookies with a hole for what a person has to fill in."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from loadrig.converters._account import DocumentAccount
from loadrig.converters._address import is_header
from loadrig.converters._document import JsonValue, list_of, object_of, text_in
from loadrig.converters._oas_parameters import encoded
from loadrig.converters._oas_refs import DocumentReferences
from loadrig.converters._secret_holes import secret_variable
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.openapi import ConvertersOpenapiTexts
from loadrig.plan.holes import literal

TEXTS = texts_of(ConvertersOpenapiTexts)


@dataclass(slots=True)
class Credentials:
    """Parts of a request that say who asks."""

    headers: dict[str, str] = field(default_factory=dict)
    query: list[str] = field(default_factory=list)
    cookies: list[str] = field(default_factory=list)


class SecuritySchemes:
    """Security schemes of a document, each with the variable of the environment that it is taken from."""

    def __init__(self, root: JsonValue, references: DocumentReferences, account: DocumentAccount) -> None:
        self._schemes = object_of(object_of(object_of(root).get("components")).get("securitySchemes"))
        self._references = references
        self._account = account
        self._variables: dict[str, str] = {}

    def credentials(self, requirements: JsonValue) -> Credentials:
        """Return what the first of several alternatives asks for; the notes of it are made on the way."""
        credentials = Credentials()
        alternatives = list_of(requirements)
        names: Iterable[str] = object_of(alternatives[0]) if alternatives else ()
        for name in names:
            scheme = self._references.followed(self._schemes.get(name))
            if not self._add(credentials, name, scheme):
                self._account.drop(TEXTS.scheme(name), TEXTS.other_scheme(text_in(scheme.get("type"))[:40]))
        return credentials

    def _add(self, credentials: Credentials, name: str, scheme: dict[str, JsonValue]) -> bool:
        kind, way = text_in(scheme.get("type")), text_in(scheme.get("scheme")).lower()
        hole = f"{{env:{self._variable(name)}}}"
        match kind:
            case "http" if way == "basic":
                credentials.headers["Authorization"] = f"Basic {hole}"
                self._tell(name, TEXTS.user_and_password(self._variable(name)))
            case "http" if way == "bearer":
                credentials.headers["Authorization"] = f"Bearer {hole}"
                self._tell(name, TEXTS.secret_wanted(self._variable(name)))
            case "oauth2" | "openIdConnect":
                credentials.headers["Authorization"] = f"Bearer {hole}"
                self._tell(name, TEXTS.token_wanted(self._variable(name)))
            case "apiKey":
                return self._add_key(credentials, name, scheme, hole)
            case _:
                return False
        return True

    def _add_key(self, credentials: Credentials, name: str, scheme: dict[str, JsonValue], hole: str) -> bool:
        key = text_in(scheme.get("name"))
        match text_in(scheme.get("in")):
            case "header" if is_header(key):
                credentials.headers[key] = hole
            case "query" if key:
                credentials.query.append(f"{literal(encoded(key))}={hole}")
            case "cookie" if key:
                credentials.cookies.append(f"{literal(encoded(key))}={hole}")
            case _:
                return False
        self._tell(name, TEXTS.secret_wanted(self._variable(name)))
        return True

    def _tell(self, name: str, how: str) -> None:
        """Note where a scheme's secret comes from: once for the document."""
        place, order = self._account.place, self._account.order
        self._account.place, self._account.order = "components.securitySchemes", 0
        self._account.alter(TEXTS.scheme(name), how)
        self._account.place, self._account.order = place, order

    def _variable(self, name: str) -> str:
        """Return the variable of a scheme; two schemes have never the same."""
        if name not in self._variables:
            stem, number = secret_variable(name), 2
            variable = stem
            while variable in self._variables.values():
                variable, number = f"{stem}_{number}", number + 1
            self._variables[name] = variable
        return self._variables[name]
