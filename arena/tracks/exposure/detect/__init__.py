"""One kind of weakness a file: is this program vulnerable, safe, or is there no place for it?

A file's `PLUGIN` is a `Detector` (`_detector.py`), which brings examples of its own; names are looked up by
`parsers.registry`, and scenarios name their detector.
"""
