-- What an action applies to is how its name begins, so that a new action is a value of the enum and nothing else.
DO $$
BEGIN
  ALTER TABLE activities DROP CONSTRAINT activities_subject_of_action;
  ALTER TABLE activities ADD CONSTRAINT activities_subject_of_action CHECK (CASE
    WHEN starts_with(action::text, 'goal_') THEN goal_id IS NOT NULL
    WHEN starts_with(action::text, 'resource_hub_file_') THEN file_id IS NOT NULL
    ELSE document_id IS NOT NULL END) NOT VALID;
END
$$;
