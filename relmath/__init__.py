"""Reliability mathematics for GPU fleets.

Import modules, not names: ``from relmath import checkpoints`` reads as ``checkpoints.optimal(...)``.
Times are in seconds, sizes in bytes, rates per second; :mod:`relmath.units` holds the multipliers.
"""

__version__ = "0.1.0"
