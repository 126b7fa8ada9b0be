// Creates the workspaces of the checks: copies of a small repository with a history, and generated
// folders.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const DATA = path.join(path.dirname(fileURLToPath(import.meta.url)), '../data');

function git(folder, ...args) {
  const config = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'commit.gpgsign=false'];
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_AUTHOR_DATE: '2024-05-01T10:00:00Z',
    GIT_COMMITTER_DATE: '2024-05-01T10:00:00Z',
  };
  execFileSync('git', [...config, ...args], { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] });
}

let template;

/**
 * Copies the stall repository into `folder`: two commits on `main`, and a branch `cheaper` that
 * changes the discount.
 */
export function makeStall(folder) {
  template ??= commitStall(fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'kenning-stall-')));
  fs.cpSync(template, folder, { recursive: true, preserveTimestamps: true });
  return folder;
}

/** Removes the repository that `makeStall` copies. */
export function removeTemplate() {
  if (template !== undefined) {
    fs.rmSync(template, { recursive: true, force: true });
  }
}

/** Creates the stall repository in `folder`. */
function commitStall(folder) {
  fs.cpSync(path.join(DATA, 'stall'), folder, { recursive: true });
  git(folder, 'init', '-q', '-b', 'main');
  git(folder, 'add', 'go.mod', 'web', 'stock', 'orders', 'cmd', 'README.md');
  git(folder, 'commit', '-q', '-m', 'Keep stock and orders');
  git(folder, 'add', '.');
  git(folder, 'commit', '-q', '-m', 'Report what was sold');
  git(folder, 'checkout', '-q', '-b', 'cheaper');
  const file = path.join(folder, 'orders/discount.go');
  const text = fs.readFileSync(file, 'utf8');
  fs.writeFileSync(file, text.replace('price / 10', 'price / 5'));
  git(folder, 'commit', '-q', '-a', '-m', 'A fifth off from ten items on');
  return folder;
}

/** Creates many small modules, so that the first indexing takes long enough to be visible. */
export function makeLarge(folder, files) {
  for (let number = 0; number < files; number += 1) {
    const modules = path.join(folder, `part${number % 50}`);
    fs.mkdirSync(modules, { recursive: true });
    const functions = Array.from(
      { length: 12 },
      (_, n) => `def step_${number}_${n}(value):\n    return step_${number}_${(n + 1) % 12}(value + ${n})\n`,
    );
    fs.writeFileSync(path.join(modules, `module${number}.py`), functions.join('\n\n'));
  }
  return folder;
}

/**
 * The numbers of dependents of `used_by_10`, `used_by_100` and `used_by_1000` in the workspace of
 * {@link makeCrowd}.
 */
export const CROWDS = [10, 100, 1000];

/**
 * Writes modules in folders of different sizes. Their functions call one function or one another,
 * two hops deep.
 */
export function makeCrowd(folder) {
  fs.mkdirSync(path.join(folder, 'core'), { recursive: true });
  const targets = CROWDS.map((crowd) => `def used_by_${crowd}(value):\n    return value\n`);
  fs.writeFileSync(path.join(folder, 'core/base.py'), targets.join('\n\n'));
  for (const crowd of CROWDS) {
    const modules = new Map();
    for (let n = 0; n < crowd; n += 1) {
      const isDirect = n < crowd / 2;
      const next = (n * n) % (crowd / 2);
      const callee = isDirect ? `used_by_${crowd}` : `direct_${crowd}_${next}`;
      const module = isDirect ? 'core.base' : modulePath(crowd, next).join('.');
      const name = `${isDirect ? 'direct' : 'indirect'}_${crowd}_${n}`;
      const body = `def ${name}(value):\n    from ${module} import ${callee}\n    return ${callee}(value)\n`;
      const file = `${path.join(folder, ...modulePath(crowd, n))}.py`;
      modules.set(file, [...(modules.get(file) ?? []), body]);
    }
    for (const [file, functions] of modules) {
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, functions.join('\n\n'));
    }
  }
  return folder;
}

/** Returns the path of the module of a function in the workspace of {@link makeCrowd}. */
function modulePath(crowd, n) {
  const folders = [['shop'], ['shop', 'cart'], ['web'], ['web', 'views', 'account'], ['billing', 'invoices']];
  return [...folders[(n % 7) % 5], `module_${crowd}_${n % 7}`];
}

/** Writes the settings of a workspace. */
export function writeSettings(folder, settings) {
  fs.mkdirSync(path.join(folder, '.vscode'), { recursive: true });
  fs.writeFileSync(path.join(folder, '.vscode/settings.json'), JSON.stringify(settings, null, 2));
}
