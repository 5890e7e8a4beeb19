-- Whether a goal has subgoals is looked up by the index, also before anybody has counted the rows: an import of 16,000 goals
-- read all of them for each one.
ALTER FUNCTION refuse_goal_cycle() SET enable_seqscan = off;
