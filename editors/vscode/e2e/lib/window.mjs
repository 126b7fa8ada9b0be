// A window of the workbench, used as a person does: keys, the pointer, and what is on the screen.
import path from 'node:path';
import { equal } from './report.mjs';

const EDITOR = '.part.editor .editor-instance';
const QUICK = '.quick-input-widget:not([style*="display: none"])';
const WAIT = { timeout: 60_000 };
/** Times that a blank page is opened once more. */
const REOPENS = 4;
/** Milliseconds after which keys count as swallowed, and are pressed again. */
const SWALLOWED_MS = 3000;
/** Milliseconds after which the palette is opened once more. */
const LISTED_MS = 20_000;

const plain = (text) => text.replace(/[\u00a0\u202f]/g, ' ');

export class Window {
  constructor(page, shots) {
    this.page = page;
    this.shots = shots;
  }

  /** Opens a folder or a `.code-workspace` file, with these files in editors. */
  static async open(context, server, { folder, workspace, files = [], shots, init }) {
    const page = await context.newPage();
    if (init !== undefined) {
      await page.addInitScript(init.script, init.argument);
    }
    const host = server.origin.replace('http://', '');
    const payload = files.map((file) => ['openFile', `vscode-remote://${host}${file}`]);
    const what =
      workspace === undefined
        ? `folder=${encodeURIComponent(folder)}`
        : `workspace=${encodeURIComponent(workspace)}`;
    await page.goto(`${server.origin}/?${what}&payload=${encodeURIComponent(JSON.stringify(payload))}`);
    await page.waitForSelector('.monaco-workbench', WAIT);
    const window = new Window(page, shots);
    if (files.length > 0) {
      await page.waitForSelector(`${EDITOR} .view-line`, WAIT);
    }
    return window;
  }

  shot(name) {
    return this.page.screenshot({ path: path.join(this.shots, `${name}.png`) });
  }

  /** Waits until `read` gives something that is true, or fails with what it gave last. */
  async until(what, read, timeout = 120_000) {
    const end = Date.now() + timeout;
    let last;
    for (;;) {
      try {
        last = await read();
        if (last) {
          return last;
        }
      } catch (error) {
        last = error.message;
      }
      if (Date.now() > end) {
        throw new Error(`waited in vain for ${what}; last: ${JSON.stringify(last)}`);
      }
      await this.page.waitForTimeout(100);
    }
  }

  /** Waits until `read` gives exactly what is expected. */
  settles(what, read, expected) {
    return this.until(what, async () => {
      equal(await read(), expected, what);
      return true;
    });
  }

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

  async waitForLens(text) {
    return this.until(`the lens "${text}"`, async () => {
      const lenses = await this.lenses();
      return lenses.find((lens) => lens.includes(text));
    });
  }

  /**
   * Opens the box of a key, which has the text `first` in it, writes `text`, and presses Enter when `ready` holds. A page that
   * is loading in a webview takes the focus when it likes, swallows keys, and so closes the box: then all is done once more.
   */
  async openQuick(key, first, text, ready = () => true) {
    await this.until(`"${text}" in the box of ${key}`, async () => {
      await this.closeQuick();
      await this.leaveWebview();
      await this.press(key);
      await this.until(`the box of ${key}`, async () => (await this.inQuick()) === first, SWALLOWED_MS);
      await this.fill(text);
      await this.until(`what the box offers for "${text}"`, ready, LISTED_MS);
      await this.accept(text);
      return true;
    });
  }

  /** Takes the focus out of a webview, as a click beside it does: one that never loads hands no key on to the workbench. */
  leaveWebview() {
    return this.page.evaluate(() => {
      if (document.activeElement?.tagName === 'IFRAME') {
        document.activeElement.blur();
      }
    });
  }

  /** What stands in the box that has the focus; nothing where none has it. */
  inQuick() {
    return this.page.evaluate(() => {
      const focused = document.activeElement;
      return focused?.closest('.quick-input-widget') == null ? undefined : focused.value;
    });
  }

  /** Writes into the box that is open; fails soon where it has closed or swallowed keys. */
  async fill(text) {
    await this.until('the focus of the box', async () => (await this.inQuick()) !== undefined, SWALLOWED_MS);
    await this.press('Control+a');
    await this.type(text);
    await this.until(`"${text}" in the box`, async () => (await this.inQuick()) === text, SWALLOWED_MS);
  }

  /** Presses Enter until the box with this text has taken it: it is gone, or asks for something else. */
  async accept(text) {
    equal(await this.inQuick(), text, 'the text in the box');
    await this.until('the box to take Enter', async () => {
      await this.press('Enter');
      await this.until('another box', async () => (await this.inQuick()) !== text, SWALLOWED_MS);
      return true;
    });
  }

  /** Sends the box away, and waits until it is gone. */
  async closeQuick() {
    await this.until('the end of the box', async () => {
      if ((await this.page.$$(QUICK)).length === 0) {
        return true;
      }
      await this.press('Escape');
      return false;
    });
  }

  /** Runs a command from the palette. */
  run(title) {
    const found = async () => (await this.rows())[0]?.replace(/\s+/g, ' ').includes(title);
    return this.openQuick('F1', '>', `>${title}`, found);
  }

  /** Runs a command of the extension that asks for a text, and gives it one when this row is offered. */
  ask(command, text, row) {
    return this.until(`${command} to take "${text}"`, async () => {
      await this.run(`Kenning: ${command}`);
      const asks = async () => (await this.quickTitle()).some((title) => title.includes(command));
      await this.until('the input', asks, LISTED_MS);
      await this.fill(text);
      await this.waitForRow(row, LISTED_MS);
      await this.accept(text);
      return true;
    });
  }

