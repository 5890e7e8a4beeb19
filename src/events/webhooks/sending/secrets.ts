import { createHmac } from 'node:crypto';

/** A webhook, and which of its secrets. */
export interface SecretOwner {
  companyId: string;
  id: string;
  /** How often its secret has changed, from 1. */
  generation: number;
}

/** The secret of a webhook under one key. It is stored nowhere: it can be derived again. */
export const secretOf = (key: string, { companyId, id, generation }: SecretOwner): string =>
  `whsec_${createHmac('sha256', key)
    .update(JSON.stringify(['webhook', companyId, id, generation]))
    .digest('base64')}`;

/** Every secret that signs now: with each key, that of this generation and, for a day, that of the one before. */
export const signingSecrets = (keys: readonly string[], owner: SecretOwner & { hasPrevious: boolean }): string[] =>
  keys.flatMap((key) => {
    const previous = owner.hasPrevious ? [secretOf(key, { ...owner, generation: owner.generation - 1 })] : [];
    return [secretOf(key, owner), ...previous];
  });
