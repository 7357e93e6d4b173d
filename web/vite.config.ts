import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';

// Of KaTeX's sixty font files the formulas use two.
const katexFonts: Plugin = {
  name: 'katex-fonts',
  enforce: 'pre',
  transform: (code, id) => (!id.endsWith('katex.min.css') ? undefined : code
    .replace(/@font-face\{[^}]*\}/g, (face) => (/KaTeX_(Main-Regular|Math-Italic)\.woff2/.test(face) ? face.replace(/,url\([^)]*\) format\("(?:woff|truetype)"\)/g, '') : ''))),
};

/** The page asks for its font at once, instead of when the style sheet has been read. */
function preloadedFont(): Plugin {
  return {
    name: 'wattree-preloaded-font',
    transformIndexHtml: {
      order: 'post',
      handler: (_, { bundle }) => Object.keys(bundle ?? {}).filter((file) => /inter-.*[.]woff2$/.test(file))
        .map((file) => ({ tag: 'link', attrs: { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: true, href: `./${file}` }, injectTo: 'head' as const })),
    },
  };
}

// Relative addresses, so that the page works under any prefix of a reverse proxy.
export default defineConfig({
  base: './',
  plugins: [katexFonts, svelte(), preloadedFont()],
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
