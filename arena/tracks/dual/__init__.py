"""The track `dual`: does a program pass the functional *and* the security suite?

After DualGauge, with its metrics; verdicts come from what a program did wherever that can decide.
"""
