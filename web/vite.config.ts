import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

// Relative addresses, so that the page works under any prefix of a reverse proxy.
export default defineConfig({
  base: './',
  plugins: [svelte()],
  build: {
    target: 'es2022',
    outDir: process.env['WATTREE_WEB_OUT'] ?? 'dist',
    emptyOutDir: true,
    // Inlined as data: addresses, small files would need a looser content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
  },
  // The development server asks a running `wattree serve` for every answer.
  server: { proxy: { '/api': process.env['WATTREE_SERVER'] ?? 'http://127.0.0.1:8080' } },
});
