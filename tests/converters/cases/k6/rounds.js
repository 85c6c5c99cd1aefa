import http from 'k6/http';
import { sleep } from 'k6';

const BASE = 'http://127.0.0.1:8099';

export const options = { vus: 1, iterations: 1 };

export default function () {
  let res = http.get(`${BASE}/job/while`);
  const first = res;
  while (res.json().state !== 'done') {
    sleep(0.01);
    res = http.get(`${BASE}/job/while`);
  }
  if (first.json().state === 'busy') http.get(`${BASE}/first-was-busy`);
  do {
    res = http.get(`${BASE}/job/do`);
  } while (res.json().n < 4);
  http.get(`${BASE}/after/${res.json().n}`);
  for (let i = 0; i < 10; i++) {
    const inner = http.get(`${BASE}/job/for`);
    if (inner.json().state === 'done') break;
    sleep(0.01);
  }
  for (let i = 1; i <= 2; i += 1) {
    const inner = http.get(`${BASE}/job/bounded`);
    if (inner.json('state') === 'done') {
      console.log('never');
      break;
    }
  }
  let tries = 5;
  do {
    tries -= 1;
    res = http.get(`${BASE}/job/tries`);
    http.get(`${BASE}/job/beside`);
  } while (tries > 0 && res.json().state !== 'none');
  while (true) {
    res = http.get(`${BASE}/job/true`);
    if (res.json().n >= 2) { break; }
  }
  let done = http.get(`${BASE}/job/bounded`);
  while (done.json().state !== 'done') {
    done = http.get(`${BASE}/never`);
  }
  if (res.status === 200) {
    do { res = http.get(`${BASE}/job/within`); } while (res.json().state === 'busy');
    http.get(`${BASE}/behind`);
  }
  http.get(`${BASE}/end`);
}
