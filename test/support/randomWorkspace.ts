import type { Json } from './world.js';

/** A workspace with records of every kind, of which each field is there or not at random. `random` is from 0 up to 1. */
export function randomWorkspace(random: () => number, key = 'random'): Json {
  const below = (count: number) => Math.floor(random() * count);
  const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T;
  const some = <T>(most: number, make: (index: number) => T): T[] =>
    Array.from({ length: below(most + 1) }, (_, index) => make(index));
  /** Each of the fields, or not. */
  const maybe = (fields: Json): Json => Object.fromEntries(Object.entries(fields).filter(() => random() < 0.6));
  const id = (kind: string, index: number) => `${key}-${kind}-${index}`;
  const time = () =>
    new Date(Date.UTC(2025, below(12), 1 + below(28), below(24), below(60), below(60), below(1000))).toISOString();
  const rich = (text: string) =>
    JSON.stringify({ type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text }] }] });
  const text = () => pick(['', 'plain', 'Ünï <b>"\\', rich('rich *text*'), 'two\nlines', '🙂'.repeat(3)]);
  const person = () => id('person', below(5));
  const people = () => [0, 1, 2, 3, 4].filter(() => random() < 0.4).map((index) => id('person', index));
  const inserted = () => maybe({ inserted_at: time() });
  const access = () => people().map((person_id) => ({ person_id, level: pick([10, 40, 70, 100]) }));
  const levels = () => ({ public: pick([0, 10]), company: pick([0, 10, 40]), space: pick([0, 10, 40, 70]) });
  const reactions = () => people().map((person_id) => ({ person_id, emoji: pick(['👍', '🎉']), ...inserted() }));
  const comments = () =>
    some(3, () => ({ author_id: person(), content: text(), ...maybe({ reactions: reactions() }), ...inserted() }));
  const list = () => ({
    ...maybe({ send_to_everyone: random() < 0.5 }),
    subscriptions: people().map((person_id) => ({
      person_id,
      type: pick(['joined', 'invited', 'mentioned']),
      canceled: random() < 0.3,
    })),
  });
  const notifications = () =>
    people().map((person_id) => ({ person_id, ...maybe({ read_at: time() }), ...inserted() }));
  const happened = (action: string) => ({
    action,
    author_id: person(),
    ...maybe({
      name: 'A name of then',
      thread: { comments: comments(), subscription_list: list() },
      notifications: notifications(),
    }),
    ...inserted(),
  });
  const day = () => ({
    date_type: pick(['day', 'month', 'quarter', 'year']),
    value: pick(['Q3 2026', '2026']),
    date: '2026-09-30',
  });
  const hubOf = (index: number) => id('hub', index % 4);
  const placed = (index: number) => ({
    resource_hub_id: hubOf(index),
    ...maybe({ parent_folder_id: id('folder', index % 4) }),
    name: `${pick(['Plan', 'plan', 'Übersicht'])} ${index}`,
    ...inserted(),
  });
  return {
    company: { id: `${key}-company`, name: 'Random' },
    people: [0, 1, 2, 3, 4].map((index) => ({
      id: id('person', index),
      full_name: `${pick(['Ann', 'Ben', 'Cem'])} ${index}`,
      is_owner: index === 0,
      type: pick(['human', 'human', 'guest', 'ai']),
      ...maybe({ title: text(), email: `${index}@example.com`, avatar_url: 'https://example.com/a.png' }),
      ...inserted(),
    })),
    spaces: [0, 1, 2].map((index) => ({
      id: id('space', index),
      name: `Space ${index}`,
      access_levels: levels(),
      access: access(),
      members: people().map((person_id) => ({ person_id })),
      ...maybe({ mission: text() }),
      ...inserted(),
    })),
    goals: Array.from({ length: 12 }, (_, index) => {
      const isClosed = random() < 0.4;
      return {
        id: id('goal', index),
        space_id: id('space', index % 3),
        name: `Goal ${below(4)}`,
        access_levels: levels(),
        access: access(),
        ...maybe({
          parent_goal_id: index === 0 ? null : id('goal', below(index)),
          description: text(),
          champion_id: person(),
          reviewer_id: person(),
          timeframe: maybe({ contextual_start_date: day(), contextual_end_date: day() }),
          next_update_scheduled_at: time(),
        }),
        ...(isClosed ? { closed_at: time(), success: random() < 0.5, ...maybe({ closed_by_id: person() }) } : {}),
        targets: some(3, (n) => ({
          name: `T${n}`,
          from: below(5),
          to: below(100) + 0.5,
          value: below(100),
          ...maybe({ unit: '%' }),
        })),
        checklist: some(3, (n) => ({ name: `Step ${n}`, completed: random() < 0.5 })),
        progress_updates: some(3, () => ({
          author_id: person(),
          status: pick(['on_track', 'caution', 'off_track']),
          ...maybe({ message: text(), comments: comments(), reactions: reactions() }),
          ...(random() < 0.4 ? { acknowledged_at: time(), acknowledging_person_id: person() } : {}),
          ...inserted(),
        })),
        retrospectives: some(1, () => ({
          author_id: person(),
          title: 'Done',
          content: text(),
          ...maybe({ comments: comments() }),
        })),
        activities: [
          happened('goal_created'),
          ...some(2, () => ({
            ...happened('goal_reopened'),
            ...maybe({
              undone_outcome: { success: random() < 0.5, closed_at: time(), ...maybe({ closed_by_id: person() }) },
            }),
          })),
        ],
        ...inserted(),
      };
    }),
    projects: some(6, (index) => ({
      id: id('project', index),
      space_id: id('space', index % 3),
      name: `Project ${index}`,
      access_levels: levels(),
      access: access(),
      ...maybe({
        goal_id: id('goal', below(12)),
        description: text(),
        champion_id: person(),
        reviewer_id: person(),
        closed_at: time(),
      }),
      ...inserted(),
    })),
    resource_hubs: [0, 1, 2, 3].map((index) => ({
      id: id('hub', index),
      name: `Hub ${index}`,
      ...(index === 0 ? { goal_id: id('goal', 0) } : { space_id: id('space', index % 3) }),
      ...inserted(),
    })),
    folders: Array.from({ length: 8 }, (_, index) => ({
      id: id('folder', index),
      resource_hub_id: hubOf(index),
      ...(index < 4 ? {} : { parent_folder_id: id('folder', index % 4) }),
      name: `Folder ${index}`,
      ...maybe({ description: text() }),
      ...inserted(),
    })),
    files: Array.from({ length: 8 }, (_, index) => ({
      id: id('file', index),
      ...placed(index),
      author_id: person(),
      blob: { filename: `f${index}.pdf`, size: below(1e6), content_type: 'application/pdf' },
      comments: comments(),
      reactions: reactions(),
      activities: [happened('resource_hub_file_created')],
      ...maybe({ description: text(), subscription_list: list() }),
    })),
    documents: Array.from({ length: 8 }, (_, index) => {
      const place = placed(index);
      const titles = Array.from({ length: 1 + below(4) }, (_, n) => (n === 0 ? place.name : `${place.name} ${n}`));
      const isDraft = random() < 0.2;
      const contents = titles.map(() => text());
      const content = contents.at(-1);
      const subject = { id: id('document', index), ...place, name: titles.at(-1), content, author_id: person() };
      if (isDraft) return { ...subject, state: 'draft' };
      return {
        ...subject,
        state: 'published',
        published_at: time(),
        versions: titles.map((title, n) => ({
          version_number: n + 1,
          title,
          content: contents[n],
          editor_id: person(),
          origin: n === 0 ? 'published' : 'edited',
          ...inserted(),
        })),
        comments: comments(),
        reactions: reactions(),
        activities: [happened('resource_hub_document_created')],
        ...maybe({ public_token: `${key}-link-${index}`, subscription_list: list() }),
      };
    }),
  };
}
