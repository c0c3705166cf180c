// Intervals and paired tests: the same formulas as arena/report/leaderboard.py and statistics.py.

const Z = 1.959963984540054;
const TINY = 1e-12;
const KS = [1, 2, 3, 5, 10, 20, 50, 100];
const SMALL = 32;
const WIDE = 2 ** 26;
const MAX_DRAWN = 500;
const DRAWS = 2000;
const SEED = 20260;
const MAX_EXACT = 250_000;

/** Wilson's score interval (Wilson, 1927) of a share p of n trials; n may be a real number. [low, high] */
export function wilson(p, n) {
  const square = Z * Z;
  const middle = (p + square / (2 * n)) / (1 + square / n);
  const half = (Z / (1 + square / n)) * Math.sqrt((p * (1 - p)) / n + square / (4 * n * n));
  return [p === 0 ? 0 : Math.min(p, Math.max(0, middle - half)), p === 1 ? 1 : Math.max(p, Math.min(1, middle + half))];
}

/**
 * What is summed over tasks to know a rate and how tasks vary: of each task x (hits, or a sum of scores) and n (attempts).
 * Kept as sums, because 100,000 tasks of columns must not become lists.
 */
export class Sums {
  tasks = 0; n = 0; x = 0; xx = 0; xn = 0; nn = 0;

  /** A task, or `times` tasks that are the same. */
  add(x, n, times = 1) {
    this.tasks += times;
    this.n += n * times;
    this.x += x * times;
    this.xx += x * x * times;
    this.xn += x * n * times;
    this.nn += n * n * times;
  }

  /** Hits of a task whose attempts are added later, by `over`; a task without hits need not be told. */
  hit(x, n) {
    this.x += x;
    this.xx += x * x;
    this.xn += x * n;
  }

  /** The tasks and attempts of others, for hits that were told before. */
  over({ tasks, n, nn }) {
    Object.assign(this, { tasks, n, nn });
  }

  get share() {
    return Math.min(1, this.x / this.n);
  }

  /**
   * How many independent trials the tasks are worth (Cochran, 1977; Rao & Scott, 1992; Korn & Graubard, 1998), as
   * `effective_size` of arena/report/clusters.py; at most `most`.
   */
  size(most) {
    const p = this.share;
    if (p === 0 || p === 1) return this.tasks;
    if (this.tasks === 1) return 1;
    const squares = this.xx - 2 * p * this.xn + p * p * this.nn;
    const v = ((this.tasks / (this.tasks - 1)) * squares) / (this.n * this.n);
    if (v < TINY) return most === Infinity ? this.n : most;
    return Math.min(most, (p * (1 - p)) / v);
  }

  /** The 95 % interval of the share of attempts that are hits; null without attempts. */
  interval() {
    return this.n ? wilson(this.share, this.tasks === this.n ? this.n : this.size(this.n)) : null;
  }

  /** The mean of scores from 0 to 1, {value, low, high, n}; null without scores. */
  mean() {
    return this.n ? around(this.share, this.size(Infinity), this.n) : null;
  }
}

function around(value, size, n) {
  const [low, high] = wilson(value, size);
  return { value, low, high, n };
}

/** How many tasks have the same two numbers. Most are small, and counted in a table. */
export class Counter {
  small = new Uint32Array(SMALL * SMALL);
  large = new Map();

  add(n, c) {
    if (n < SMALL) this.small[n * SMALL + c] += 1;
    else this.large.set(n * WIDE + c, (this.large.get(n * WIDE + c) ?? 0) + 1);
  }

  /** [n, c, tasks] of all that were added. */
  entries() {
    const found = [...this.large].map(([key, times]) => [Math.floor(key / WIDE), key % WIDE, times]);
    this.small.forEach((times, key) => times && found.push([Math.floor(key / SMALL), key % SMALL, times]));
    return found;
  }
}

/**
 * pass@k by k: the mean over the tasks that have k attempts or more, as `pass_at` of arena/report/passk.py.
 * counts: a Counter of (attempts, good ones) of tasks.
 */
export function passRates(counts) {
  const tasks = counts.entries();
  const most = tasks.reduce((found, [n]) => Math.max(found, n), 0);
  const found = {};
  for (const k of KS.filter((k) => k <= most)) {
    const sums = new Sums();
    let attempts = 0;
    for (const [n, c, times] of tasks) {
      if (n < k) continue;
      sums.add(passAt(n, c, k), 1, times);
      attempts += n * times;
    }
    found[k] = around(sums.share, sums.tasks === attempts ? attempts : sums.size(attempts), sums.tasks);
  }
  return found;
}

const logs = [0];
function logFactorial(n) {
  for (let k = logs.length; k <= n; k++) logs.push(logs[k - 1] + Math.log(k));
  return logs[n];
}

