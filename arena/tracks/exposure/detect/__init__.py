"""A kind of weakness in each file: is this program vulnerable, safe, or has it no sink for it?

A file's `PLUGIN` is a `Detector` (`_detector.py`), which brings its examples; names are looked up by
`parsers.registry`, and scenarios name their detector.
"""
