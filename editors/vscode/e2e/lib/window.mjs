// A window of the workbench: reads its texts, uses the pointer, and runs commands in its extension
// host.
import fs from 'node:fs';
import path from 'node:path';
import { QuickInput } from './quickInput.mjs';
import { normalizeSpaces, readRows } from './texts.mjs';
import { repeatUntil, until, untilEqual } from './wait.mjs';

const EDITOR = '.part.editor .editor-instance';
const HOVER = '.monaco-hover:not(.hidden)';
const ROW = '.part.sidebar .pane-body .monaco-list-row';
const LOAD = { timeout: 120_000 };
/** Maximum number of times that a window is loaded until it has its folders. */
const MAX_LOADS = 4;
/** Time to wait for the folders of a loaded window, in milliseconds. */
const FOLDERS_MS = 2000;
/**
 * Timeout of a click in milliseconds. The workbench may replace the clicked element in the
 * meantime.
 */
const CLICK_MS = 3000;
/** Maximum number of screenshots until two in a row are equal. */
const MAX_SCREENSHOTS = 30;

/** A window of the workbench in a page of the browser. */
export class Window {
  /** Creates a window. `screenshots` is the folder for screenshots. */
  constructor(page, screenshots) {
    this.page = page;
    this.screenshots = screenshots;
    this.console = [];
    this.quick = new QuickInput(page);
    page.on('console', (message) => this.console.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => this.console.push(`uncaught: ${error.message}`));
  }

  /**
   * Opens a folder or a `.code-workspace` file, and optionally a file in an editor. Waits until the
   * workbench, the extension host and the file have loaded.
   */
  async open(server, { folder, workspace, file, init }) {
    if (init !== undefined) {
      await this.page.addInitScript(init.script, init.argument);
    }
    const query = new URLSearchParams(workspace === undefined ? { folder } : { workspace });
    await this.load(server, () => this.page.goto(`${server.origin}/?${query}`));
    for (let loads = 1; !(await this.hasFolder()); loads += 1) {
      if (loads === MAX_LOADS) {
        throw new Error(`the window has no folder, loaded ${loads} times`);
      }
      await this.host.terminate();
      await this.load(server, () => this.page.reload());
    }
    if (file !== undefined) {
      await this.openFile(file);
    }
  }

  /** Navigates to the page, and waits for the workbench and its extension host. */
  async load(server, navigate) {
    const known = server.hosts.list();
    await navigate();
    await this.page.waitForSelector('.monaco-workbench .part.statusbar', LOAD);
    this.host = await server.hosts.waitForNewHost(known);
  }

  /**
   * Whether the window has a folder. If a browser opens a `.code-workspace` file for the first
   * time, VS Code reads the file during the start. On a loaded machine it can lose the result, and
   * the window then stays without folders.
   */
  async hasFolder() {
    const count = () => this.host.call((vscode) => vscode.workspace.workspaceFolders?.length ?? 0);
    return until('a folder', async () => (await count()) > 0, FOLDERS_MS).catch(() => false);
  }

  async close() {
    await this.page.close();
    await this.host?.terminate();
  }

  /** Saves a screenshot when the window has stopped changing. */
  async screenshot(name) {
    const take = () => this.page.screenshot({ caret: 'hide', animations: 'disabled' });
    let last = await take();
    for (let count = 1; count < MAX_SCREENSHOTS; count += 1) {
      const next = await take();
      if (next.equals(last)) {
        break;
      }
      last = next;
    }
    fs.writeFileSync(path.join(this.screenshots, `${name}.png`), last);
  }

