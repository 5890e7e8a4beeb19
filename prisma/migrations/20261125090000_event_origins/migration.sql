-- Who wrote an activity: an operation of the gateway, an import, or the main application, which says nothing.
CREATE TYPE event_origin AS ENUM ('api', 'import', 'application');

ALTER TABLE activities ADD COLUMN origin event_origin NOT NULL DEFAULT 'application';
