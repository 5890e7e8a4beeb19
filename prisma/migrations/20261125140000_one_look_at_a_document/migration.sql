-- One look-up for both rules of a document; which one is broken is found out only then.
CREATE OR REPLACE FUNCTION require_latest_version_of_document() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM resource_hub_documents d LEFT JOIN LATERAL (
      SELECT version_number, title, content FROM document_versions
      WHERE company_id = NEW.company_id AND document_id = NEW.id ORDER BY version_number DESC LIMIT 1
    ) v ON true
    WHERE d.company_id = NEW.company_id AND d.id = NEW.id
      AND (d.current_version IS DISTINCT FROM v.version_number OR d.name <> v.title OR d.content <> v.content)
  ) THEN
    PERFORM require_latest_version(NEW.company_id, NEW.id);
    PERFORM require_text_of_version(NEW.company_id, NEW.id);
  END IF;
  RETURN NULL;
END
$$;
