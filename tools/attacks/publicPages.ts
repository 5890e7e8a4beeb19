import type { Attack } from './attack.js';
import { flood } from './client.js';

const paths = ['/docs', '/schema.graphql', '/openapi.json', '/'];

export const publicPages: Attack = {
  title: 'nobody with a token opens the pages, on 50 connections without a pause',
  strike: (target) =>
    flood(target, 50, (number) => ({ path: paths[number % paths.length] ?? '/', headers: { accept: 'text/html' } }), 0),
};

export const longPaths: Attack = {
  title: 'nobody with a token asks for paths of 15,000 characters, on 50 connections without a pause',
  strike: (target) => flood(target, 50, (number) => ({ path: `/${'x'.repeat(15_000)}${number}` }), 0),
};

export const withoutToken: Attack = {
  title: 'from the address of the victim, requests without a token and with made-up ones, 50 connections, no pause',
  strike: (target) =>
    flood(target, 50, (number) => ({ body: '{}', token: number % 2 === 0 ? undefined : madeUp(number) }), 0),
};

const madeUp = (number: number) => `gp_${String(number).padStart(43, 'x')}`;
