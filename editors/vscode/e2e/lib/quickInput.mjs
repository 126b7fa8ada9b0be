// Controls the quick input at the top of the window, in which users type text and select items.
import { normalizeSpaces, readRows } from './texts.mjs';
import { repeatUntil, until } from './wait.mjs';

const BOX = '.quick-input-widget:not([style*="display: none"])';
const ROW = `${BOX} .quick-input-list .monaco-list-row`;

/**
 * Timeout of a click in milliseconds. The workbench may replace the clicked element in the
 * meantime.
 */
const CLICK_MS = 3000;

/** The quick input of a window. */
export class QuickInput {
  constructor(page) {
    this.page = page;
    this.input = page.locator(`${BOX} .monaco-inputbox input.input`).first();
  }

  async title() {
    const titles = await this.page.$$eval(`${BOX} .quick-input-title`, (elements) =>
      elements.map((element) => element.innerText),
    );
    return normalizeSpaces(titles.join(' '));
  }

  /** Waits for a quick input whose title contains a text, and returns the title. */
  waitForTitle(text) {
    return until(`a quick input with the title "${text}"`, async () => {
      const title = await this.title();
      return title.includes(text) ? title : Promise.reject(new Error(title));
    });
  }

  /** Replaces the typed text. */
  fill(text) {
    return this.input.fill(text);
  }

  /** Accepts the typed text or the selected row. */
  accept() {
    return this.input.press('Enter');
  }

  async close() {
    await this.input.press('Escape');
    await until('the quick input to close', async () => (await this.page.$$(BOX)).length === 0);
  }

  /** Clicks a button of the title bar, which opens another quick input. */
  async clickButton(tooltip) {
    const title = await this.title();
    const button = this.page.locator(`${BOX} .quick-input-titlebar .action-label[aria-label="${tooltip}"]`);
    await repeatUntil(
      `the effect of the button "${tooltip}"`,
      () => button.click({ timeout: CLICK_MS }),
      async () => (await this.title()) !== title,
    );
  }

  /** Returns the rows with their indexes in the list. */
  indexedRows() {
    return readRows(this.page, ROW);
  }

  async rows() {
    return (await this.indexedRows()).map((row) => row.text);
  }

  /** Waits for a row that contains this text and returns the row's text. */
  waitForRow(text) {
    return until(`a row "${text}"`, async () => {
      const rows = await this.rows();
      return rows.find((row) => row.includes(text)) ?? Promise.reject(new Error(JSON.stringify(rows)));
    });
  }

  /**
   * Selects the first row that starts with this text and returns the description next to its label.
   */
  async select(text) {
    const find = async () => (await this.indexedRows()).find((row) => row.text.trimStart().startsWith(text));
    let description = '';
    const click = async () => {
      const match = await find();
      if (match !== undefined) {
        const row = this.page.locator(`${ROW}[data-index="${match.index}"]`);
        description = (await row.locator('.label-description').allInnerTexts()).join(' ');
        await row.click({ timeout: CLICK_MS });
      }
    };
    await until(`a row that starts with "${text}"`, find);
    await repeatUntil(`the selection of "${text}"`, click, async () => (await find()) === undefined);
    return normalizeSpaces(description);
  }
}