/** Exact two-sided p of McNemar's test: discordant pairs under a fair coin. */
export function mcnemar(onlyFirst, onlySecond) {
  const n = onlyFirst + onlySecond;
  const few = Math.min(onlyFirst, onlySecond);
  let tail = 0;
  for (let k = 0; k <= few; k++) {
    tail += Math.exp(logFactorial(n) - logFactorial(k) - logFactorial(n - k) - n * Math.LN2);
  }
  return n ? Math.min(1, 2 * tail) : 1;
}

/**
 * Two-sided p of the sign-flip test over tasks (Fisher, 1935), as `sign_flip` of arena/report/permutation.py: all signs
 * are counted up to 250,000 steps (tasks times the largest sum); beyond, a normal distribution with the same variance.
 */
export function signFlip(differences) {
  const sizes = differences.filter((d) => d).map(Math.abs);
  const [seen, most] = [Math.abs(differences.reduce((sum, d) => sum + d, 0)), sizes.reduce((sum, d) => sum + d, 0)];
  if (sizes.length * most > MAX_EXACT) return tails((seen - 1) / Math.sqrt(sizes.reduce((sum, d) => sum + d * d, 0)));
  let ways = Float64Array.from({ length: 2 * most + 1 }, (_, sum) => Number(sum === most));
  let reach = 0;
  for (const size of sizes) {
    const after = new Float64Array(ways.length);
    for (let sum = most - reach; sum <= most + reach; sum++) {
      after[sum - size] += ways[sum] / 2;
      after[sum + size] += ways[sum] / 2;
    }
    ways = after;
    reach += size;
  }
  return Math.min(1, ways.reduce((far, share, sum) => (Math.abs(sum - most) >= seen ? far + share : far), 0));
}

/** The share of a standard normal distribution that is z or more from 0 (Abramowitz & Stegun, 1964, 7.1.26: to 1e-7). */
function tails(z) {
  if (z <= 0) return 1;
  const t = 1 / (1 + (0.3275911 * z) / Math.SQRT2);
  const sum = [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592].reduce((found, part) => (found + part) * t, 0);
  return sum * Math.exp((-z * z) / 2);
}

/** pass@k without bias: 1 - C(n-c,k)/C(n,k) (Chen et al., 2021); c of n attempts are good, n >= k. */
function passAt(n, c, k) {
  let missed = 1;
  for (let i = 0; i < k; i++) missed *= Math.max(0, n - c - i) / (n - i);
  return 1 - missed;
}

/** The i-th of many tasks that are drawn: the finaliser of MurmurHash3 (Appleby), as `arena/report/difference.py` has it. */
function picked(i, tasks) {
  let mixed = (Math.imul(i, 0x9e3779b1) + SEED) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35) >>> 0;
  mixed = (mixed ^ (mixed >>> 16)) >>> 0;
  return Math.floor((mixed * tasks) / 4294967296);
}

/**
 * The 95 % interval of (sum over) / (sum under), each of a task: `arena/report/difference.py` once more, to the last digit.
 * null with fewer than two tasks: one says nothing of how tasks vary.
 */
export function ratioInterval(over, under) {
  if (over.length < 2) return null;
  const shares = new Set(over.map((x, t) => x / under[t]));
  if (shares.size === 1) return alike([...shares][0], over.length);
  return over.length > MAX_DRAWN ? normal(over, under) : bootstrap(Float64Array.from(over), Float64Array.from(under));
}

/** All tasks alike leave room for others in at most `rest` of all (Wilson), which could differ by up to 1 either way. */
function alike(share, tasks) {
  const rest = 1 - wilson(1, tasks)[0];
  return [-1, 1].map((end) => share * (1 - rest) + end * rest);
}

function normal(over, under) {
  const ratio = sum(over) / sum(under);
  const squares = over.reduce((found, x, t) => found + (x - ratio * under[t]) ** 2, 0);
  const half = (Z * Math.sqrt((over.length / (over.length - 1)) * squares)) / sum(under);
  return [Math.max(-1, ratio - half), Math.min(1, ratio + half)];
}

function sum(values) {
  return values.reduce((found, value) => found + value, 0);
}

function bootstrap(over, under) {
  const tasks = over.length;
  const found = new Float64Array(DRAWS);
  for (let d = 0; d < DRAWS; d++) {
    let [a, b] = [0, 0];
    for (let t = 0; t < tasks; t++) {
      const drawn = picked(d * tasks + t, tasks);
      a += over[drawn];
      b += under[drawn];
    }
    found[d] = a / b;
  }
  found.sort();
  return [quantile(found, 0.025), quantile(found, 0.975)];
}

/** The value below which that share of the ranked values falls, linear between ranks. */
function quantile(ranked, share) {
  const position = share * (ranked.length - 1);
  const below = Math.floor(position);
  const above = Math.min(below + 1, ranked.length - 1);
  return ranked[below] + (ranked[above] - ranked[below]) * (position - below);
}
