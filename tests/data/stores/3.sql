-- A store of version 3, as that version wrote it.
PRAGMA application_id = 2002875508;
PRAGMA user_version = 3;
CREATE TABLE profiles (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  is_renamed INTEGER NOT NULL DEFAULT 0,
  author TEXT NOT NULL,
  region TEXT NOT NULL,
  location TEXT NOT NULL,
  hardware TEXT NOT NULL,
  status TEXT NOT NULL,
  origin TEXT NOT NULL,
  error TEXT NOT NULL,
  epochs INTEGER NOT NULL,
  planned_epochs INTEGER,
  duration_s REAL,
  energy_j REAL,
  outside_j REAL,
  basis TEXT,
  basis_by TEXT,
  boundary TEXT,
  started_us INTEGER,
  added_us INTEGER NOT NULL,
  deleted_us INTEGER
) STRICT;
CREATE INDEX profiles_deleted ON profiles (deleted_us) WHERE deleted_us IS NOT NULL;
CREATE TABLE documents (
  profile INTEGER PRIMARY KEY REFERENCES profiles (key) ON DELETE CASCADE,
  bytes INTEGER NOT NULL,
  zlib BLOB NOT NULL
) STRICT;
CREATE TABLE tags (
  profile INTEGER NOT NULL REFERENCES profiles (key) ON DELETE CASCADE,
  tag TEXT NOT NULL,
  PRIMARY KEY (profile, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX tags_by_tag ON tags (tag, profile);
CREATE TABLE files (
  name TEXT PRIMARY KEY,
  bytes INTEGER NOT NULL,
  changed_ns INTEGER NOT NULL,
  reader TEXT NOT NULL,
  profile INTEGER REFERENCES profiles (key) ON DELETE SET NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX files_by_profile ON files (profile);
CREATE TABLE tokens (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  scope TEXT NOT NULL,
  sha256 BLOB NOT NULL UNIQUE,
  created_us INTEGER NOT NULL,
  expires_us INTEGER,
  used_us INTEGER,
  revoked_us INTEGER
) STRICT;
CREATE TABLE links (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  address TEXT NOT NULL,
  token TEXT NOT NULL
) STRICT;
INSERT INTO profiles VALUES (1, 'small', 'small', 0, '', 'US-GA', '', '1 × H200', 'complete', 'tracked', '', 3, NULL, 65.0, 26000.0, 2000.0, 'measured', 'NVML energy counter', 'gpu', NULL, 1780000000000000, NULL);
INSERT INTO profiles VALUES (2, 'gone', 'gone', 0, '', 'US-GA', '', '1 × H200', 'complete', 'imported', '', 3, NULL, 65.0, 26000.0, 2000.0, 'measured', 'NVML energy counter', 'gpu', NULL, 1780000000000000, 1790000000000000);
INSERT INTO documents VALUES (1, 805, X'7801ed523d4fc33014fc2bd59b5d292d42826c4c301416040baa22377e4d0d891d3d3b5428ca7fe79c04a46c083132daf7e193ef7a3a7a6974a49cce3a46615eb7e28fb66652f4ce12ac77946f1439dd3048a1d1750d48b81a117a7a5cdfdee0e2a4c59cb580f3d2d39b7506e4aaed80cccabb6d96e154facee1b5cdb057c4ad2f4f6154984e74846381e33603e458aa8f112a7dd37ac749353b2eec2766f14af955964179d0c1c2e43b44c33a74c2066f1f60480fcff7bbd5245a8d6158128458464b22a4d4c3b01f544fffa97ef85728d3773158c3c557a9cbdfbbfc5da5d8cc9f564a21723b2d6e9e25e68fd9a675cccbbc508bdaafb1844f962e0989');
INSERT INTO documents VALUES (2, 805, X'7801ed523d4fc33014fc2bd59b5d292d42826c4c301416040baa22377e4d0d891d3d3b5428ca7fe79c04a46c083132daf7e193ef7a3a7a6974a49cce3a46615eb7e28fb66652f4ce12ac77946f1439dd3048a1d1750d48b81a117a7a5cdfdee0e2a4c59cb580f3d2d39b7506e4aaed80cccabb6d96e154facee1b5cdb057c4ad2f4f6154984e74846381e33603e458aa8f112a7dd37ac749353b2eec2766f14af955964179d0c1c2e43b44c33a74c2066f1f60480fcff7bbd5245a8d6158128458464b22a4d4c3b01f544fffa97ef85728d3773158c3c557a9cbdfbbfc5da5d8cc9f564a21723b2d6e9e25e68fd9a675cccbbc508bdaafb1844f962e0989');
INSERT INTO tags VALUES (1, 'old');
INSERT INTO tags VALUES (1, 'paper');
INSERT INTO files VALUES ('small.json', 700, 1780000000000000000, '0.1.0', 1);
INSERT INTO tokens VALUES (1, 'laptop', 'read', X'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad', 1780000000000000, NULL, NULL, NULL);
