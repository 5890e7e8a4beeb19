import type { Route } from './route.js';

/** Redirects browsers from a path for programs to the page about it. For programs, nothing changes. */
export const leadsTo = (page: string, path: string): Route => ({
  path,
  leadsTo: page,
  methods: ['GET', 'HEAD'],
  accepts: 'text/html',
  public: true,
  handle: () => ({ status: 303, headers: { Location: page } }),
});
