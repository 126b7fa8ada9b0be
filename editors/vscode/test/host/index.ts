/**
 * Runs the tests of this folder with mocha inside the extension host and writes the results to a
 * file.
 */
import { renameSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import Mocha from 'mocha';

interface Outcome {
  title: string;
  error?: string;
}

export async function run(): Promise<void> {
  const mocha = new Mocha({ ui: 'bdd', timeout: 60_000 });
  mocha.addFile(path.join(__dirname, 'extension.test.js'));
  const outcomes: Outcome[] = [];
  await new Promise<void>((resolve) => {
    const runner = mocha.run(() => {
      resolve();
    });
    runner.on('pass', (test) => outcomes.push({ title: test.fullTitle() }));
    runner.on('fail', (test, error: Error) => {
      outcomes.push({ title: test.fullTitle(), error: error.stack ?? error.message });
    });
  });
  const file = process.env.KENNING_HOST_RESULT;
  if (file !== undefined) {
    // Rename the complete file, because another process waits for it.
    writeFileSync(`${file}.part`, JSON.stringify(outcomes));
    renameSync(`${file}.part`, file);
  }
}
