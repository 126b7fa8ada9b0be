// Checks a .vsix without a program: its size, and that nothing is in it but what an extension needs.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';

/** Bytes that the package may have. */
const MOST = 300 * 1024;

const ALLOWED =
  /^(extension\.vsixmanifest|\[Content_Types\]\.xml|extension\/(package\.json|readme\.md|LICENSE(-MIT|-APACHE)?(\.txt)?|(dist|media|walkthrough)\/[\w.-]+|media\/screenshots\/[\w.-]+))$/;

const [file] = process.argv.slice(2);
const size = fs.statSync(file).size;
const list = 'import sys, zipfile; print("\\n".join(zipfile.ZipFile(sys.argv[1]).namelist()))';
const names = execFileSync('python3', ['-c', list, file], { encoding: 'utf8' }).trim().split('\n');
const strange = names.filter((name) => !ALLOWED.test(name));
if (strange.length > 0) {
  console.error(`${file}: does not belong in the package: ${strange.join(', ')}`);
  process.exit(1);
}
if (size >= MOST) {
  console.error(`${file}: ${size} bytes; ${MOST} are allowed`);
  process.exit(1);
}
console.log(`${file}: ${size} bytes, ${names.length} files`);
