from loadrig.base.error_words import ErrorWords

_LOOK_HERE = "look at this line and the one above: indentation, quotes, a missing colon or bracket"


class PlanYamlLibraryErrors:
    """Errors of `plan.yaml_library`. What the YAML library says is inserted as it is."""

    unreadable = "cannot be read"
    no_yaml = ErrorWords(what="the text is not YAML", mend=_LOOK_HERE)
    anchor_in_itself = ErrorWords(what="an anchor contains itself", mend=_LOOK_HERE)
    key_of_several_values = ErrorWords(what="a list or a mapping cannot be a key", mend=_LOOK_HERE)

    tab = "indent with spaces; YAML does not allow tabs there"
    hole_of_a_lab = "a lab fills in what stands in ${…}: loadrig lab run LAB:FILE runs a plan with its lab"
    unquoted_brace = 'quote a text that has { or } in it: get: "/search?q={word}"'
    unquoted_colon = "quote a text that has a colon and a space in it, or mend the indentation"
    unquoted_star = "quote a text that begins with *"
    second_document = "keep one plan a file: take the --- out"

    def unquoted_sign(self, sign: str) -> str:
        return f"quote the text that begins with {sign}"

    def not_yaml(self, message: str) -> ErrorWords:
        return ErrorWords(what=f"the text is not YAML: {message}", mend=_LOOK_HERE)

    def not_yaml_here(self, message: str, why: str, mend: str) -> ErrorWords:
        return ErrorWords(what=f"not YAML: {message}", mend=mend or _LOOK_HERE, why=why)

    def too_long(self, letters: int, most: int) -> ErrorWords:
        return self._too_much(f"the text has {letters:,} letters, and at most {most:,} are read")

    def too_many_aliases(self, most: int) -> ErrorWords:
        return self._too_much(f"aliases repeat more than {most:,} values here")

    def too_deep(self, most: int) -> ErrorWords:
        return self._too_much(f"lists and mappings lie within each other more than {most} deep")

    def _too_much(self, what: str) -> ErrorWords:
        return ErrorWords(what=what, mend="write long data into a file, and name it as a feed or a body_file")

    def key_twice(self, key: str, first_place: str, first_line: int, line: int) -> ErrorWords:
        return ErrorWords(
            what=f"{key} is written twice; first at {first_place}",
            mend=f"keep one of lines {first_line} and {line}",
        )

    def tag(self, tag: str) -> ErrorWords:
        return ErrorWords(
            what=f"{tag} is a YAML tag, and a plan is plain data",
            mend=f"leave {tag} out; quote a text that begins with !",
        )

    def forbidden_character(self, shown: str) -> ErrorWords:
        return ErrorWords(
            what=f"the character {shown} is not allowed in YAML",
            mend='leave it out, or write it as an escape in double quotes: "\\x07"',
        )
