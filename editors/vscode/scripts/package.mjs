// Packages the extension as a .vsix, either without the program or for one platform with the
// program in `server/`.
//   npm run package                                                     -> dist/kenning.vsix
//   npm run package -- --target linux-x64 --binary PATH [--out FILE]    -> dist/kenning-linux-x64.vsix
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const { values } = parseArgs({
  options: { target: { type: 'string' }, binary: { type: 'string' }, out: { type: 'string' } },
});
const { target, binary } = values;
if ((target === undefined) !== (binary === undefined)) {
  console.error('package: pass --target and --binary together, or neither');
  process.exit(2);
}
const name = target === undefined ? 'kenning.vsix' : `kenning-${target}.vsix`;
const out = path.resolve(values.out ?? path.join(root, 'dist', name));
const server = path.join(root, 'server');
const licenses = ['LICENSE', 'LICENSE-MIT', 'LICENSE-APACHE'];
const runNode = (...args) => {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) {
    throw new Error(`${args[0]} failed`);
  }
};

// Remove the program of an earlier run, so that it is not packaged.
fs.rmSync(server, { recursive: true, force: true });
try {
  runNode('scripts/build.mjs');
  licenses.forEach((name) => fs.copyFileSync(path.join(root, '../..', name), path.join(root, name)));
  if (binary !== undefined) {
    const program = path.join(server, target.startsWith('win32') ? 'kenning.exe' : 'kenning');
    fs.mkdirSync(server);
    fs.copyFileSync(path.resolve(binary), program);
    fs.chmodSync(program, 0o755);
  }
  fs.mkdirSync(path.dirname(out), { recursive: true });
  const platform = target === undefined ? [] : ['--target', target];
  runNode('node_modules/@vscode/vsce/vsce', 'package', '--no-dependencies', '--out', out, ...platform);
} finally {
  fs.rmSync(server, { recursive: true, force: true });
  licenses.forEach((name) => fs.rmSync(path.join(root, name), { force: true }));
}
console.log(`${out}: ${fs.statSync(out).size} bytes`);
