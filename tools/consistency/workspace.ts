export const clientCount = 16;
const documentCount = 4;
const goalCount = 4;
const fileCount = 4;

const range = <T>(count: number, of: (index: number) => T) => Array.from({ length: count }, (_, index) => of(index));

/** The ids of a workspace on which clients compete. */
export const idsIn = (prefix: string) => ({
  clients: range(clientCount, (index) => `${prefix}-client-${index}`),
  readers: range(4, (index) => `${prefix}-reader-${index}`),
  suspended: `${prefix}-suspended`,
  guest: `${prefix}-guest`,
  documents: range(documentCount, (index) => `${prefix}-document-${index}`),
  goals: range(goalCount, (index) => `${prefix}-goal-${index}`),
  files: range(fileCount, (index) => `${prefix}-file-${index}`),
});

const mentioning = (...people: string[]) =>
  JSON.stringify({ type: 'doc', content: people.map((id) => ({ type: 'mention', attrs: { id } })) });

/** A workspace of few records, so that clients meet on them: clients and half of the readers are members. */
export function competedWorkspace(prefix: string) {
  const ids = idsIn(prefix);
  const [member = '', canceled = ''] = ids.readers;
  const person = (id: string) => ({ id, full_name: id });
  const members = [...ids.clients, ...ids.readers.slice(0, 2)];
  const subscriptions = [
    { person_id: member, type: 'joined' },
    { person_id: canceled, type: 'joined', canceled: true },
    { person_id: ids.suspended, type: 'joined' },
    { person_id: ids.guest, type: 'joined' },
    { person_id: ids.clients[0], type: 'joined' },
  ];
  const texts = ['one', mentioning(member, canceled, ids.suspended), 'three'];
  const versions = texts.map((content, index) => ({
    version_number: index + 1,
    title: `Title ${index + 1}`,
    content,
    editor_id: ids.clients[0],
    origin: index === 0 ? 'published' : 'edited',
  }));
  return {
    company: { id: `${prefix}-company`, name: prefix },
    people: [
      ...[...ids.clients, ...ids.readers].map(person),
      { ...person(ids.suspended), suspended_at: '2026-01-01T00:00:00Z' },
      { ...person(ids.guest), type: 'guest' },
    ],
    spaces: [{ id: `${prefix}-space`, name: 'Space', members: members.map((id) => ({ person_id: id })) }],
    goals: ids.goals.map((id) => ({ id, space_id: `${prefix}-space`, name: id })),
    projects: [],
    resource_hubs: [{ id: `${prefix}-hub`, space_id: `${prefix}-space`, name: 'Hub' }],
    folders: [],
    files: ids.files.map((id) => ({
      id,
      resource_hub_id: `${prefix}-hub`,
      name: id,
      author_id: ids.clients[0],
      blob: { filename: 'plan.pdf', size: 1, content_type: 'application/pdf' },
      subscription_list: { subscriptions },
    })),
    documents: ids.documents.map((id, index) => ({
      id,
      resource_hub_id: `${prefix}-hub`,
      name: versions.at(-1)?.title,
      content: texts.at(-1),
      author_id: ids.clients[0],
      state: 'published',
      published_at: '2026-01-01T00:00:00Z',
      versions,
      // Half of the documents have no list yet: the first restore that mentions somebody creates it.
      ...(index % 2 === 0 && {
        subscription_list: { subscriptions: [{ person_id: canceled, type: 'joined', canceled: true }] },
      }),
    })),
  };
}

/** Who is told of what in such a workspace. */
export function audienceIn(prefix: string) {
  const ids = idsIn(prefix);
  return {
    members: [...ids.clients, ...ids.readers.slice(0, 2)],
    excluded: [ids.suspended, ids.guest],
    fileSubscribers: [ids.readers[0] ?? '', ids.clients[0] ?? ''],
  };
}
