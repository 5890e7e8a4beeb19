/** Finds a document, previews a restore, makes it twice, and returns what each step said. */
async function use({ Client, StreamableHTTPClientTransport, options }, address, token) {
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  const client = new Client({ name: 'goalpost-agents', version: '1.0.0' }, options);
  await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit }));
  const { tools } = await client.listTools();
  const call = (name, given) => client.callTool({ name, arguments: given });
  const found = await call('find_files_and_documents', { text: 'launch plan' });
  const [document] = found.structuredContent.nodes;
  const restore = { restore_document_version: { document_id: document.id, version_number: 2 } };
  const preview = await call('preview_change', restore);
  const { arguments: given, confirmation } = preview.structuredContent;
  const restored = await call('restore_document_version', { ...given, confirmation });
  const again = await call('restore_document_version', { ...given, confirmation });
  const wrong = await call('read_document', { id: 'nothing' });
  const unknown = await call('no_such_tool', {}).catch((error) => ({ code: error.code, message: error.message }));
  const server = client.getServerVersion();
  const version = client.getNegotiatedProtocolVersion?.();
  await client.close();
  const names = tools.map(({ name }) => name);
  return { server, version, names, document, preview, restored, again, wrong, unknown };
}

/** Does so with the address and the token that the program was given, and prints it. */
export const run = async (kind) => console.log(JSON.stringify(await use(kind, process.argv[2], process.env.TOKEN)));