  /** Opens a file by its name, as Ctrl+P does: once more where the list was still that of another text when Enter came. */
  openFile(name) {
    const found = async () => (await this.rows())[0]?.includes(name);
    const isOpen = async () => (await this.tabs('.active')).some((tab) => tab.includes(name));
    return this.until(`the file ${name}`, async () => {
      await this.openQuick('Control+p', '', name, found);
      return this.until(`the tab of ${name}`, isOpen, LISTED_MS);
    });
  }

  /** The rows of the quick pick with their places in it, from top to bottom; the list makes them in any order. */
  async places() {
    const rows = await this.page.$$eval(`${QUICK} .quick-input-list .monaco-list-row`, (found) =>
      found.map((one) => ({ text: one.innerText, index: Number(one.dataset.index) })),
    );
    return rows
      .toSorted((a, b) => a.index - b.index)
      .map(({ text, index }) => ({ text: plain(text), index }));
  }

  /** The rows of the quick pick, from top to bottom. */
  async rows() {
    return (await this.places()).map((row) => row.text);
  }

  async waitForRow(text, timeout) {
    const found = async () => (await this.rows()).find((row) => row.includes(text));
    return this.until(`a row "${text}"`, found, timeout);
  }

  quickTitle() {
    return this.texts(`${QUICK} .quick-input-title`);
  }

  /** Chooses the first row that begins so, and gives what stands beside its label. */
  async choose(text) {
    const { index } = await this.until(`a row that begins with "${text}"`, async () =>
      (await this.places()).find((row) => row.text.trimStart().startsWith(text)),
    );
    const row = this.page.locator(`${QUICK} .quick-input-list .monaco-list-row[data-index="${index}"]`);
    const beside = await row.locator('.label-description').allInnerTexts();
    await row.click();
    return plain(beside.join(' '));
  }

  type(text) {
    return this.page.keyboard.type(text);
  }

  press(key) {
    return this.page.keyboard.press(key);
  }

  /** The texts of the notifications. */
  toasts() {
    return this.texts('.notifications-toasts .notification-list-item');
  }

  async waitForToast(pattern) {
    return this.until(`a message like ${pattern}`, async () =>
      (await this.toasts()).find((toast) => pattern.test(toast)),
    );
  }

  async clearToasts() {
    await this.run('Notifications: Clear All Notifications');
    await this.until('no message', async () => (await this.toasts()).length === 0);
  }

  clickToast(button) {
    return this.page.locator('.notifications-toasts .monaco-button', { hasText: button }).first().click();
  }

  clipboard() {
    return this.page.evaluate(() => navigator.clipboard.readText());
  }

  clearClipboard() {
    return this.page.evaluate(() => navigator.clipboard.writeText('nothing yet'));
  }

  /** Puts the cursor on a word of the editor, in the first line that begins so. */
  async click(line, word) {
    await this.word(line, word).click();
  }

  word(line, word) {
    return this.page
      .locator(`${EDITOR} .view-line`, { hasText: line })
      .first()
      .locator('span span', { hasText: word })
      .last();
  }

  /** Goes to `line:column` by the keyboard. */
  async goTo(line, column = 1) {
    await this.openQuick('Control+g', ':', `:${line}:${column}`);
    // Keys that follow sooner would go into the box.
    await this.until('the end of Go to Line', async () => (await this.page.$$(QUICK)).length === 0);
  }

  async hover(line, word) {
    await this.page.mouse.move(5, 5);
    await this.word(line, word).hover();
    return this.until('a hover', async () => {
      const hovers = await this.texts(
        '.monaco-hover:not(.hidden) .hover-contents, .monaco-hover:not(.hidden)',
      );
      return hovers.join('\n') || undefined;
    });
  }

  hovers() {
    return this.texts('.monaco-hover:not(.hidden)');
  }

  /** What the status bar shows. */
  statusBar() {
    return this.texts('.part.statusbar .statusbar-item');
  }

  /** The rows of the Task Context view. */
  tree() {
    return this.texts('.part.sidebar .pane-body .monaco-list-row');
  }

  /** The row of the view that begins so. */
  treeRow(text) {
    const begins = new RegExp(`^\\s*${text.replace('.', '\\.')}`);
    return this.page.locator('.part.sidebar .pane-body .monaco-list-row', { hasText: begins }).first();
  }

  /** What the tabs of editors are called: as assistive programs read them, which every version of the workbench says. */
  tabs(which = '') {
    const named = (found) => found.map((tab) => tab.getAttribute('aria-label') ?? tab.innerText);
    return this.page.$$eval(`.part.editor [role=tab]${which}`, named);
  }

  /**
   * The first frame in which the selector finds something. For up to a minute after a page was closed the workbench sometimes
   * leaves a new one blank, whosever it is: then it is closed, and `reopen` opens it once more, as a person would.
   */
  async frameWith(selector, reopen) {
    for (let times = 0; ; times += 1) {
      const last = reopen === undefined || times === REOPENS;
      try {
        return await this.until(
          `${selector} in a webview`,
          () => this.find(selector),
          last ? 120_000 : 30_000,
        );
      } catch (error) {
        if (last) {
          throw error;
        }
        await this.run('View: Close All Editors');
        await reopen();
      }
    }
  }

  /** The frame in which the selector finds something now; fails with what stands in the others. */
  async find(selector) {
    const seen = [];
    // The first is the workbench itself.
    for (const frame of this.page.frames().slice(1)) {
      try {
        if ((await frame.locator(selector).count()) > 0) {
          return frame;
        }
        seen.push((await frame.locator('body').innerText()).slice(0, 200));
      } catch {
        // The frame is gone.
      }
    }
    throw new Error(`${seen.length} frames: ${JSON.stringify(seen)}`);
  }

  close() {
    return this.page.close();
  }
}
