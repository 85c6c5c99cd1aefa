import http from 'k6/http';
import { check, sleep, group } from 'k6';
import { x } from './lib.js';
const BASE = __ENV.BASE || 'http://127.0.0.1:8000';
const H = { headers: { 'Content-Type': 'application/json', 'X-A': "a{b}" }, tags: { name: 'buy' } };
export const options = {
  stages: [{ duration: '30s', target: 10 }, { duration: '1m', target: 0 }],
  thresholds: { http_req_duration: ['p(95)<500'], http_req_failed: ['rate<0.01'], checks: ['rate>0.9'] },
};
export function setup() {
  const res = http.post(`${BASE}/login`, JSON.stringify({ user: 'u', pin: 1 }), H);
  return { token: res.json('token') };
}
export default function (data) {
  const res = http.get(`${BASE}/items?q=a b`, { headers: { Authorization: `Bearer ${data.token}` } });
  check(res, { 'ok': (r) => r.status === 200, 'fast': r => r.timings.duration < 500, 'odd': (r) => r.body.length > 3 });
  sleep(1 + 0.5);
  group('cart', () => {
    const made = http.post(BASE + '/cart', { item: 'x y', n: 2 });
    http.get(`${BASE}/cart/${made.json().id}`);
    sleep(Math.random() * 2 + 1);
  });
  http.batch([['GET', `${BASE}/1`], `${BASE}/2`]);
  if (Math.random() > 0.5) { http.get(`${BASE}/never`); }
  http.get(`${BASE}/t/${Date.now()}`);
}
