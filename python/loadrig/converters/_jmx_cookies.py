"""Cookie managers of JMeter: cookies that a test fixes, as a header of the requests that they are for.

Source: `HC4CookieHandler.getCookiesForUrl` of apache/jmeter; `BasicDomainHandler`, `BasicPathHandler` and
`BasicSecureHandler` of Apache HttpClient; RFC 6265, section 5.1.
"""

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass

from loadrig.converters._address import ServerAddress
from loadrig.converters._jmx_report import JmxReport
from loadrig.converters._jmx_text import Variables
from loadrig.converters._jmx_tree import Property, TreeElement
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.jmeter import ConvertersJmeterTexts

TEXTS = texts_of(ConvertersJmeterTexts)

_NAME_LENGTH = 80
"""Letters of a cookie's name in a note, at most."""


@dataclass(frozen=True, slots=True)
class FixedCookies:
    """Reader of the cookies that the managers of a test have from the start."""

    variables: Variables
    report: JmxReport

    def header(self, managers: Sequence[TreeElement], address: ServerAddress, path: str) -> str:
        """Return the cookies for a request as a header has them. path: of the request, a template.

        A cookie is sent where its host and path are known to be the request's; where variables leave that
        open, it is left out and noted, as a cookie may be a secret.
        """
        pairs: list[tuple[int, str]] = []
        for manager in managers:
            for cookie in manager.items("CookieManager.cookies"):
                name = self.variables.template(cookie.name, manager)
                is_for_request = self._is_for(cookie, manager, address, path)
                if is_for_request is None:
                    self.report.drop(manager, TEXTS.cookie_of_open_address, name[:_NAME_LENGTH])
                elif is_for_request:
                    value = self.variables.template(cookie.get("Cookie.value"), manager)
                    # Cookies of longer paths come first, as in RFC 6265, section 5.4.
                    pairs.append((-len(cookie.get("Cookie.path")), f"{name}={value}"))
                    self.report.alter(manager, TEXTS.cookies_by_header)
        return "; ".join(pair for _, pair in sorted(pairs, key=lambda pair: pair[0]))

    def _is_for(
        self, cookie: Property, manager: TreeElement, address: ServerAddress, path: str
    ) -> bool | None:
        """Return whether a request gets a cookie; None where the test does not fix that."""
        if cookie.get("Cookie.secure").strip().lower() == "true" and address.scheme != "https":
            return False
        domain = self.variables.constant(cookie.get("Cookie.domain"), manager)
        below = self.variables.constant(cookie.get("Cookie.path"), manager)
        if domain is None or below is None or address.is_open:
            return None
        has_subdomains = cookie.get("Cookie.domain_specified").strip().lower() == "true"
        if not _is_of_domain(address.host, domain.strip(), has_subdomains=has_subdomains):
            return False
        return _is_below(path, below.strip())


def _is_of_domain(host: str, domain: str, *, has_subdomains: bool) -> bool:
    """Return whether a host is that of a cookie, or lies below it. A cookie without one is for no host."""
    host, domain = host.lower().strip("[]"), domain.lower().removeprefix(".").strip("[]")
    if host == domain:
        return True
    return bool(domain) and has_subdomains and not _is_number(host) and host.endswith(f".{domain}")


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _is_below(path: str, place: str) -> bool | None:
    """Return whether a path is that of a cookie or lies below it; None where holes leave it open."""
    place = place.rstrip("/")
    if not place:
        return True
    before_query = path.partition("?")[0].replace("{{", "\0")
    fixed, hole, _ = before_query.partition("{")
    fixed = fixed.replace("\0", "{").replace("}}", "}")
    if fixed.startswith(f"{place}/") or (fixed == place and not hole):
        return True
    return None if hole and f"{place}/".startswith(fixed) else False


def note_cleared(manager: TreeElement, group: TreeElement, report: JmxReport) -> None:
    """Note a manager whose cookies a thread forgets before each of its loops."""
    is_of_group = manager.is_true("CookieManager.controlledByThreadGroup")
    is_new_user = group.get("ThreadGroup.same_user_on_next_iteration", "true").strip().lower() == "false"
    if is_new_user if is_of_group else manager.is_true("CookieManager.clearEachIteration"):
        report.alter(manager, TEXTS.cookies_of_all_loops)
