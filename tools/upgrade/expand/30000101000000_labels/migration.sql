-- What an expanding migration may do in its transaction: nothing here reads a whole table, or locks two that exist.
CREATE TABLE labels (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  goal_id text NOT NULL,
  CONSTRAINT labels_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT labels_company_id_goal_id_fkey
    FOREIGN KEY (company_id, goal_id) REFERENCES goals (company_id, id) ON DELETE CASCADE
);
ALTER TYPE activity_action ADD VALUE 'goal_labeled';
