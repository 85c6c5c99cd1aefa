import http from 'k6/http';

const BASE = 'http://127.0.0.1:8099';
const PLACES = ['text', 'empty', 'zero', 'one', 'digit', 'no', 'yes', 'word', 'none', 'list', 'object', 'missing'];

export const options = { vus: 1, iterations: 1 };

export default function () {
  const res = http.get(`${BASE}/values`);
  for (const place of PLACES) {
    const value = res.json(place);
    if (value) http.get(`${BASE}/${place}/is-true`);
    if (!value) http.get(`${BASE}/${place}/is-not-true`);
    if (value === null) http.get(`${BASE}/${place}/is-null`);
    if (value !== null) http.get(`${BASE}/${place}/is-not-null`);
    if (value === undefined) http.get(`${BASE}/${place}/is-undefined`);
    if (value !== undefined) http.get(`${BASE}/${place}/is-not-undefined`);
    if (value == null) http.get(`${BASE}/${place}/is-nothing`);
    if (value != undefined) http.get(`${BASE}/${place}/is-something`);
    if (value === '') http.get(`${BASE}/${place}/is-empty`);
    if (value !== '') http.get(`${BASE}/${place}/is-not-empty`);
  }
  if (res.body) http.get(`${BASE}/body`);
  if (res.body.match(/"text": "(x*)a"/)) http.get(`${BASE}/match`);
  if (res.body.match(/"text": "(b)"/)) http.get(`${BASE}/no-match`);
  const page = http.get(`${BASE}/html/shop`);
  if (page.html().find('input[name=csrf]').attr('value')) http.get(`${BASE}/attribute`);
  if (page.html().find('input[name=q]').attr('value')) http.get(`${BASE}/empty-attribute`);
  if (page.html().find('input[name=csrf]').attr('title')) http.get(`${BASE}/no-attribute`);
  if (!page.html().find('input[name=none]').attr('value')) http.get(`${BASE}/no-element`);
  if (page.html().find('p').text()) http.get(`${BASE}/element`);
  if (page.html().find('q').text()) http.get(`${BASE}/no-text`);
}
