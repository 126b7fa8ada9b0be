// Checks a .vsix without a program: its size, that of the code that VS Code loads at the start, and that nothing is in it but what an
// extension needs.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';

/** Bytes that the package may have. */
const MOST = 300 * 1024;
/** Bytes of code that activating may load: loading takes about 20 ms of processor time for 480 KB. */
const MOST_CODE = 512 * 1024;

const ALLOWED =
  /^(extension\.vsixmanifest|\[Content_Types\]\.xml|extension\/(package\.json|readme\.md|LICENSE(-MIT|-APACHE)?(\.txt)?|(dist|media|walkthrough)\/[\w.-]+|media\/screenshots\/[\w.-]+))$/;

const [file] = process.argv.slice(2);
const size = fs.statSync(file).size;
const list =
  'import sys, zipfile; [print(entry.file_size, entry.filename) for entry in zipfile.ZipFile(sys.argv[1]).infolist()]';
const lines = execFileSync('python3', ['-c', list, file], { encoding: 'utf8' }).trim().split('\n');
const entries = lines.map((line) => {
  const [bytes, ...name] = line.split(' ');
  return { bytes: Number(bytes), name: name.join(' ') };
});
const names = entries.map(({ name }) => name);
const strange = names.filter((name) => !ALLOWED.test(name));
if (strange.length > 0) {
  console.error(`${file}: files that do not belong in the package: ${strange.join(', ')}`);
  process.exit(1);
}
if (size >= MOST) {
  console.error(`${file}: ${size} bytes; the maximum is ${MOST}`);
  process.exit(1);
}
const code = entries.find(({ name }) => name === 'extension/dist/extension.js');
if (code === undefined || code.bytes >= MOST_CODE) {
  console.error(`${file}: dist/extension.js has ${code?.bytes} bytes; the maximum is ${MOST_CODE}`);
  process.exit(1);
}
console.log(`${file}: ${size} bytes, ${names.length} files`);
