ALTER TABLE resource_hub_documents ADD COLUMN color text;
