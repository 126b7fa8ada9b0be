// A window of the workbench: what it shows, the pointer, and commands that run in its extension host.
import fs from 'node:fs';
import path from 'node:path';
import { QuickInput } from './quickInput.mjs';
import { plain, readRows } from './texts.mjs';
import { actUntil, until, untilEqual } from './wait.mjs';

const EDITOR = '.part.editor .editor-instance';
const HOVER = '.monaco-hover:not(.hidden)';
const ROW = '.part.sidebar .pane-body .monaco-list-row';
const LOAD = { timeout: 120_000 };
/** Times that a window is loaded at most until it has its folders, and milliseconds that it has for it. */
const MAX_LOADS = 4;
const FOLDERS_MS = 2000;
/** Milliseconds that a click may take: what is clicked may be replaced meanwhile. */
const CLICK_MS = 3000;
/** Pictures that are taken at most until two in a row are the same. */
const MAX_PICTURES = 30;

export class Window {
  /** `shots` is the folder for pictures of what people see. */
  constructor(page, shots) {
    this.page = page;
    this.shots = shots;
    this.console = [];
    this.quick = new QuickInput(page);
    page.on('console', (message) => this.console.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => this.console.push(`uncaught: ${error.message}`));
  }

  /**
   * Opens a folder or a `.code-workspace` file with a file in an editor, and waits until the workbench, the extension host and the
   * file are there.
   */
  async open(server, { folder, workspace, file, init }) {
    if (init !== undefined) {
      await this.page.addInitScript(init.script, init.argument);
    }
    const what = new URLSearchParams(workspace === undefined ? { folder } : { workspace });
    await this.load(server, () => this.page.goto(`${server.origin}/?${what}`));
    for (let loads = 1; !(await this.hasFolder()); loads += 1) {
      if (loads === MAX_LOADS) {
        throw new Error(`the window has no folder, loaded ${loads} times`);
      }
      await this.host.end();
      await this.load(server, () => this.page.reload());
    }
    if (file !== undefined) {
      await this.openFile(file);
    }
  }

  async load(server, navigate) {
    const known = server.hosts.list();
    await navigate();
    await this.page.waitForSelector('.monaco-workbench .part.statusbar', LOAD);
    this.host = await server.hosts.next(known);
  }

  /**
   * Whether the window has a folder. VS Code in a browser that has not seen a `.code-workspace` file before reads it while it starts,
   * and on a loaded machine loses what it read: the window then stays without folders.
   */
  async hasFolder() {
    const count = () => this.host.call((vscode) => vscode.workspace.workspaceFolders?.length ?? 0);
    return until('a folder', async () => (await count()) > 0, FOLDERS_MS).catch(() => false);
  }

  async close() {
    await this.page.close();
    await this.host?.end();
  }

  /** Takes a picture once the window has stopped changing. */
  async shot(name) {
    const take = () => this.page.screenshot({ caret: 'hide', animations: 'disabled' });
    let last = await take();
    for (let taken = 1; taken < MAX_PICTURES; taken += 1) {
      const next = await take();
      if (next.equals(last)) {
        break;
      }
      last = next;
    }
    fs.writeFileSync(path.join(this.shots, `${name}.png`), last);
  }

