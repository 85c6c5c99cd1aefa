"""From what a trial recorded to what limits the server: one room of judgement.

Facts of a trial (`facts`) and what is wrong with it (`harms`) -> causes that stand by signs of their own or
by a counter (`causes`, one file each, weighed by `diagnose`) -> resources that are full, who holds them, and
what a mend would bring (`limits`, a network of queues fitted to the account) -> findings in the order of
their gains (`rank`), in words (`words`). All of it is a pure function of one case, and a case is a pure
function of a trial's folder. No cause knows another: what waits for a full resource gains nothing from being
widened, by the arithmetic of the network alone. What a long run or a spike came to is judged in `soak`, what
results of experiments show in `experiments`.
"""
