// Creates the pictures of the walkthrough and of the README from the screenshots of the checks in
// the workbench. Run it after `scripts/test-vscode --only-e2e` if the user interface has changed,
// and check the result. node scripts/pictures.mjs [SCREENSHOTS] [CHROMIUM]
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

/** The screenshot behind each picture, and the part of it to show: left, top, width, height. */
const PICTURES = {
  'walkthrough/index.png': ['status-bar', [440, 460, 800, 320]],
  'walkthrough/copy.png': ['input', [220, 0, 800, 240]],
  'walkthrough/explain.png': ['explain', [348, 30, 892, 360]],
  'walkthrough/blast.png': ['users', [0, 0, 1240, 600]],
  'walkthrough/diagram.png': ['diagram-light', [348, 30, 892, 728]],
  'walkthrough/search.png': ['search', [0, 0, 1240, 600]],
  'walkthrough/servers.png': ['status', [440, 460, 800, 320]],
  'walkthrough/agents.png': ['settings-agents', [348, 30, 892, 300]],
  'walkthrough/settings.png': ['settings', [348, 30, 892, 560]],
  'media/screenshots/copied.png': ['copied', [0, 0, 1240, 780]],
  'media/screenshots/diagram.png': ['diagram-light', [0, 0, 1240, 780]],
  'media/screenshots/lenses.png': ['lenses', [0, 0, 1240, 780]],
  'media/screenshots/overview.png': ['overview', [0, 0, 1240, 780]],
  'media/screenshots/search.png': ['search', [0, 0, 1240, 780]],
  'media/screenshots/users.png': ['users', [0, 0, 1240, 780]],
  'media/screenshots/view.png': ['view', [0, 0, 1240, 780]],
};

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const screenshots = path.resolve(process.argv[2] ?? path.join(root, '../../target/vscode/screenshots'));
const executablePath = process.argv[3] ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
const page = await browser.newPage({ viewport: { width: 1240, height: 780 } });
for (const [picture, [screenshot, [x, y, width, height]]] of Object.entries(PICTURES)) {
  const source = path.join(screenshots, `${screenshot}.png`);
  if (!fs.existsSync(source)) {
    console.error(`${source} is missing; run scripts/test-vscode --only-e2e`);
    process.exitCode = 1;
    continue;
  }
  const data = fs.readFileSync(source).toString('base64');
  await page.setContent(`<body style="margin:0"><img src="data:image/png;base64,${data}"></body>`);
  await page.waitForFunction(() => document.images[0].complete);
  const target = path.join(root, picture);
  await page.screenshot({ path: target, clip: { x, y, width, height } });
  console.log(`${picture}: ${fs.statSync(target).size} bytes`);
}
await browser.close();
