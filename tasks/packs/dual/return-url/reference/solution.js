'use strict';

const PLACE = /^\/(?!\/)[!-[\]-~]*$/;
const LONGEST = 2000;

function returnTarget(next) {
  return next.length <= LONGEST && PLACE.test(next) ? next : '/';
}

module.exports = { returnTarget };
