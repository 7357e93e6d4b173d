import { defineConfig } from 'vitest/config';

// The tests of tests/web: a real Chromium against the real server.
export default defineConfig({
  root: '..',
  server: { fs: { strict: false } },
  test: {
    include: ['tests/web/**/*.test.ts'],
    environment: 'node',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A second, the default, is less than a page takes where the other tests keep every core busy.
    expect: { poll: { timeout: 20_000 } },
    // One browser at a time: they are heavy, and the machine has other tests to run.
    fileParallelism: false,
    pool: 'forks',
  },
});
