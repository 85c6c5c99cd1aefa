"""Options that mean the same in every command that makes a load from a URL."""

import argparse


def add_switch(parser: argparse.ArgumentParser, name: str, text: str) -> None:
    """Add an option without a value. text: its help."""
    parser.add_argument(name, action="store_true", help=text)


def add_repeated(parser: argparse.ArgumentParser, names: str, metavar: str, text: str) -> None:
    """Add an option that may be given again, each time with one more value. names: with blanks between."""
    parser.add_argument(*names.split(), action="append", default=[], metavar=metavar, help=text)


def add_request(parser: argparse.ArgumentParser) -> None:
    """Add the options of the request, and of where it may go."""
    add = parser.add_argument
    add_repeated(parser, "-H --header", "'NAME: VALUE'", "a header; may be given again (default: none)")
    add("-m", "--method", metavar="METHOD", help="method (default: GET, or POST with -d)")
    add("-d", "--body", metavar="TEXT", help="body, or @FILE for a file's bytes (default: none)")
    add("-k", "--insecure", action="store_true", help="accept any certificate (default: check it)")
    add("-t", "--timeout", metavar="TIME", help="longest wait for an answer (default: 30s)")
    add_repeated(parser, "--allow", "HOST", "let traffic go to this host (default: this machine only)")
    add_repeated(
        parser,
        "--permit",
        "NAME",
        "let watching enter servers: node-inspector, jvm-attach, jvm-agent (default: none)",
    )


def add_goal(parser: argparse.ArgumentParser, example: str, default: str = "the plan's") -> None:
    """Add the option of the goals. example: one of them; default: what holds without it."""
    add_repeated(parser, "--goal", "GOAL", f"such as '{example}'; may be given again (default: {default})")


def add_of_plan_or_url(parser: argparse.ArgumentParser) -> None:
    """Add the options that every command has which takes a plan or a URL, behind its own options."""
    for add in (add_spacing, add_request, add_profile, add_seed, add_fleet, add_run):
        add(parser)


def add_spacing(parser: argparse.ArgumentParser) -> None:
    """Add the option that says how the requests of a rate are spaced."""
    parser.add_argument(
        "--arrivals",
        choices=("constant", "poisson"),
        help="space a rate's requests evenly, or at random as strangers come: poisson (default: constant)",
    )


def add_seed(parser: argparse.ArgumentParser) -> None:
    """Add the option that makes a run repeatable."""
    parser.add_argument(
        "--seed",
        metavar="N",
        help="seed of everything random, to repeat a run (default: the plan's, else a new one)",
    )


def add_fleet(parser: argparse.ArgumentParser) -> None:
    """Add the options that let several generators make the load, and say where those are."""
    parser.add_argument(
        "--fleet",
        metavar="N",
        help="generators that make the load together, each its part (default: the plan's, else one)",
    )
    parser.add_argument(
        "--fleet-ray",
        metavar="ADDRESS",
        help="Ray cluster for these: HOST:PORT, or auto for this machine's, else a new one (default: the "
        "plan's, else processes of this machine: the same load, ready sooner, in less memory)",
    )


def add_nodes(parser: argparse.ArgumentParser) -> None:
    """Add the option that lets trials run side by side."""
    parser.add_argument(
        "--nodes",
        metavar="N",
        help="nodes that run trials at the same time (default: the plan's, else one trial after the other)",
    )


def add_profile(parser: argparse.ArgumentParser) -> None:
    """Add the two options that say whether the server's CPU time is profiled."""
    add = parser.add_mutually_exclusive_group().add_argument
    add(
        "--profile",
        action="store_true",
        default=None,
        help="profile server and dependencies for 5 s each (default: in short bursts when nearly full)",
    )
    add(
        "--no-profile",
        dest="profile",
        action="store_false",
        help="profile nothing, not even in bursts (default: bursts)",
    )


def add_run(parser: argparse.ArgumentParser, folder: str = "runs/TIME-NAME") -> None:
    """Add the options of the run: where it is kept, and how it is shown.

    folder: the default, as a person reads it.
    """
    add = parser.add_argument
    add_out(parser, f"a folder where the run is kept (default: {folder}), or whom to tell, statsd=HOST:PORT")
    add_switch(parser, "--resume", "go on in --out, or in the newest run of the same (default: begin)")
    add("--json", action="store_true", help="print the result as JSON (default: a summary)")
    add_verbose(parser)
    add_ui(parser)
    add("--print-plan", action="store_true", help="print the equivalent plan and do nothing else")


class OutAction(argparse.Action):
    """Option that says where results go: FORMAT=PLACE is a receiver, and anything else the run's folder."""

    def __call__(self, _: object, namespace: argparse.Namespace, values: object, *__: object) -> None:
        """Keep a receiver beside those before it, and the last folder."""
        # A folder whose name looks so is written with a slash: ./a=b. So no misspelt format makes a folder.
        if str(values).partition("=")[0].replace("_", "").isalnum() and "=" in str(values):
            namespace.receivers = [*namespace.receivers, values]
        else:
            namespace.out = values


def add_out(parser: argparse.ArgumentParser, text: str) -> None:
    """Add the option that says where the run is kept, and whom it is told to meanwhile."""
    parser.set_defaults(receivers=[])
    parser.add_argument("-o", "--out", action=OutAction, metavar="FOLDER|FORMAT=PLACE", help=text)


def add_folder(parser: argparse.ArgumentParser) -> None:
    """Add the options of a plan's run: where it is kept, whom it is told to, and whether it goes on there."""
    add_out(parser, "the run's folder (default: runs/TIME-NAME), or whom to tell, such as statsd=HOST:PORT")
    add_switch(parser, "--resume", "go on in --out, or in the newest run of this plan (default: begin)")


def add_ui(parser: argparse.ArgumentParser) -> None:
    """Add the options that show a run in the browser or on the whole terminal."""
    add_switch(parser, "--ui", "watch and steer it in the browser meanwhile (default: terminal)")
    add_switch(parser, "--live", "watch it on the whole terminal meanwhile (default: a few lines)")


def add_verbose(parser: argparse.ArgumentParser) -> None:
    """Add the option that tells every warning."""
    add_switch(parser, "--verbose", "print every warning in full (default: their number)")
