-- What the confirmations of previews are computed with: the same for all gateways, in this row only.
CREATE TABLE confirmation_secrets (
  version smallint NOT NULL,
  secret bytea NOT NULL,
  CONSTRAINT confirmation_secrets_pkey PRIMARY KEY (version),
  CONSTRAINT confirmation_secrets_secret CHECK (length(secret) = 32)
);
-- Each is of 122 random bits.
INSERT INTO confirmation_secrets (version, secret)
VALUES (1, sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));
