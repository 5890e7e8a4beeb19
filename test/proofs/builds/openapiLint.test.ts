import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { describe, expect, test } from 'vitest';
import { openApi } from '../../support/openapiValidator.js';

async function spectralFindings(document: unknown): Promise<string[]> {
  const linter = new spectral.Spectral();
  linter.setRuleset(rulesets.oas as RulesetDefinition);
  const found = await linter.run(JSON.stringify(document));
  return found.map(({ code, message, path }) => `${code}: ${message} at ${path.join('.')}`);
}

async function redoclyFindings(document: unknown): Promise<string[]> {
  // A proprietary licence has no page and no SPDX identifier.
  // The example of an event has the `data` of its type, which refines that of every event.
  const examples = { severity: 'error', allowAdditionalProperties: true } as const;
  const rules = { 'info-license-strict': 'off', 'no-invalid-schema-examples': examples } as const;
  const config = await createConfig({ extends: ['recommended'], rules });
  const found = await lintFromString({ source: JSON.stringify(document), config });
  return found.map(({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`);
}

describe('the OpenAPI document', () => {
  test("passes Spectral's recommended rules for OpenAPI", async () => {
    expect(await spectralFindings(openApi)).toEqual([]);
  });

  test("passes Redocly's recommended rules", async () => {
    expect(await redoclyFindings(openApi)).toEqual([]);
  });
});
