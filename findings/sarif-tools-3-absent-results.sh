#!/bin/sh
# sarif-tools 3.0.5 counts what SARIF 2.1.0 says is no present problem: a result that a comparison marked as gone
# (`baselineState` "absent") and one that the source suppresses are errors as any other in `summary`, and `--check error`
# fails for them. A result that names its rule by `ruleIndex` alone, which the format allows, ends the command with a
# KeyError.
# Seen: "error: 2", exit code 2 of the check, "KeyError: 'ruleId'".
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check sarif-tools==3.0.5
cat >write.py <<'WRITE'
import json
import sys

rules = [{"id": "R1", "defaultConfiguration": {"level": "error"}}]
place = {"physicalLocation": {"artifactLocation": {"uri": "a.c"}, "region": {"startLine": 1}}}
results = {
    "gone.sarif": [
        {"ruleId": "R1", "baselineState": "absent"},
        {"ruleId": "R1", "suppressions": [{"kind": "inSource"}]},
    ],
    "index.sarif": [{"ruleIndex": 0}],
}
for name, of_file in results.items():
    whole = [{"message": {"text": "m"}, "locations": [place], **result} for result in of_file]
    run = {"tool": {"driver": {"name": "t", "rules": rules}}, "results": whole}
    with open(name, "w") as file:
        json.dump({"version": "2.1.0", "runs": [run]}, file)
WRITE
python3 write.py
env/bin/sarif summary gone.sarif >summary.txt
grep '^error' summary.txt
checked=0
env/bin/sarif --check error summary gone.sarif >/dev/null 2>&1 || checked=$?
echo "check: $checked"
by_index=$(env/bin/sarif summary index.sarif 2>&1 | tail -1)
echo "by index: $by_index"
grep -q '^error: 2$' summary.txt
[ "$checked" = 2 ]
[ "$by_index" = "KeyError: 'ruleId'" ]
