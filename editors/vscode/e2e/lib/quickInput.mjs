// The box at the top of the window in which people choose, type and confirm.
import { plain, readRows } from './texts.mjs';
import { actUntil, until } from './wait.mjs';

const BOX = '.quick-input-widget:not([style*="display: none"])';
const ROW = `${BOX} .quick-input-list .monaco-list-row`;

/** Milliseconds that a click may take: what is clicked may be replaced meanwhile. */
const CLICK_MS = 3000;

export class QuickInput {
  constructor(page) {
    this.page = page;
    this.input = page.locator(`${BOX} .monaco-inputbox input.input`).first();
  }

  async title() {
    const titles = await this.page.$$eval(`${BOX} .quick-input-title`, (all) =>
      all.map((one) => one.innerText),
    );
    return plain(titles.join(' '));
  }

  waitForTitle(text) {
    return until(`a box with the title "${text}"`, async () => {
      const title = await this.title();
      return title.includes(text) ? title : Promise.reject(new Error(title));
    });
  }

  /** Writes into the box, whatever has the focus. */
  fill(text) {
    return this.input.fill(text);
  }

  /** Confirms what is written or chosen. */
  accept() {
    return this.input.press('Enter');
  }

  async close() {
    await this.input.press('Escape');
    await until('the end of the box', async () => (await this.page.$$(BOX)).length === 0);
  }

  /** The rows with their places in the list. */
  places() {
    return readRows(this.page, ROW);
  }

  async rows() {
    return (await this.places()).map((row) => row.text);
  }

  /** Waits for a row with this text in it, and returns the row's whole text. */
  waitForRow(text) {
    return until(`a row "${text}"`, async () => {
      const rows = await this.rows();
      return rows.find((row) => row.includes(text)) ?? Promise.reject(new Error(JSON.stringify(rows)));
    });
  }

  /** Chooses the first row that begins with this text, and returns what stands beside its label. */
  async choose(text) {
    const find = async () => (await this.places()).find((row) => row.text.trimStart().startsWith(text));
    let beside = '';
    const click = async () => {
      const place = await find();
      if (place !== undefined) {
        const row = this.page.locator(`${ROW}[data-index="${place.index}"]`);
        beside = (await row.locator('.label-description').allInnerTexts()).join(' ');
        await row.click({ timeout: CLICK_MS });
      }
    };
    await until(`a row that begins with "${text}"`, find);
    await actUntil(`the choice of "${text}"`, click, async () => (await find()) === undefined);
    return plain(beside);
  }
}
