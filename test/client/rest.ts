import createClient from 'openapi-fetch';
import type { components, paths } from './generated/openapi.js';

const [base, token = '', id = '', documentId = ''] = process.argv.slice(2);
const client = createClient<paths>({
  baseUrl: `${base}/api/external/v1`,
  headers: { Authorization: `Bearer ${token}` },
});

const reopened = await client.POST('/reopen_goal', { body: { id, message: null, subscriber_ids: [] } });
const goal: components['schemas']['Goal'] | null | undefined = reopened.data?.goal;

const version = { version_number: 1, expected_current_version: 1 };
const conflict = await client.POST('/documents/restore_document_version', {
  body: { document_id: documentId, ...version },
});
// The code distinguishes the problems, for the compiler too.
const current = conflict.error?.code === 'VERSION_CONFLICT' ? conflict.error.current_version : undefined;

// @ts-expect-error a misspelled field does not compile
const body: components['schemas']['DeleteResourceHubFileInput'] = { flie_id: id };
const misspelled = await client.POST('/delete_resource_hub_file', { body });
const fields = misspelled.error?.code === 'BAD_USER_INPUT' ? misspelled.error.errors.map(({ field }) => field) : [];

console.log(JSON.stringify({ status: goal?.status, closed: goal?.is_closed, role: goal?.my_role, current, fields }));
