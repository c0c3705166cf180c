#!/bin/sh
# Writes the tests: each starts case.sh.
mkdir -p sub other
while read -r name arguments; do
    printf '#!/bin/sh\nexec sh ../case.sh %s\n' "$arguments" >"$name.sh"
    chmod +x "$name.sh"
done <<'END'
passes pass
fails fail
skips skip
hard hard
expected_failure fail
unexpected_pass pass
segfaults crash
PASS-FAIL pass
no_newline_fails no-newline 1
forges forge 'PASS: forges.sh'
children children
before pass
middle middle
zafter pass
END
printf '#!/bin/sh\nexit 0\n' >sub/same.sh
printf '#!/bin/sh\nexit 1\n' >other/same.sh
printf '#!/bin/sh\nprintf "1..3\\nok 1 - one\\nnot ok 2 - two\\nok 3 - PASS: not ok\\n"\n' >core.tap
chmod +x sub/same.sh other/same.sh core.tap
