#!/bin/sh
# inspect-ai 0.3.285 packs the members of an `.eval` log, a zip file, with method 93 (Zstandard), and adds that method to
# the `zipfile` of the process that imports it. So the same lines read a log in a program that has imported inspect_ai
# for something else, and raise NotImplementedError in one that has not (Python before 3.14). Whoever reads logs without it
# needs `json` logs (`--log-format json`), Python 3.14, or a Zstandard library beside it.
# Seen (Python 3.11): "alone: {93} NotImplementedError", "beside inspect_ai: {93} read".
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check inspect-ai==0.3.285
cat >write.py <<'WRITE'
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample

eval(Task([Sample("q")]), model="mockllm/model", log_dir="logs", log_format="eval", display="none")
WRITE
cat >read.py <<'READ'
import glob
import sys
import zipfile

if "beside" in sys.argv:
    import inspect_ai

(path,) = glob.glob("logs/*.eval")
with zipfile.ZipFile(path) as members:
    methods = {member.compress_type for member in members.infolist()}
    try:
        print(methods, "read" if members.read("header.json") else "empty")
    except NotImplementedError as error:
        print(methods, type(error).__name__)
READ
env/bin/python write.py
seen="alone: $(env/bin/python read.py)
beside inspect_ai: $(env/bin/python read.py beside)"
echo "$seen"
[ "$seen" = "alone: {93} NotImplementedError
beside inspect_ai: {93} read" ]
