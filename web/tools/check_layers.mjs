// Checks that src/ keeps its layers, base <- api <- widgets <- views: a file imports its own layer or those left of it.
// Also what the content security policy and hostile names forbid: style attributes and raw markup in components.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const LAYERS = ['base', 'api', 'widgets', 'views'];
const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', 'src');

export function problemsOf(path, text) {
  const problems = [];
  const layer = LAYERS.indexOf(path.split('/')[0]);
  for (const [, target] of text.matchAll(/(?:from|import)\s+['"](\.[^'"]+)['"]/g)) {
    const other = LAYERS.indexOf(relative(ROOT, resolve(ROOT, dirname(path), target)).split('/')[0]);
    if (layer >= 0 && other > layer) problems.push(`${path}: ${LAYERS[layer]} must not import ${LAYERS[other]} (${target})`);
  }
  if (path.endsWith('.svelte') && /\sstyle=/.test(text)) problems.push(`${path}: style attributes break the content security policy; use style:name={value}`);
  if (/\{@html|\.innerHTML|insertAdjacentHTML|document\.write|\beval\(/.test(text)) problems.push(`${path}: raw markup; names come from files and may be hostile`);
  return problems;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = readdirSync(ROOT, { recursive: true }).map(String).filter((name) => /\.(ts|svelte)$/.test(name));
  const problems = files.flatMap((name) => problemsOf(name, readFileSync(join(ROOT, name), 'utf8')));
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exit(problems.length === 0 ? 0 : 1);
}
