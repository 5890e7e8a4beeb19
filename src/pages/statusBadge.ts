import { type Html, html } from './html.js';

/** The status of a failure, in the colour of its class. */
export const statusBadge = (status: number): Html =>
  html`<span class="badge ${status < 500 ? 'client' : 'server'}">${status}</span>`;
