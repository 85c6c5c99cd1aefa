"""Headers of an HTTP sampler of JMeter: those of the managers in its scope, and a basic login."""

import base64
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from loadrig.converters._address import ServerAddress, joined_values
from loadrig.converters._jmx_report import JmxReport
from loadrig.converters._jmx_text import Variables
from loadrig.converters._jmx_tree import Property, TreeElement
from loadrig.converters._pieces import Hole, Piece, template_of
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.jmeter import ConvertersJmeterTexts
from loadrig.language.en.converters.room import ConvertersTexts

TEXTS, ROOM_TEXTS = texts_of(ConvertersJmeterTexts), texts_of(ConvertersTexts)

_OWN_HEADERS = frozenset(
    ("connection", "keep-alive", "proxy-connection", "content-length", "transfer-encoding")
)
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", re.ASCII)
_PORT = re.compile(r":(\d{1,5})$", re.ASCII)
_BREAKS = re.compile(r"[\r\n\0]+")


@dataclass(frozen=True, slots=True)
class SamplerHeaders:
    """Reader of header and login managers.

    login_hole: returns the hole of a user and a password, joined and encoded, that are of one table's row.
    """

    variables: Variables
    report: JmxReport
    login_hole: Callable[[Sequence[Piece], Sequence[Piece]], Hole | None]

    def of(
        self,
        managers: Sequence[TreeElement],
        logins: Sequence[TreeElement],
        address: ServerAddress,
        path: str,
    ) -> dict[str, str]:
        """Return the headers of all managers in scope; of those of one name the nearest."""
        merged: dict[str, tuple[str, str]] = {}
        for manager in managers:
            self.report.carry(manager)
            names: set[str] = set()
            for part in manager.items("HeaderManager.headers"):
                name = (self.variables.constant(part.get("Header.name"), manager) or "").strip()
                value = _BREAKS.sub(" ", self.variables.template(part.get("Header.value"), manager))
                if not _TOKEN.fullmatch(name):
                    if name:
                        self.report.drop(manager, TEXTS.no_header_name, name[:80])
                elif name.lower() in _OWN_HEADERS:
                    self.report.drop(manager, TEXTS.own_header, name)
                else:
                    if name.lower() in names and name.lower() != "host":
                        # JMeter sends both, as they are of one manager.
                        self.report.alter(manager, ROOM_TEXTS.headers_joined, name)
                        value = joined_values(name, merged[name.lower()][1], value)
                    names.add(name.lower())
                    merged[name.lower()] = (name, value)
        self._settle_host(merged, managers, address)
        for login in logins:
            if (header := self._authorization(login, address, path)) and "authorization" not in merged:
                merged["authorization"] = ("Authorization", header)
        return dict(merged.values())

    def _settle_host(
        self, headers: dict[str, tuple[str, str]], managers: Sequence[TreeElement], address: ServerAddress
    ) -> None:
        """Give a host of the test the port of its request, as JMeter does; leave out one that is sent anyway.

        Source: `HTTPHC4Impl.setConnectionHeaders` and `getPortFromHostHeader` of apache/jmeter.
        """
        name, value = headers.get("host", ("", ""))
        if not value:
            return
        port = _PORT.search(value)
        number = int(port[1]) if port is not None else address.port
        host = _PORT.sub("", value)
        usual = {"https": 443}.get(address.scheme, 80)
        if number not in (0, usual) and host.endswith("}"):
            self.report.alter(managers[-1], TEXTS.host_without_port)
        elif number not in (0, usual):
            host = f"{host}:{number}"
        headers["host"] = (name, host)
        if host == address.url.partition("://")[2]:
            del headers["host"]

    def _authorization(self, manager: TreeElement, address: ServerAddress, path: str) -> str:
        """Return the login of the first entry of a manager whose address an address begins with."""
        for part in manager.items("AuthManager.auth_list"):
            user = self.variables.constant(part.get("Authorization.username"), manager)
            mechanism = part.get("Authorization.mechanism") or "BASIC"
            url = self.variables.constant(part.get("Authorization.url"), manager) or ""
            if not _begins(address, path, url):
                continue
            if not mechanism.startswith("BASIC"):
                self.report.drop(manager, TEXTS.other_login(mechanism[:40]), user or "")
                continue
            login = self._login(manager, part)
            if login is None:
                self.report.drop(manager, TEXTS.login_of_variables)
                continue
            self.report.carry(manager)
            if mechanism != "BASIC":
                self.report.alter(manager, TEXTS.login_at_once)
            return f"Basic {login}"
        return ""

    def _login(self, manager: TreeElement, part: Property) -> str | None:
        """Return user and password as basic logins have them: a template; None where it cannot be."""
        user, password = (
            self.variables.pieces(part.get(f"Authorization.{key}"), manager)
            for key in ("username", "password")
        )
        if not any(isinstance(piece, Hole) for piece in (*user, *password)):
            text = f"{''.join(map(str, user))}:{''.join(map(str, password))}"
            return base64.b64encode(text.encode()).decode()
        hole = self.login_hole(user, password)
        return None if hole is None else template_of([hole])


def _begins(address: ServerAddress, path: str, url: str) -> bool:
    """Return whether the address of a request begins with a text, as far as holes let it be known."""
    port = address.port or {"https": 443}.get(address.scheme, 80)
    with_port = f"{address.scheme}://{address.host}:{port}"
    fixed, hole, _ = path.replace("{{", "\0").partition("{")
    whole = [origin + fixed.replace("\0", "{") for origin in (address.url, with_port)]
    return any(text.startswith(url) or bool(hole and url.startswith(text)) for text in whole)
