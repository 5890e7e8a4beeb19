import { defineConfig } from '@kubb/core';
import { pluginClient } from '@kubb/plugin-client';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';

const baseURL = `${process.env.BASE}/api/external/v1`;

export default defineConfig({
  root: '.',
  input: { path: `${baseURL}/openapi.json` },
  output: { path: 'generated/kubb', clean: true, format: false, lint: false },
  plugins: [pluginOas(), pluginTs(), pluginClient({ client: 'fetch', baseURL })],
});
