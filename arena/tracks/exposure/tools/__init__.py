"""Further detectors beside ours: each scans a folder of programs once, and gives alerts.

bandit.py   Bandit                          semgrep.py  Semgrep with a user's rules
codeql.py   CodeQL, where it is installed   sarif.py    a report that a tool wrote elsewhere
tool.py     any command that writes SARIF   _tool.py    what a tool is, and what it gives
_rules.py   which rule is about which of our weaknesses  _panel.py  ours and tools over the same programs
_joining.py the joint verdict of several
"""
