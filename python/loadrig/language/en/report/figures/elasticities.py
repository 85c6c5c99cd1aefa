class ElasticityFigureTexts:
    """Sentences about what moved and what did not."""

    moves_nothing = "moves nothing"
    shares = "shares"
    limits = "limits"
    follows = "follows one to one"
    title = "What moves it: capacities"
    elasticities = "Elasticities"
    gains_title = "What moves it: settings and load"
    gains = "Gains"
    about_gains = (
        "Settings and shapes of the load, tried in trials of their own: the outcome with the change"
        " over that without, on a scale of ratios; ×1 is no change. Dot: estimate; bar: 95 % interval."
    )
    changed = "changed"
    by = "so"
    elasticity = "elasticity"
    elasticity_meaning = "By how much the outcome follows the capacity, in logarithms: 1 is one to one."
    gain = "gain"
    gain_meaning = "The outcome with the change over that without."
    without = "without"
    with_change = "with"
    blocks = "blocks"
    blocks_meaning = "Blocks in which both were measured, in shuffled order."
    how = "how"
    while_load_ran = "while load ran"
    in_own_trials = "in trials of its own"
    says = "says"

    def about(self, limits: str, cleared: str) -> str:
        return (
            "By how much the outcome follows what was changed: 1, it is the limit; 0, it has nothing to"
            f" do with it. Dot: estimate; bar: 95 % interval. What lies wholly beyond {limits} limits,"
            f" wholly below {cleared} it moves nothing; a bar across an edge is not sure."
        )

    def measured(self, measure: str, better: str) -> str:
        return f"{measure}, {better}"

    def measured_between(self, measured: str, unchanged: str, changed: str) -> str:
        return f"{measured}: {unchanged} to {changed}"
