"""Is an attempt honest? Its trajectory, its patch and the sandbox's record are searched for cheating.

- `_audit.py`     all detectors over an attempt · `_flag.py` their results
- `_actions.py`   a trajectory to commands, edits and what was shown · `_patch.py` what a patch adds
- `_commands.py` the commands of a text (`parsers.shell`), shells within shells, wrappers, scripts
- `_detector.py`  what a detector is · `_words.py` what several detectors need
- `detectors/`    a file for each kind of cheating, with its examples

A flag never changes a label: flags are shown and counted.
"""

from arena.audit._audit import audit, detectors, flag_names, read_trajectory
from arena.audit._flag import Flag, Severity

__all__ = ["Flag", "Severity", "audit", "detectors", "flag_names", "read_trajectory"]
