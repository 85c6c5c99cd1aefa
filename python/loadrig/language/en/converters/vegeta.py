"""Sentences of the converter `vegeta` in English: what became of its targets."""


class ConvertersVegetaTexts:
    files = "targets (http or json)"
    rate = "the rate"
    rate_of_command = "it stands on vegeta's command line; 50/s is its default"
    no_body_file = "no such file lies in the folder of the targets or below, or it is too large"
    no_target = "it is no target"
    no_header_line = "it is no header of a target"
    mend_target = "write METHOD URL, and NAME: VALUE and @FILE on lines of their own, or an object a line"
