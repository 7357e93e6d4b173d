import svelte from 'eslint-plugin-svelte';
import ts from 'typescript-eslint';
import config from './svelte.config.js';

export default ts.config(
  { ignores: ['dist/', 'node_modules/', 'src/api/schema.d.ts'] },
  ...ts.configs.strict,
  ...svelte.configs.recommended,
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser, svelteConfig: config } },
  },
  {
    rules: {
      eqeqeq: 'error',
      'no-console': 'error',
      // A space before a block has to be written so.
      'svelte/no-useless-mustaches': 'off',
      // Names come from files and may be hostile: text only.
      'svelte/no-at-html-tags': 'error',
      // A plain Map or Set in a module that is no component is what it looks like.
      'svelte/prefer-svelte-reactivity': 'off',
      // Addresses are made by src/base/address.svelte.ts, relative to wherever the page is served.
      'svelte/no-navigation-without-resolve': 'off',
    },
  },
);
