"""Trees of scripts, by tree-sitter's grammars."""

from typing import Any


def tree_of(text: str, *, is_typescript: bool = False) -> Any:
    """Return the root of the tree of a script. Where the text is no script, the tree has an error."""
    # The grammars take time to load, and most files need none.
    from tree_sitter import Language, Parser

    if is_typescript:
        import tree_sitter_typescript

        language = tree_sitter_typescript.language_typescript()
    else:
        import tree_sitter_javascript

        language = tree_sitter_javascript.language()
    return Parser(Language(language)).parse(text.encode("utf-8", "surrogatepass")).root_node
