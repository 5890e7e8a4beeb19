const baseUrl = `${process.env.BASE}/api/external/v1`;

export default {
  goalpost: {
    input: `${baseUrl}/openapi.json`,
    output: { target: 'generated/orval.ts', client: 'fetch', baseUrl },
  },
};
