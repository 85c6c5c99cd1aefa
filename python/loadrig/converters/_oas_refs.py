"""References within a document of OpenAPI: what `$ref` means, without end where it means itself."""

from urllib.parse import unquote

from loadrig.converters._document import JsonValue, list_of, object_of

MOST_STEPS = 20
"""References that lead to each other at most; those of people lead to what they mean in one or two."""


class DocumentReferences:
    """References of one document, by their texts: "#/components/schemas/Pet"."""

    def __init__(self, root: JsonValue) -> None:
        self._root = root
        self.lost: list[str] = []

    def followed(self, value: JsonValue) -> dict[str, JsonValue]:
        """Return an object, or the one that it refers to. What leads nowhere is empty, and `lost` has it."""
        for _ in range(MOST_STEPS):
            here = object_of(value)
            name = here.get("$ref")
            if not isinstance(name, str):
                return here
            value = self.target(name)
            if value is None:
                return {}
        self.lost.append(name if isinstance(name, str) else "$ref")
        return {}

    def target(self, name: str) -> JsonValue | None:
        """Return what a reference means (RFC 6901); None, and `lost` has it, where it leads nowhere."""
        if name == "#":
            return self._root
        if not name.startswith("#/"):
            self.lost.append(name)
            return None
        value = self._root
        for step in unquote(name[2:]).split("/"):
            key = step.replace("~1", "/").replace("~0", "~")
            items = list_of(value)
            if items and key.isascii() and key.isdecimal() and len(key) < 9 and int(key) < len(items):
                value = items[int(key)]
            elif key in object_of(value):
                value = value[key]
            else:
                self.lost.append(name)
                return None
        return value

    def take_lost(self) -> list[str]:
        """Return the references that led nowhere since this was asked last."""
        lost, self.lost = list(dict.fromkeys(self.lost)), []
        return lost
