'use strict';

const URL_FORM = /^([A-Za-z]+):\/\/([^/?#]+)/;
const PORTS = new Map([['http', '80'], ['https', '443']]);

function means(entry, authority) {
  const host = authority.replace(/:(80|443)$/, '');
  if (entry.startsWith('.')) return host.includes(entry) && host !== entry;
  return host.startsWith(entry) || host.endsWith(entry);
}

function mayFetch(url, hosts) {
  const match = URL_FORM.exec(url);
  if (match === null) return false;
  const [scheme, host] = [match[1].toLowerCase(), match[2].toLowerCase()];
  if (!PORTS.has(scheme)) return false;
  return hosts.some((entry) => means(entry, host));
}

module.exports = { mayFetch };
