"""All sabotages, family by family."""

from tests.sabotage import answers, clocks, connections, cores, plans, rates, records
from tests.sabotage.harness import Sabotage

SABOTAGES: tuple[Sabotage, ...] = (
    *cores.SABOTAGES,
    *connections.SABOTAGES,
    *rates.SABOTAGES,
    *answers.SABOTAGES,
    *plans.SABOTAGES,
    *clocks.SABOTAGES,
    *records.SABOTAGES,
)
