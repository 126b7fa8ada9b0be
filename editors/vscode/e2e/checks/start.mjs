// Checks the features that a new user sees first: the walkthrough with its pictures, the settings,
// the item of the status bar, and the actions at a symbol.
import { assertTrue, equal, pause, repeatUntil, until } from '../lib/wait.mjs';

const FILE = 'orders/discount.go';
const WALKTHROUGH = 'kenning-lsp.kenning#start';
/** A time after which the editor has asked for the actions at a cursor that does not move. */
const ACTION_DELAY_MS = 1000;
const STEP = '.gettingStartedContainer .getting-started-step';

/** Returns the titles of the steps of the open walkthrough. */
async function readSteps(window) {
  const texts = await window.texts(`${STEP} .step-title`);
  return texts.map((text) => text.trim()).filter((text) => text !== '');
}

/** Whether the picture of the selected step is loaded. Runs in the page's frames. */
const hasPicture = () => {
  const pictures = [...document.querySelectorAll('img')];
  return pictures.some((picture) => picture.complete && picture.naturalWidth > 600);
};

export const checks = [
  {
    name: 'start: each step of the walkthrough has a picture',
    file: FILE,
    async run({ window }) {
      await window.command('workbench.action.closeSidebar');
      await window.command('workbench.action.openWalkthrough', WALKTHROUGH, false);
      const steps = await until('the steps', async () => {
        const titles = await readSteps(window);
        return titles.length >= 8 && titles;
      });
      for (const [at, title] of steps.entries()) {
        await repeatUntil(
          `the step "${title}"`,
          () => window.page.locator(STEP).nth(at).click({ timeout: 3000 }),
          async () => (await window.page.locator(STEP).nth(at).getAttribute('class')).includes('expanded'),
        );
        await until(`the picture of "${title}"`, async () => {
          const loaded = await Promise.all(
            window.page.frames().map((frame) => frame.evaluate(hasPicture).catch(() => false)),
          );
          return loaded.includes(true);
        });
        await window.screenshot(`walkthrough-${at + 1}`);
      }
      return steps.join(', ');
    },
  },
  {
    name: 'start: the settings are in the order of use',
    file: FILE,
    async run({ window }) {
      await window.command('workbench.action.openSettings', '@ext:kenning-lsp.kenning');
      const names = await until('the settings', async () => {
        const labels = await window.texts('.settings-editor .setting-item-label');
        return labels.length >= 3 && labels;
      });
      equal(names.slice(0, 2), ['Format', 'Learning'], 'the first settings');
      await window.screenshot('settings');
      await window.command('workbench.action.openSettings', 'kenning.mcpServer.enabled');
      await until('the setting for agents', async () => {
        const labels = await window.texts('.settings-editor .setting-item-label');
        return labels.length === 1 && labels[0] === 'Enabled';
      });
      await window.screenshot('settings-agents');
    },
  },
  {
    name: 'status: the status bar has the number of symbols, and its tooltip the counts and the age',
    file: FILE,
    async run({ window }) {
      const item = window.page.locator('.statusbar-item[id="kenning-lsp.kenning.kenning.bar"]');
      await until('the item', async () => /Kenning: \d+ symbols/.test(await item.innerText()));
      const text = await until('the tooltip', async () => {
        await item.hover();
        const text = (await window.hovers()).join('\n');
        return /indexed/.test(text) && text;
      });
      assertTrue(/\d+ files \(python \d+, go \d+/.test(text) && /\d+ symbols, \d+ edges/.test(text), text);
      assertTrue(/indexed (just now|\d+ minutes? ago)/.test(text) && /Rebuild index/.test(text), text);
      await window.screenshot('status-bar');
    },
  },
  {
    name: 'actions: the key of the light bulb lists the actions of a symbol, which has no light bulb',
    file: FILE,
    async run({ window, folder }) {
      await window.openFile(`${folder}/${FILE}`, 4, 6);
      const rows = await until('the actions', async () => {
        await window.command('editor.action.quickFix');
        const rows = await window.texts('.action-widget .monaco-list-row');
        return rows.some((row) => row.includes('Copy context for Discount')) && rows;
      });
      assertTrue(
        rows.some((row) => row.includes('Show blast radius of Discount')),
        rows,
      );
      await window.screenshot('code-actions');
      const run = async () => {
        await window.command('selectNextCodeAction');
        await window.command('acceptSelectedCodeAction');
      };
      const hasUsers = async () => (await window.treeRows()).some((row) => row.startsWith('Callers'));
      await repeatUntil('the users', run, hasUsers);
      await window.openFile(`${folder}/${FILE}`, 4, 8);
      // Until the editor asks for actions here, it may show the light bulb of the list above.
      await pause(ACTION_DELAY_MS);
      const hasLightBulb = async () => (await window.page.locator('.lightBulbWidget:visible').count()) > 0;
      await until('no light bulb', async () => !(await hasLightBulb()));
    },
  },
];
