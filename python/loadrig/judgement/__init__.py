"""From the account to what limits the server: full resources, who holds them, and what a mend would bring.

Account -> resources (`resources`) -> a network of them fitted to what was measured (`network`) ->
bottlenecks, each with a gain (`bottlenecks`) -> their place among the findings of the causes (`rank`). All
of it is a pure function of one case and one account, and no cause knows another: what waits for a full
resource gains nothing from being widened, by the arithmetic of the network alone.
"""
