import { test } from 'vitest';
import { startServer } from '../../support/server.js';
import { createWorld } from '../../support/world.js';

const world = await createWorld();

test.concurrent.for([
  { what: "with an operator's database", DATABASE_URL: world.url },
  { what: 'that the network can reach', HOST: '0.0.0.0' },
  { what: 'that has a public address', PUBLIC_URL: 'https://goals.example.com' },
])('a server $what shows no token', async ({ what: _, ...settings }, { expect, onTestFinished }) => {
  const { base, stop } = await startServer(settings);
  onTestFinished(stop);
  for (const path of ['/', '/graphql']) {
    const response = await fetch(base + path, { headers: { accept: 'text/html' } });
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).toContain('npx goalpost token create');
    expect(text).not.toMatch(/gp_[\w-]{20}/);
  }
});

test.concurrent.for([{ what: 'as it is' }, { what: 'without GraphiQL', PAGES: 'start,docs,guide,history' }])(
  'a server $what opens a page at every address that it prints',
  async ({ what: _, ...settings }, { expect, onTestFinished }) => {
    const { announced, base, stop } = await startServer({ DATABASE_URL: world.url, ...settings });
    onTestFinished(stop);
    const addresses = Object.values(announced).filter((value) => String(value).startsWith('http'));
    expect(addresses).toHaveLength(3);
    for (const address of addresses) {
      const { status, headers } = await fetch(address, { headers: { accept: 'text/html,*/*;q=0.8' } });
      expect([address, status, headers.get('content-type')]).toEqual([address, 200, 'text/html; charset=utf-8']);
    }
    const icon = await fetch(`${base}/favicon.ico`, { headers: { accept: 'image/avif,image/webp,*/*;q=0.8' } });
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  },
);
