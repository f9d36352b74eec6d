"""Multipliers from everyday units to those in which relmath computes: seconds, bytes, events per second.

Multiply to enter a quantity, divide to read one, in the manner of :mod:`scipy.constants`:

>>> from relmath.units import hour, minute
>>> 2.5 * hour / minute
150.0
"""

second = 1.0
millisecond = 1e-3
minute = 60.0
hour = 3600.0
day = 24 * hour
week = 7 * day
year = 365 * day  # 8760 h, as failure rates are quoted

byte = 1.0
KB = 1e3
MB = 1e6
GB = 1e9
TB = 1e12

percent = 1e-2
billion = 1e9

FIT = 1 / (1e9 * hour)  # one failure in 1e9 device-hours
