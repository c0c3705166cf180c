'use strict';

const crypto = require('crypto');
const fs = require('fs');
const http = require('http');

const MOST = 20;
const baskets = new Map();
const usedVouchers = new Set();

class Refused extends Error {
  constructor(status, error) {
    super(error);
    this.status = status;
  }
}

const facts = () => JSON.parse(fs.readFileSync('shop.json', 'utf8'));
const own = (object, key) => (Object.hasOwn(object, key) ? object[key] : undefined);

async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8')) ?? {};
  } catch {
    return {};
  }
}

function basketOf(request) {
  const basket = baskets.get(request.headers['x-basket']);
  if (basket === undefined) throw new Refused(401, 'basket');
  return basket;
}

function openBasketOf(request) {
  const basket = basketOf(request);
  if (basket.ordered) throw new Refused(409, 'ordered');
  return basket;
}

function told(basket) {
  const { prices } = facts();
  const items = [...basket.items].sort();
  const goods = items.reduce((sum, [name, count]) => sum + prices[name] * count, 0);
  const total = goods - Math.floor((goods * basket.percent) / 100);
  return [200, { items: Object.fromEntries(items), total, ordered: basket.ordered }];
}

function begin() {
  const token = crypto.randomBytes(24).toString('base64url');
  baskets.set(token, { items: new Map(), percent: 0, ordered: false });
  return [201, { basket: token }];
}

function put(request, { count }, name) {
  const basket = openBasketOf(request);
  if (own(facts().prices, name) === undefined) throw new Refused(404, 'unknown');
  if (!Number.isInteger(count) || count < 0 || count > MOST) throw new Refused(400, 'count');
  if (count) basket.items.set(name, count);
  else basket.items.delete(name);
  return told(basket);
}

function voucher(request, { code }) {
  const basket = openBasketOf(request);
  const percent = typeof code === 'string' ? own(facts().vouchers, code) : undefined;
  if (percent === undefined || usedVouchers.has(code) || basket.percent) throw new Refused(400, 'voucher');
  usedVouchers.add(code);
  basket.percent = percent;
  return told(basket);
}

function order(request) {
  const basket = openBasketOf(request);
  if (!basket.items.size) throw new Refused(400, 'empty');
  basket.ordered = true;
  return told(basket);
}

const ROUTES = [
  [/^POST \/baskets$/, begin],
  [/^GET \/basket$/, (request) => told(basketOf(request))],
  [/^PUT \/basket\/items\/([a-z0-9-]{1,30})$/, put],
  [/^POST \/basket\/voucher$/, voucher],
  [/^POST \/basket\/order$/, order],
];

async function answer(request) {
  const asked = `${request.method} ${request.url.split('?')[0]}`;
  for (const [pattern, act] of ROUTES) {
    const fits = pattern.exec(asked);
    if (fits) return act(request, await bodyOf(request), fits[1]);
  }
  throw new Refused(404, 'unknown');
}

http
  .createServer(async (request, response) => {
    let [status, value] = [500, { error: 'service' }];
    try {
      [status, value] = await answer(request);
    } catch (error) {
      if (error instanceof Refused) [status, value] = [error.status, { error: error.message }];
      else console.error(error);
    }
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(value));
  })
  .listen(Number(process.env.PORT), '127.0.0.1');
