// Checks a .vsix without a program: its size, the size of the code that VS Code loads on
// activation, and that it has only the files that an extension needs.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';

/** Maximum size of the package in bytes, half of which the pictures of the walkthrough take. */
const MAX_PACKAGE_BYTES = 700 * 1024;
/**
 * Maximum size of the code that activation loads, in bytes. Loading 480 KB takes about 20 ms of
 * processor time.
 */
const MAX_CODE_BYTES = 512 * 1024;

const ALLOWED =
  /^(extension\.vsixmanifest|\[Content_Types\]\.xml|extension\/(package\.json|readme\.md|LICENSE(-MIT|-APACHE)?(\.txt)?|(dist|media|walkthrough)\/[\w.-]+|media\/screenshots\/[\w.-]+))$/;

const [file] = process.argv.slice(2);
const size = fs.statSync(file).size;
const listScript =
  'import sys, zipfile; [print(entry.file_size, entry.filename) for entry in zipfile.ZipFile(sys.argv[1]).infolist()]';
const lines = execFileSync('python3', ['-c', listScript, file], { encoding: 'utf8' }).trim().split('\n');
const entries = lines.map((line) => {
  const [bytes, ...name] = line.split(' ');
  return { bytes: Number(bytes), name: name.join(' ') };
});
const names = entries.map(({ name }) => name);
const unexpected = names.filter((name) => !ALLOWED.test(name));
if (unexpected.length > 0) {
  console.error(`${file}: files that do not belong in the package: ${unexpected.join(', ')}`);
  process.exit(1);
}
if (size >= MAX_PACKAGE_BYTES) {
  console.error(`${file}: ${size} bytes; the maximum is ${MAX_PACKAGE_BYTES}`);
  process.exit(1);
}
const code = entries.find(({ name }) => name === 'extension/dist/extension.js');
if (code === undefined || code.bytes >= MAX_CODE_BYTES) {
  console.error(`${file}: dist/extension.js has ${code?.bytes} bytes; the maximum is ${MAX_CODE_BYTES}`);
  process.exit(1);
}
console.log(`${file}: ${size} bytes, ${names.length} files`);
