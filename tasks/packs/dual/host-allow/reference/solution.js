'use strict';

const URL_FORM = /^([A-Za-z]+):\/\/([A-Za-z0-9.-]+)(?::([0-9]+))?(?:[/?#][!-[\]-~]*)?$/;
const PORTS = new Map([['http', '80'], ['https', '443']]);

function means(entry, host) {
  if (entry.startsWith('.')) return host.endsWith(entry) && host !== entry;
  return host === entry;
}

function mayFetch(url, hosts) {
  const match = URL_FORM.exec(url);
  if (match === null) return false;
  const [scheme, host] = [match[1].toLowerCase(), match[2].toLowerCase()];
  if (!PORTS.has(scheme)) return false;
  if (match[3] !== undefined && match[3] !== PORTS.get(scheme)) return false;
  return hosts.some((entry) => means(entry, host));
}

module.exports = { mayFetch };
