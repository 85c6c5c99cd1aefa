import http from 'k6/http';
import { check, fail, group } from 'k6';
import { SharedArray } from 'k6/data';
import { WORD, plain as fromFile } from './beside/lib.js';

const BASE = __ENV.BASE || 'http://127.0.0.1:8099';
const users = new SharedArray('users', () => JSON.parse(open('./beside/users.json')).users);
const JSON_HEADERS = { 'Content-Type': 'application/json', 'X-Case': 'every' };

export const options = { vus: 1, iterations: 1, batch: 1, userAgent: 'every/1' };

export function setup() {
  const res = http.post(`${BASE}/token`, JSON.stringify({ user: 'ü', pin: 1.5, on: true, none: null }), {
    headers: JSON_HEADERS,
  });
  return { token: res.json('token') };
}

export default function (data) {
  const auth = { headers: { Authorization: `Bearer ${data.token}` } };
  const res = http.get(`${BASE}/items`, auth);
  check(res, { ok: (r) => r.status === 200 });
  http.get(`${BASE}/items/${res.json('items.0.id')}?after=${res.json().token}`, auth);
  // Paths and queries that are not escaped as they should be.
  http.get(`${BASE}/a b/ü/"q"/%20/%7e~/it's(1)*!;=,@:$&+`);
  http.get(`${BASE}/s?q=a+b&y=%41|{}^\`[]&z=it's(1)*!;=,@:$+`);
  http.get(`${BASE}/hash?x=1#part`);
  http.get(`${BASE}?none=1`);
  http.get(BASE);
  http.get(http.url`${BASE}/users/${7}/of/${'a'}`);
  const user = users[(__VU - 1) % users.length];
  http.get(`${BASE}/users/${user.id}?n=${user.name}`);
  http.post(`${BASE}/users`, JSON.stringify(user), { headers: JSON_HEADERS });
  fromFile(BASE, WORD);
  // Forms.
  http.post(`${BASE}/form`, { z: 'x y', a: 2, ü: 'é&=+/?*~-_.!\'()', list: ['p', 'q'], b: true, e: '' });
  http.post(`${BASE}/form`, { a: 'b' }, { headers: { 'content-type': 'text/plain' } });
  http.put(`${BASE}/text`, 'plain {text}\nof two lines', { headers: { 'X-Odd': 'a {b}' } });
  http.patch(`${BASE}/json`, JSON.stringify({ list: [1, 'two', { three: 3 }], text: 'a"b\\c\n' }), {
    headers: JSON_HEADERS,
  });
  http.post(`${BASE}/empty`);
  http.post(`${BASE}/null`, null, { headers: { 'X-Null': '1' } });
  http.del(`${BASE}/items/5`);
  http.del(`${BASE}/items/6`, 'why', { headers: { 'x-lower': 'Low' } });
  http.head(`${BASE}/head`);
  http.options(`${BASE}/options`);
  http.request('GET', `${BASE}/request`, null, { cookies: { one: '1', two: { value: '2', replace: true } } });
  http.request('POST', `${BASE}/request`, 'body', { headers: { 'X-Number': 5 } });
  http.get(`${BASE}/redirect`);
  http.get(`${BASE}/redirect/not`, { redirects: 0, tags: { name: 'not' } });
  http.post(`${BASE}/redirect/post`, 'gone');
  http.get(`${BASE}/login/cookie`);
  group('with a cookie', () => {
    http.get(`${BASE}/with`);
    http.get(`${BASE}/with/own`, { cookies: { own: 'o' } });
    http.get(`${BASE}/with/same`, { cookies: { sid: 'mine' } });
    http.get(`${BASE}/with/header`, { headers: { Cookie: 'raw=1' } });
  });
  http.batch([
    ['GET', `${BASE}/batch/1`],
    `${BASE}/batch/2`,
    { method: 'POST', url: `${BASE}/batch/3`, body: { a: 'b' }, params: { headers: { 'X-B': 'b' } } },
  ]);
  http.batch({ named: `${BASE}/batch/4`, other: ['PUT', `${BASE}/batch/5`, 'x'] });
  // Branches that answers decide.
  const first = http.get(`${BASE}/branch/1`);
  if (first.status === 200 && first.json().token === 't-77') {
    http.get(`${BASE}/branch/of/${first.json().items[0].id}/${first.status}`);
  } else {
    http.get(`${BASE}/branch/never`);
  }
  const other = http.get(`${BASE}/branch/2`);
  if (other.json('items.0.id') > 7 || !other.body.includes('"ok": true')) {
    http.get(`${BASE}/branch/never`);
  } else if (other.json().ok === true && check(first, { ok: (r) => r.status === 200 })) {
    http.get(`${BASE}/branch/ok`);
  }
  if (other.status >= 400) fail('no answer');
  if (!check(other, { ok: (r) => [200, 201].includes(r.status) })) return;
  http.get(`${BASE}/branch/behind`);
  if (first.status < 400) { return; }
  http.get(`${BASE}/branch/never`);
}
