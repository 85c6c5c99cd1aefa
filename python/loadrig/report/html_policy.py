"""Content security policy of a page: it may run its own script, wear its own style, and no more.

Script and style are the same for every run, so they are named by their digests. What a run brings along can
be neither: an element or attribute that text of a server has smuggled in would not be run by the browser.
Source: Content Security Policy Level 3, section 6.7; Trusted Types, section 4.2.
"""

import base64
import hashlib


def policy(style: str, script: str) -> str:
    """Return the policy of a page with this text in its style and its script element, and no other one.

    No address is allowed at all: the page cannot fetch anything, nor send what it shows. No text becomes
    markup (trusted types), none becomes a script (no eval), and attributes hold neither style nor script.
    A picture may be shown that stands in its own address: a figure is painted that way to be kept as a PNG.
    """
    return "; ".join(
        (
            "default-src 'none'",
            f"style-src-elem {_source(style)}",
            "style-src-attr 'none'",
            f"script-src {_source(script)}",
            "script-src-attr 'none'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )


def _source(text: str) -> str:
    """Return the source expression of an element: the digest of its text in UTF-8, as a browser reads it."""
    digest = hashlib.sha256(text.replace("\r\n", "\n").encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
