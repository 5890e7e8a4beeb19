import ipaddr from 'ipaddr.js';

/** What WEBHOOK_ALLOW can open besides public addresses. Link-local ones, as of a cloud's metadata, are not among them. */
const openable = ['unicast', 'private', 'loopback', 'uniqueLocal', 'carrierGradeNat'];

/** IPv6 addresses that are given out at all. */
const globalUnicast = ipaddr.parseCIDR('2000::/3');

/** Which addresses webhooks may be sent to: public ones, and the ranges of WEBHOOK_ALLOW. */
export class OpenAddresses {
  readonly #ranges: ReturnType<typeof ipaddr.parseCIDR>[];

  constructor(allow: readonly string[]) {
    this.#ranges = allow.map((range) => ipaddr.parseCIDR(range));
  }

  /** Whether any range is open that is not public. */
  get hasRanges(): boolean {
    return this.#ranges.length > 0;
  }

  /** Whether it is open. Unencrypted requests reach only the ranges of WEBHOOK_ALLOW. */
  isOpen(address: string, { encrypted }: { encrypted: boolean }): boolean {
    if (!ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address); // turns an IPv4 address written as IPv6 into IPv4
    if (!openable.includes(parsed.range())) return false;
    if (this.#ranges.some((range) => parsed.kind() === range[0].kind() && parsed.match(range))) return true;
    return encrypted && isPublic(parsed);
  }
}

const isPublic = (address: ReturnType<typeof ipaddr.process>) =>
  address.range() === 'unicast' && (address.kind() === 'ipv4' || address.match(globalUnicast));
