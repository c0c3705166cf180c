'use strict';

const fs = require('fs');

const lines = fs.readFileSync(0, 'utf8').split(/\r?\n|\r|\u2028/);
if (lines[lines.length - 1] === '') lines.pop();
const [pattern = '', ...titles] = lines;
const wanted = new RegExp('^' + pattern.replace(/\*/g, '.*').replace(/\?/g, '.') + '$', 'u');
for (const title of titles) {
  if (wanted.test(title)) process.stdout.write(title + '\n');
}
