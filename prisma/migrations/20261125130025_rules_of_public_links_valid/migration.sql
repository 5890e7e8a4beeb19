ALTER TABLE public_links VALIDATE CONSTRAINT public_links_token;
