/** Finds a document, previews a restore, makes it twice, and returns what each step said. */
async function use({ Client, StreamableHTTPClientTransport, options }, address, token) {
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  const client = new Client({ name: 'goalpost-agents', version: '1.0.0' }, options);
  await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit }));
  const { tools } = await client.listTools();
  const call = (name, given) => client.callTool({ name, arguments: given });
  const found = await call('find_files_and_documents', { text: 'spring plan' });
  const [document] = found.structuredContent.nodes;
  const restore = { restore_document_version: { document_id: document.id, version_number: 2 } };
  const preview = await call('preview_change', restore);
  const { arguments: given, confirmation } = preview.structuredContent;
  const restored = await call('restore_document_version', { ...given, confirmation });
  const again = await call('restore_document_version', { ...given, confirmation });
  const wrong = await call('read_document', { id: 'nothing' });
  const unknown = await call('no_such_tool', {}).catch((error) => ({ code: error.code, message: error.message }));
  const each = await callEach(async (name, arguments_) => {
    const { isError = false, structuredContent } = await call(name, arguments_);
    return { isError, data: structuredContent };
  });
  const server = client.getServerVersion();
  const version = client.getNegotiatedProtocolVersion?.();
  await client.close();
  const names = tools.map(({ name }) => name);
  return { server, version, names, document, preview, restored, again, wrong, unknown, each };
}

const [goal, document, file] = ['goal-launch-mobile-app', 'doc-launch-plan', 'file-home-screen'];

/** Calls of the tools that read: some find something, some nothing, some fail. */
const reads = [
  ['find_goals', {}],
  ['find_goals', { text: 'no such goal' }],
  ['find_goals', { first: 1000 }],
  ['find_people', { text: 'jonas' }],
  ['find_people', { text: 'nobody' }],
  ['find_people', { first: 1000 }],
  ['find_files_and_documents', { text: 'launch' }],
  ['find_files_and_documents', { text: 'no such file' }],
  ['find_files_and_documents', { deleted: true }],
  ['find_files_and_documents', {}],
  ['find_places', {}],
  ['find_places', { spaces: true }],
  ['find_places', { text: 'nowhere' }],
  ['find_places', { hub_id: 'nothing' }],
  ['read_document', { id: document }],
  ['read_document', { id: document, whole: true }],
  ['read_document', { id: document, version_number: 1 }],
  ['read_document', { id: document, version_number: 1, whole: true }],
  ['read_document', { id: document, version_number: 99 }],
  ['read_document', { id: 'nothing' }],
  ['recent_changes', {}],
  ['recent_changes', { goal_id: goal }],
  ['recent_changes', { document_id: document }],
  ['recent_changes', { file_id: file }],
  ['recent_changes', { goal_id: 'nothing' }],
];

/** A change with each operation; the second has nothing to change or fails, the third fails. */
const changes = [
  ['reopen_goal', { id: goal, message: 'Again' }, { id: 'nothing' }],
  ['restore_document_version', { document_id: document, version_number: 1 }, { document_id: document }],
  ['delete_resource_hub_file', { file_id: file }, { file_id: 'nothing' }],
  ['recover_resource_hub_file', { file_id: file }, { file_id: 'nothing' }],
];

/** Calls every tool, and returns how each call ended: a client that validates throws if it was no valid result. */
export async function callEach(call) {
  const outcomes = [];
  const tried = async (name, given) => {
    const outcome = await call(name, given).catch(({ message }) => ({ threw: message }));
    outcomes.push({ name, given, isError: outcome.isError, threw: outcome.threw });
    return outcome.data ?? {};
  };
  for (const [name, given] of reads) await tried(name, given);
  const change = async (operation, input) => {
    const { arguments: given, confirmation } = await tried('preview_change', { [operation]: input });
    return confirmation ? tried(operation, { ...given, confirmation }) : {};
  };
  for (const [operation, input, wrong] of changes) {
    const made = [];
    for (const each of [input, input, wrong]) made.push(await change(operation, each));
    await tried(operation, { ...input, confirmation: 'none' });
    if (operation === 'reopen_goal') {
      // Taken back, and closed again for whoever comes next.
      const undo = { activity_id: made[0].activity?.id ?? 'nothing' };
      for (const each of [undo, { activity_id: 'nothing' }]) await change('undo_change', each);
      await tried('undo_change', { ...undo, confirmation: 'none' });
    }
  }
  return outcomes;
}

/** Does so with the address and the token that the program was given, and prints it. */
export const run = async (kind) => console.log(JSON.stringify(await use(kind, process.argv[2], process.env.TOKEN)));
