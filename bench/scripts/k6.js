// What k6 is asked to do: MODEL closed (users without pause), open (a fixed rate) or one (one request).
import http from 'k6/http';

const asked = __ENV;
const connections = parseInt(asked.CONNECTIONS || '1');
const duration = `${asked.SECONDS || '1'}s`;
const models = {
  closed: { executor: 'constant-vus', vus: connections, duration },
  open: {
    executor: 'constant-arrival-rate', rate: parseInt(asked.RATE || '1'), timeUnit: '1s', duration,
    preAllocatedVUs: connections, maxVUs: connections,
  },
  one: { executor: 'per-vu-iterations', vus: 1, iterations: 1 },
};

export const options = {
  scenarios: { load: { ...models[asked.MODEL], gracefulStop: '1s' } },
  insecureSkipTLSVerify: true,
  discardResponseBodies: true,
  summaryTrendStats: ['med', 'p(90)', 'p(95)', 'p(99)', 'p(99.9)', 'max'],
};

export default function () {
  http.get(asked.URL);
}
