import { expect, test } from 'vitest';
import { createWorld } from '../../support/world.js';

const world = await createWorld();

test('a page shows the host that was asked for, however many others were before', async () => {
  for (const index of [1, ...Array.from({ length: 20 }, (_, other) => other), 1]) {
    const response = await world.fetchAt(`http://host-${index}.example/docs`);
    const text = await response.text();
    expect(text).toContain(`http://host-${index}.example/api`);
    expect(text.match(/http:\/\/host-\d+\.example/g)?.every((host) => host === `http://host-${index}.example`)).toBe(
      true,
    );
  }
});
