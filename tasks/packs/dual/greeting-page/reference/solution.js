'use strict';

const http = require('http');

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escape = (text) => text.replace(/[&<>"']/g, (c) => ENTITIES[c]);

function page(name, from, colour, site) {
  const data = JSON.stringify({ name, from }).replace(/</g, '\\u003c');
  const link = site ? `<a href="${escape(site)}">Visit us</a>` : '';
  return `<!doctype html>
<html><head><meta charset="utf-8"><title>A card</title></head><body>
<h1 style="color: ${colour}">Hello, ${escape(name)}!</h1>
<p title="From ${escape(from)}">A card for you.</p>${link}
<script type="application/json" id="card">${data}</script>
</body></html>`;
}

function wrongField(name, from, colour, site) {
  const length = [...name].length;
  if (length < 1 || length > 80) return 'name';
  if ([...from].length > 80) return 'from';
  if (!/^[a-z]{1,20}$/.test(colour)) return 'colour';
  if (site && !/^https?:\/\/[!-~]{1,200}$/.test(site)) return 'site';
  return '';
}

http
  .createServer((request, response) => {
    const url = new URL(request.url, 'http://localhost');
    const asked = (name, other) => url.searchParams.get(name) ?? other;
    const fields = [asked('name', ''), asked('from', 'a friend'), asked('colour', 'black'), asked('site', '')];
    if (request.method !== 'GET' || url.pathname !== '/card') {
      response.writeHead(404).end();
      return;
    }
    const wrong = wrongField(...fields);
    if (wrong) {
      response.writeHead(400, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ error: wrong }));
      return;
    }
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' });
    response.end(page(...fields));
  })
  .listen(Number(process.env.PORT), '127.0.0.1');
