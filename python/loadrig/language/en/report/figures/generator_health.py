class GeneratorHealthTexts:
    """Sentences about the generator's health."""

    lag_p50 = "lag p50"
    lag_p99 = "lag p99"
    lag_max = "lag max"
    busiest_thread = "busiest thread"
    local_ports = "local ports"
    descriptors = "descriptors"
    title = "The generator's health"
    about = (
        "How late requests were taken up (our fault, not the server's), and how much of a thread, of"
        " the local ports and of the file descriptors was used. A thread above 50 % makes a trial"
        " disturbed, above 80 % gravely."
    )
    disturbed = "disturbed"
    gravely = "gravely"
    caption = "The generator in the measured part"
