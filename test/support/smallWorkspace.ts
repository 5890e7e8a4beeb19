/** A workspace with one or two records of every kind that an import checks. `key` makes its ids unique. */
export function smallWorkspace(key = 'small') {
  const id = (name: string) => `${key}-${name}`;
  return {
    company: { id: id('company'), name: 'Small' },
    people: [
      { id: id('ann'), full_name: 'Ann' },
      { id: id('ben'), full_name: 'Ben' },
    ],
    spaces: [
      {
        id: id('space'),
        name: 'Space',
        members: [{ person_id: id('ann') }],
        access: [{ person_id: id('ben'), level: 10 }],
      },
    ],
    goals: [
      {
        id: id('goal'),
        space_id: id('space'),
        name: 'Goal',
        timeframe: { contextual_start_date: { date_type: 'year', value: '2026', date: '2026-01-01' } },
        targets: [{ id: id('target'), name: 'Target', from: 0, to: 1, value: 0 }],
        checklist: [{ id: id('check'), name: 'Check' }],
        progress_updates: [
          {
            id: id('update'),
            author_id: id('ann'),
            status: 'on_track',
            comments: [{ id: id('comment'), author_id: id('ben'), content: 'Yes' }],
          },
        ],
        activities: [
          {
            id: id('created'),
            action: 'goal_created',
            author_id: id('ann'),
            thread: {},
            notifications: [{ person_id: id('ben') }],
          },
        ],
      },
      { id: id('subgoal'), space_id: id('space'), parent_goal_id: id('goal'), name: 'Subgoal' },
    ],
    projects: [{ id: id('project'), space_id: id('space'), name: 'Project' }],
    resource_hubs: [
      { id: id('hub'), space_id: id('space'), name: 'Hub' },
      { id: id('other-hub'), goal_id: id('goal'), name: 'Other hub' },
    ],
    folders: [
      { id: id('folder'), resource_hub_id: id('hub'), name: 'Folder' },
      { id: id('subfolder'), resource_hub_id: id('hub'), parent_folder_id: id('folder'), name: 'Subfolder' },
    ],
    files: [
      {
        id: id('file'),
        resource_hub_id: id('hub'),
        parent_folder_id: id('folder'),
        name: 'File',
        author_id: id('ann'),
        blob: { filename: 'file.txt', size: 1, content_type: 'text/plain' },
        reactions: [{ person_id: id('ann'), emoji: '👍' }],
        subscription_list: { subscriptions: [{ person_id: id('ann'), type: 'joined' }] },
      },
    ],
    documents: [
      {
        id: id('document'),
        resource_hub_id: id('hub'),
        name: 'One',
        content: 'one',
        author_id: id('ann'),
        state: 'published',
        published_at: '2026-01-01T00:00:00Z',
        public_token: id('link'),
        versions: [
          { version_number: 1, title: 'One', content: 'one', editor_id: id('ann'), origin: 'published' },
          { version_number: 2, title: 'Two', content: 'two', editor_id: id('ben'), origin: 'edited' },
          {
            version_number: 3,
            title: 'One',
            content: 'one',
            editor_id: id('ann'),
            origin: 'restored',
            restored_from_version_number: 1,
          },
        ],
        activities: [
          { id: id('restored'), action: 'document_version_restored', author_id: id('ann'), version_number: 3 },
        ],
      },
      { id: id('draft'), resource_hub_id: id('hub'), name: 'Draft', content: '', author_id: id('ann'), state: 'draft' },
    ],
  };
}

/** A problem of an import without the kind and the id of its record, which one test looks at. */
export const withoutLabel = (problem: string): string => problem.replace(/ \([a-z_]+ "[^"]*"?…?\): /, ': ');