  /** Keeps what explains a failure in `folder`: a picture, the console, and the logs of the extensions with the server's. */
  async keep(folder) {
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, 'console.log'), `${this.console.join('\n')}\n`);
    await this.page
      .screenshot({ path: path.join(folder, 'window.png'), timeout: 10_000 })
      .catch(() => undefined);
    const logs = await this.host?.call((_vscode, _argument, folder) => folder).catch(() => undefined);
    if (logs !== undefined) {
      fs.cpSync(logs, path.join(folder, 'logs'), { recursive: true });
    }
  }

  // What runs in the extension host.

  /** Runs a command and returns what it returns. */
  command(id, ...args) {
    const run = (vscode, { id, args }) => vscode.commands.executeCommand(id, ...args);
    return this.host.call(run, { id, args });
  }

  /** Begins a command that asks the person something, and does not wait for its end. */
  begin(id, ...args) {
    const run = (vscode, { id, args }) => {
      void vscode.commands.executeCommand(id, ...args);
    };
    return this.host.call(run, { id, args });
  }

  /** Opens a file with the cursor at `line:column`, counted from 1, and waits until its editor shows it. */
  async openFile(file, line = 1, column = 1) {
    const show = async (vscode, { file, line, column }) => {
      const at = new vscode.Position(line - 1, column - 1);
      await vscode.window.showTextDocument(vscode.Uri.file(file), { selection: new vscode.Range(at, at) });
    };
    await this.host.call(show, { file, line, column });
    await this.waitForTab(path.basename(file));
    await this.page.waitForSelector(`${EDITOR} .view-line`, LOAD);
  }

  /** Appends a text to the document of the active editor, which stays unsaved. */
  append(text) {
    const run = async (vscode, text) => {
      const editor = vscode.window.activeTextEditor;
      const end = new vscode.Position(editor.document.lineCount, 0);
      await editor.edit((edit) => edit.insert(end, text));
    };
    return this.host.call(run, text);
  }

  /** Sets a setting of the workspace; `undefined` takes it away. */
  async set(name, value) {
    const run = (vscode, { name, value }) =>
      vscode.workspace.getConfiguration().update(name, value, vscode.ConfigurationTarget.Workspace);
    await this.host.call(run, { name, value });
  }

  /** Waits until the server has indexed everything; with `history`, also until it has read what git says. */
  indexed({ history = false } = {}) {
    const status = async (vscode) => {
      const { connection } = await vscode.extensions.getExtension('kenning-lsp.kenning').activate();
      return connection.ask('kenning.status', {});
    };
    const hasHistory = ({ root, commits, symbols, with_history }) =>
      !fs.existsSync(path.join(root, '.git')) || (commits > 0 && with_history === symbols);
    const isSettled = (folder) =>
      folder.phase === 'ready' &&
      folder.pending_files === 0 &&
      !folder.disk_check_pending &&
      (!history || hasHistory(folder));
    return until('the index', async () => {
      const { folders } = await this.host.call(status);
      return folders.every(isSettled) ? folders : Promise.reject(new Error(JSON.stringify(folders)));
    });
  }

  clipboard() {
    return this.host.call((vscode) => vscode.env.clipboard.readText());
  }

  async clearClipboard() {
    await this.host.call((vscode) => vscode.env.clipboard.writeText('nothing yet'));
  }

  // What the window shows.

  async texts(selector) {
    const texts = await this.page.$$eval(selector, (found) => found.map((one) => one.innerText));
    return texts.map(plain);
  }

  /** The titles of the lenses in the editor, from top to bottom; the workbench makes them in any order. */
  async lenses() {
    const lenses = await this.page.$$eval(`${EDITOR} .codelens-decoration`, (found) =>
      found.map((one) => ({ text: one.innerText, top: one.getBoundingClientRect().top })),
    );
    return lenses.toSorted((a, b) => a.top - b.top).map((lens) => plain(lens.text));
  }

  lens(text) {
    return this.page.locator(`${EDITOR} .codelens-decoration a`, { hasText: text }).first();
  }

  waitForLenses(expected) {
    return untilEqual('the lenses', () => this.lenses(), expected);
  }

  waitForLens(text) {
    const find = async () => {
      const lenses = await this.lenses();
      return lenses.some((lens) => lens.includes(text)) || Promise.reject(new Error(JSON.stringify(lenses)));
    };
    return until(`the lens "${text}"`, find);
  }

  /** The texts of the notifications. */
  toasts() {
    return this.texts('.notifications-toasts .notification-list-item');
  }

  waitForToast(pattern) {
    const find = async () => {
      const toasts = await this.toasts();
      return toasts.find((toast) => pattern.test(toast)) ?? Promise.reject(new Error(JSON.stringify(toasts)));
    };
    return until(`a message like ${pattern}`, find);
  }

  /** Clicks a button of a message, and waits until the message is gone. */
  clickToast(button) {
    const buttons = this.page.locator('.notifications-toasts .monaco-button', { hasText: button });
    const isGone = async () => (await buttons.count()) === 0;
    return actUntil(
      `the end of the message with "${button}"`,
      async () => (await isGone()) || buttons.first().click({ timeout: CLICK_MS }),
      isGone,
    );
  }

  clearToasts() {
    return this.command('notifications.clearAll');
  }

  hovers() {
    return this.texts(HOVER);
  }

  /** What the status bar shows. */
  statusBar() {
    return this.texts('.part.statusbar .statusbar-item');
  }

  /** What the language status shows, which lists an item for each extension that has one. */
  async languageStatus() {
    await this.page.locator('.statusbar-item[id="status.languageStatus"]').hover();
    const read = async () => (await this.texts('.hover-language-status')).join('\n').replace(/\s+/g, ' ');
    return until('the language status', read);
  }

  /** The rows of the Task Context view with their places in it. */
  treePlaces() {
    return readRows(this.page, ROW);
  }

  async tree() {
    return (await this.treePlaces()).map((row) => row.text);
  }

  waitForTree(what, holds) {
    const find = async () => {
      const rows = await this.tree();
      return holds(rows) ? rows : Promise.reject(new Error(JSON.stringify(rows)));
    };
    return until(what, find);
  }

  /** The first row of the view that begins with this text. */
  async treeRow(text) {
    const { index } = await until(`a row of the view that begins with "${text}"`, async () =>
      (await this.treePlaces()).find((row) => row.text.trimStart().startsWith(text)),
    );
    return this.page.locator(`${ROW}[data-index="${index}"]`);
  }

  /** What the tabs of editors are called: as assistive programs read them, which every version of the workbench says. */
  tabs() {
    const named = (found) => found.map((tab) => tab.getAttribute('aria-label') ?? tab.innerText);
    return this.page.$$eval('.part.editor [role=tab]', named);
  }

  waitForTab(name) {
    return until(`the tab ${name}`, async () => (await this.tabs()).some((tab) => tab.includes(name)));
  }

  /** The frame of a webview in which the selector finds something. */
  frameWith(selector) {
    return until(`${selector} in a webview`, async () => {
      const seen = [];
      // The first is the workbench itself.
      for (const frame of this.page.frames().slice(1)) {
        if ((await frame.locator(selector).count()) > 0) {
          return frame;
        }
        seen.push((await frame.locator('body').innerText({ timeout: 1000 })).slice(0, 200));
      }
      throw new Error(`${seen.length} frames: ${JSON.stringify(seen)}`);
    });
  }
}
