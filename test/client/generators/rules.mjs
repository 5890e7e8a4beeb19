// node rules.mjs <OpenAPI document>: what the rules of OWASP and of IBM find in it, one object a line.
import { readFile } from 'node:fs/promises';
import ibm from '@ibm-cloud/openapi-ruleset';
import spectral from '@stoplight/spectral-core';
import owasp from '@stoplight/spectral-owasp-ruleset';

const document = await readFile(process.argv[2], 'utf8');
for (const [ruleset, rules] of Object.entries({ OWASP: owasp.default ?? owasp, IBM: ibm })) {
  const linter = new spectral.Spectral();
  linter.setRuleset(rules);
  for (const { code, message, path } of await linter.run(document)) {
    console.log(JSON.stringify({ ruleset, rule: code, message, path: path.join('.') }));
  }
}
