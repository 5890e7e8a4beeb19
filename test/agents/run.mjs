/** Finds a document, previews a restore, makes it twice, and prints what each step said. */
export async function run({ Client, StreamableHTTPClientTransport, options }) {
  const [, , address] = process.argv;
  const requestInit = { headers: { Authorization: `Bearer ${process.env.TOKEN}` } };
  const client = new Client({ name: 'goalpost-agents', version: '1.0.0' }, options);
  await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit }));
  const { tools } = await client.listTools();
  const call = (name, given) => client.callTool({ name, arguments: given });
  const found = await call('find_files_and_documents', { by_name: { text: 'launch plan' } });
  const [document] = found.structuredContent.nodes;
  const restore = { restore_document_version: { document_id: document.id, version_number: 2 } };
  const preview = await call('preview_change', restore);
  const { receipt } = preview.structuredContent;
  const restored = await call('restore_document_version', { receipt });
  const again = await call('restore_document_version', { receipt });
  const wrong = await call('read_document', { id: 'nothing' });
  const unknown = await call('no_such_tool', {}).catch((error) => ({ code: error.code, message: error.message }));
  const server = client.getServerVersion();
  const version = client.getNegotiatedProtocolVersion?.();
  await client.close();
  const names = tools.map(({ name }) => name);
  console.log(JSON.stringify({ server, version, names, document, preview, restored, again, wrong, unknown }));
}
