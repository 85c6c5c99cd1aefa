"""`loadrig completion SHELL`: what a shell needs to complete commands, options and their values."""

import argparse

from loadrig.base.exits import Exit

HELP = """
Print what a shell needs to complete commands, options, and names of members and of files.

  eval "$(loadrig completion bash)"                       in ~/.bashrc
  loadrig completion zsh > ~/.zfunc/_loadrig              a folder of $fpath, before compinit
  loadrig completion fish > ~/.config/fish/completions/loadrig.fish

The shell then asks loadrig itself, so that an update needs no new script.
"""

SHELLS = ("bash", "zsh", "fish")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the argument."""
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help="bash, zsh or fish")


def run(arguments: argparse.Namespace) -> int:
    """Print the script that a shell reads."""
    from argcomplete.shell_integration import shellcode

    print(shellcode(["loadrig"], shell=arguments.shell).rstrip("\n"))
    return Exit.FINE
