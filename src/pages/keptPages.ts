import { LRUCache } from 'lru-cache';
import { keptResponse } from '../http/compression.js';
import type { HttpResponse } from '../http/response.js';

/** A variant has up to 300 kB. Clients choose the host, which some pages show. */
const mostVariants = 16;

/** Renders a page once for each variant, and keeps the latest variants, compressed too: strangers ask for them. */
export class KeptPages {
  readonly #variants: LRUCache<string, Promise<HttpResponse>>;

  constructor(most = mostVariants) {
    this.#variants = new LRUCache({ max: most });
  }

  page(variant: string, render: () => HttpResponse | Promise<HttpResponse>): Promise<HttpResponse> {
    const known = this.#variants.get(variant);
    if (known) return known;
    const page = Promise.resolve().then(render).then(keptResponse);
    page.catch(() => this.#variants.delete(variant));
    this.#variants.set(variant, page);
    return page;
  }
}
