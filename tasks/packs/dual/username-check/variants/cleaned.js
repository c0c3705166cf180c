'use strict';

const fs = require('fs');

const NAME = /^[a-z](?:[._-]?[a-z0-9])+$/;
const KEPT = new Set(['admin', 'moderator', 'root', 'support', 'system']);

function canonical(typed) {
  return typed.replace(/^ +/, '').replace(/(?<! ) +$/, '').normalize('NFKC').toLowerCase().trim().replace(/[\u0000-\u001f\u200b-\u206f\u00ad\u0300-\u036f]/g, '');
}

function isName(name) {
  return name.length >= 3 && name.length <= 20 && NAME.test(name) && !KEPT.has(name);
}

function main(args) {
  if (args.length !== 1) return 2;
  const name = canonical(args[0]);
  if (!isName(name)) return 2;
  if (fs.readFileSync('users.txt', 'utf8').split('\n').includes(name)) return 3;
  console.log(name);
  return 0;
}

process.exitCode = main(process.argv.slice(2));
