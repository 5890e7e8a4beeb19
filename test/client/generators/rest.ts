// The same calls with the client of each generator: a goal is reopened, and a version that is not current any more is restored.
import { client } from './generated/heyApi/client.gen.js';
import * as heyApi from './generated/heyApi/index.js';
import * as kubb from './generated/kubb/index.js';
import * as orval from './generated/orval.js';

const [base, token = '', goalId = '', documentId = ''] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${token}` };
const stale = { document_id: documentId, version_number: 1, expected_current_version: 1 };
client.setConfig({ baseUrl: `${base}/api/external/v1`, auth: token });

async function withOrval() {
  const reopened = await orval.reopenGoal({ id: goalId }, { headers });
  const status: orval.GoalStatus | undefined = reopened.status === 200 ? reopened.data.goal?.status : undefined;
  const conflict = await orval.restoreDocumentVersion(stale, { headers });
  const known = conflict.status === 409 && conflict.data.code === 'VERSION_CONFLICT' ? conflict.data : undefined;
  return { status, current: known?.current_version };
}

async function withHeyApi() {
  const reopened = await heyApi.reopenGoal({ body: { id: goalId } });
  const status: heyApi.GoalStatus | undefined = reopened.data?.goal?.status;
  const { error } = await heyApi.restoreDocumentVersion({ body: stale });
  const known = error?.code === 'VERSION_CONFLICT' ? error : undefined;
  return { status, current: known?.current_version };
}

// Kubb's client names no content type, and returns a problem as it returns a success.
async function withKubb() {
  const json = { headers: { ...headers, 'Content-Type': 'application/json' } };
  const reopened = await kubb.reopenGoal({ id: goalId }, {}, json);
  const status: kubb.GoalStatus | undefined = reopened.goal?.status;
  const answer = await kubb.restoreDocumentVersion(stale, {}, json);
  const conflict = answer as unknown as kubb.RestoreDocumentVersion409;
  const known = conflict.code === 'VERSION_CONFLICT' ? conflict : undefined;
  return { status, current: known?.current_version };
}

// A misspelled field does not compile.
// @ts-expect-error
const ofOrval: orval.DeleteResourceHubFileInput = { flie_id: '' };
// @ts-expect-error
const ofHeyApi: heyApi.DeleteResourceHubFileInput = { flie_id: '' };
// @ts-expect-error
const ofKubb: kubb.DeleteResourceHubFileInput = { flie_id: '' };
void [ofOrval, ofHeyApi, ofKubb];

console.log(JSON.stringify({ orval: await withOrval(), heyApi: await withHeyApi(), kubb: await withKubb() }));
