"""What a chapter's cells use: checks of derivations, claims of the ledger, explorers, figures and the notation."""

from relmath.notebook import figures
from relmath.notebook.agree import agree
from relmath.notebook.bits import BitExplorer
from relmath.notebook.claims import claim
from relmath.notebook.explorer import Curve, Explorer, Readout, Slider, Validity
from relmath.notebook.notation import symbols

__all__ = ["BitExplorer", "Curve", "Explorer", "Readout", "Slider", "Validity", "agree", "claim", "figures", "symbols"]
