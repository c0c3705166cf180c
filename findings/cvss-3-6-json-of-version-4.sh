#!/bin/sh
# cvss 3.6, the library for CVSS vectors: what `as_json()` gives for version 4 is another form than for version 3. For 3.1
# it is FIRST's (`version` "3.1", `baseSeverity` "CRITICAL", `baseScore` of the base metrics alone). For 4.0 `version` is
# "4", `baseSeverity` is "Critical", FIRST's key `attackRequirements` is `attackRequirement`, and `baseScore` is the
# score of the whole vector: one with threat and environmental metrics that take all impact away has a base score of 0.0,
# where the base metrics alone give 9.3.
# Seen: "3.1 CRITICAL 9.8" for both vectors of version 3; "4 Critical 9.3" and "4 None 0.0" for those of version 4.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check cvss==3.6
cat >read.py <<'READ'
from cvss import CVSS3, CVSS4

THREE = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"
FOUR = "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N"
for read, vector in (
    (CVSS3, THREE),
    (CVSS3, f"{THREE}/MC:N/MI:N/MA:N"),
    (CVSS4, FOUR),
    (CVSS4, f"{FOUR}/MVC:N/MVI:N/MVA:N"),
):
    facts = read(vector).as_json()
    key = [name for name in facts if name.startswith("attackRequirement")]
    print(facts["version"], facts["baseSeverity"], facts["baseScore"], *key)
READ
seen=$(env/bin/python read.py)
echo "$seen"
[ "$seen" = "3.1 CRITICAL 9.8
3.1 CRITICAL 9.8
4 Critical 9.3 attackRequirement
4 None 0.0 attackRequirement" ]
