"""Help of the commands in the language of this process.

The English text of a command and of its options stands in the command's file, beside what it describes.
"""

from loadrig.language.choice import ENGLISH, language


def page(command: str, english: str) -> str:
    """Return the help of a command; English where there is no other: the command of another package."""
    if language() == ENGLISH:
        return english
    from loadrig.language.ko.commands import PAGES

    return PAGES.get(command, english)


def option_help(command: str, option: str, english: str) -> str:
    """Return the help of an option. option: its longest name, or that of an argument."""
    if language() == ENGLISH:
        return english
    from loadrig.language.ko.options import OPTIONS

    return OPTIONS.get(f"{command} {option}") or OPTIONS.get(option, english)
