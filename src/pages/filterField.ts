import { type Html, html } from './html.js';

/** The script that filters. */
export const filterScript = '/pages/filter.js';

/** A field that filters the page by what its headings and entries are named. */
export const filterField = (what: string): Html => html`<p class="filter needs-script" role="search" hidden>
<label class="unseen" for="filter">Filter: ${what}</label>
<input type="search" id="filter" placeholder="Filter: ${what}" autocomplete="off" spellcheck="false">
<span id="filter-outcome" class="quiet" role="status"></span></p>
`;