  /**
   * Saves diagnostics of a failure in `folder`: a screenshot, the console, and the logs of the
   * extensions and the server.
   */
  async saveDiagnostics(folder) {
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

  // Actions in the extension host.

  /** Runs a command and returns its result. */
  command(id, ...args) {
    const run = (vscode, { id, args }) => vscode.commands.executeCommand(id, ...args);
    return this.host.call(run, { id, args });
  }

  /** Starts a command that asks the user for input, and does not wait for it to finish. */
  startCommand(id, ...args) {
    const run = (vscode, { id, args }) => {
      void vscode.commands.executeCommand(id, ...args);
    };
    return this.host.call(run, { id, args });
  }

  /**
   * Opens a file with the cursor at `line:column`, counted from 1, and waits until its editor shows
   * it.
   */
  async openFile(file, line = 1, column = 1) {
    const show = async (vscode, { file, line, column }) => {
      const position = new vscode.Position(line - 1, column - 1);
      await vscode.window.showTextDocument(vscode.Uri.file(file), {
        selection: new vscode.Range(position, position),
      });
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

  /** Sets a setting of the workspace. `undefined` removes it. */
  async set(name, value) {
    const run = (vscode, { name, value }) =>
      vscode.workspace.getConfiguration().update(name, value, vscode.ConfigurationTarget.Workspace);
    await this.host.call(run, { name, value });
  }

  /** Waits until the server has indexed everything, and, with `history`, the history in git. */
  waitForIndex({ history = false } = {}) {
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

  // Contents of the window.

  async texts(selector) {
    const texts = await this.page.$$eval(selector, (elements) =>
      elements.map((element) => element.innerText),
    );
    return texts.map(normalizeSpaces);
  }

  /**
   * Returns the titles of the lenses in the editor, from top to bottom. The workbench creates them
   * in any order.
   */
  async lenses() {
    const lenses = await this.page.$$eval(`${EDITOR} .codelens-decoration`, (elements) =>
      elements.map((element) => ({ text: element.innerText, top: element.getBoundingClientRect().top })),
    );
    return lenses.toSorted((a, b) => a.top - b.top).map((lens) => normalizeSpaces(lens.text));
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

  /** Returns the texts of the notifications. */
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

  /** Clicks a button of a notification and waits until the notification is gone. */
  clickToast(button) {
    const buttons = this.page.locator('.notifications-toasts .monaco-button', { hasText: button });
    const isGone = async () => (await buttons.count()) === 0;
    return repeatUntil(
      `the message with "${button}" to close`,
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

  /** Returns the texts of the status bar items. */
  statusBar() {
    return this.texts('.part.statusbar .statusbar-item');
  }

  /** Returns the text of the language status, which has the items of all extensions. */
  async languageStatus() {
    const item = this.page.locator('.statusbar-item[id="status.languageStatus"]');
    // The item moves when another item changes its text, so the pointer may have to follow it.
    const read = async () => {
      await item.hover({ timeout: 3000 });
      return (await this.texts('.hover-language-status')).join('\n').replace(/\s+/g, ' ');
    };
    return until('the language status', read);
  }

  /** Returns the rows of the Pack view with their indexes. */
  indexedTreeRows() {
    return readRows(this.page, ROW);
  }

  async treeRows() {
    return (await this.indexedTreeRows()).map((row) => row.text);
  }

  /** Waits until the rows of the tree view satisfy the condition, and returns them. */
  waitForTree(what, condition) {
    const find = async () => {
      const rows = await this.treeRows();
      return condition(rows) ? rows : Promise.reject(new Error(JSON.stringify(rows)));
    };
    return until(what, find);
  }

  /** Returns the first row of the view that starts with this text. */
  async findTreeRow(text) {
    const { index } = await until(`a row of the view that starts with "${text}"`, async () =>
      (await this.indexedTreeRows()).find((row) => row.text.trimStart().startsWith(text)),
    );
    return this.page.locator(`${ROW}[data-index="${index}"]`);
  }

  /**
   * Returns the accessible names of the editors' tabs, which are the same in every version of the
   * workbench.
   */
  tabs() {
    const readNames = (tabs) => tabs.map((tab) => tab.getAttribute('aria-label') ?? tab.innerText);
    return this.page.$$eval('.part.editor [role=tab]', readNames);
  }

  waitForTab(name) {
    return until(`the tab ${name}`, async () => (await this.tabs()).some((tab) => tab.includes(name)));
  }

  /** Waits for the frame of a webview that contains the selector. */
  waitForFrame(selector) {
    return until(`${selector} in a webview`, async () => {
      const texts = [];
      // The first frame is the workbench itself.
      for (const frame of this.page.frames().slice(1)) {
        if ((await frame.locator(selector).count()) > 0) {
          return frame;
        }
        texts.push((await frame.locator('body').innerText({ timeout: 1000 })).slice(0, 200));
      }
      throw new Error(`${texts.length} frames: ${JSON.stringify(texts)}`);
    });
  }
}
