"""Every checkable statement of the sources, recomputed: the book's ledger.

:data:`CLAIMS` holds the claims by id; a module a part of the book states them, :mod:`relmath.ledger.mechanism` says
what a claim is. ``python -m relmath ledger`` prints them.
"""

from relmath.ledger import availability, checkpoints, corruption, failures, fleet, recovery
from relmath.ledger.mechanism import Claim

SOURCES = {
    "A": "Reliability Foundations, an appendix of Machine Learning Systems, volume 2",
    "B": "Reliable GPU computing for large training and inference workloads",
    "Daly 2006": "A higher order estimate of the optimum checkpoint interval for restart dumps",
}
PARTS = (failures, checkpoints, recovery, availability, corruption, fleet)
CLAIMS: dict[str, Claim] = {claim.id: claim for part in PARTS for claim in part.CLAIMS}
