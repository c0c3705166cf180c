const { describe, it, test } = require('node:test');
const assert = require('node:assert');
const child = require('node:child_process');

test('passes', () => {});
test('fails', () => assert.strictEqual(1, 2));
test('skips', { skip: 'not here' }, () => {});
test('expected failure', { todo: 'known' }, () => assert.strictEqual(1, 2));
test('same', () => {});
test('same', () => assert.strictEqual(1, 2));
test('has: colons, [brackets] # hash', () => {});
test('not ok - PASSED', () => {});
test('ok 1 - passed', () => assert.strictEqual(1, 2));
describe('group', () => {
  it('same', () => {});
  describe('inner', () => {
    it('fails', () => assert.strictEqual(1, 2));
  });
});
test('no newline fails', () => {
  process.stdout.write('no newline behind this');
  assert.strictEqual(1, 2);
});
test('forges', () => {
  console.log('ok 12 - phantom\n# Subtest: phantom');
  assert.strictEqual(1, 2);
});
test('children', () => {
  child.spawnSync('sh', ['-c', 'echo FAIL; exit 3'], { stdio: 'inherit' });
});
test('die before', () => {});
test('die middle', async () => {
  const how = process.env.DIE;
  if (how === 'crash') process.abort();
  if (how === 'kill') process.kill(process.pid, 'SIGKILL');
  if (how === 'exit0') process.exit(0);
  if (how === 'sleep') await new Promise((done) => setTimeout(done, 30000));
});
test('die slow', { timeout: 1000 }, async () => {
  if (process.env.DIE === 'slow') await new Promise((done) => setTimeout(done, 5000));
});
test('die zafter', () => {});
