import type { Route } from './route.js';

/** Sends browsers from a path that is for programs to the page about it. Programs find there what they did without. */
export const leadsTo = (page: string, path: string): Route => ({
  path,
  leadsTo: page,
  methods: ['GET', 'HEAD'],
  accepts: 'text/html',
  public: true,
  handle: () => ({ status: 303, headers: { Location: page } }),
});
