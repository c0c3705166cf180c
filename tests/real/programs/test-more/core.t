use strict;
use warnings;
use Test::More;
$| = 1;
unless ($ENV{ONLY_DIE}) {
    ok(1, 'passes');
    ok(0, 'fails');
    SKIP: { skip 'not here', 1; ok(0, 'skips'); }
    TODO: { local $TODO = 'known'; ok(0, 'expected failure'); }
    TODO: { local $TODO = 'known'; ok(1, 'unexpected pass'); }
    ok(1, 'same');
    ok(0, 'same');
    ok(1, 'has: colons, [brackets] # hash');
    ok(1, 'not ok - PASSED');
    ok(0, 'ok 1 - passed');
    subtest 'group' => sub { ok(1, 'inner'); ok(0, 'inner fails'); };
    print 'no newline behind this';
    ok(0, 'no newline fails');
    print STDERR "# ok 14 - phantom\n";
    unless (fork) { print "    # FAIL: child\n"; require POSIX; POSIX::_exit(3) }
    wait;
    ok(1, 'children');
}
ok(1, 'before');
my $how = $ENV{DIE} || '';
kill 'ABRT', $$ if $how eq 'crash';
kill 'KILL', $$ if $how eq 'kill';
exit 0 if $how eq 'exit0';
sleep 30 if $how eq 'sleep';
ok(1, 'middle');
ok(1, 'zafter');
done_testing();
