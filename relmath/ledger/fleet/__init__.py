"""Claims of source B on how a fleet is kept healthy: a module a chapter of the part *fleet*."""

from relmath.ledger.fleet import admission, closed_loop, detection, gangs, objectives, remediation, retries, sharing

CHAPTERS = (detection, remediation, admission, gangs, retries, objectives, sharing, closed_loop)
CLAIMS = tuple(claim for chapter in CHAPTERS for claim in chapter.CLAIMS)
