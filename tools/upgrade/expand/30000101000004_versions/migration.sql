ALTER TABLE document_versions ADD COLUMN weight integer NOT NULL DEFAULT 1;
