// Bundles the extension and the script of the diagram; `--tests` also bundles the tests.
import { build } from 'esbuild';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const tests = process.argv.includes('--tests');
const common = { absWorkingDir: root, bundle: true, minify: !tests, sourcemap: tests, logLevel: 'warning' };
const node = { ...common, platform: 'node', target: 'node20', format: 'cjs', external: ['vscode'] };

fs.rmSync(path.join(root, 'dist/test'), { recursive: true, force: true });
await build({
  ...node,
  minify: true,
  sourcemap: false,
  entryPoints: ['src/extension.ts'],
  outfile: 'dist/extension.js',
});
// The license of d3-hierarchy, which the script of the diagram includes, requires its own text in
// every copy.
const license = fs.readFileSync(path.join(root, 'node_modules/d3-hierarchy/LICENSE'), 'utf8');
await build({
  ...common,
  banner: { js: `/* d3-hierarchy\n${license.trim()}\n*/` },
  minify: true,
  sourcemap: false,
  platform: 'browser',
  target: 'chrome120',
  format: 'iife',
  entryPoints: ['src/webview/diagram.ts'],
  outfile: 'dist/diagram.js',
});
if (tests) {
  const files = (folder) =>
    fs
      .readdirSync(path.join(root, folder))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => path.join(folder, name));
  const mocha = { ...node, external: ['vscode', 'mocha'] };
  await build({ ...mocha, entryPoints: files('test/unit'), outdir: 'dist/test/unit' });
  await build({ ...mocha, entryPoints: files('test/host'), outdir: 'dist/test/host' });
}
