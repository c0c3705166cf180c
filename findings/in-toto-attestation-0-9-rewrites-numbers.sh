#!/bin/sh
# in-toto-attestation 0.9.3 holds a statement's predicate as a protobuf Struct, whose only number is a double. A statement
# that is read and written again has 3 as 3.0 and 9007199254740993 as 9007199254740992.0, so that a digest of what was
# signed, or a comparison with what was meant, no longer agrees.
# Seen: "predicate: {'calls': 3.0, 'id': 9007199254740992.0}".
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check in-toto-attestation==0.9.3 protobuf==6.33.0
cat >read.py <<'READ'
import json

from google.protobuf.json_format import MessageToJson, Parse
from in_toto_attestation.v1 import statement_pb2

text = json.dumps(
    {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": "patch", "digest": {"sha256": "a" * 64}}],
        "predicateType": "https://example.org/verdict",
        "predicate": {"calls": 3, "id": 9007199254740993},
    }
)
again = json.loads(MessageToJson(Parse(text, statement_pb2.Statement())))
print("predicate:", dict(sorted(again["predicate"].items())))

READ
seen=$(env/bin/python read.py)
echo "$seen"
[ "$seen" = "predicate: {'calls': 3.0, 'id': 9007199254740992.0}" ]
