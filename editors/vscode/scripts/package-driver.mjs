// Packages the test-only extension e2e/driver, which runs the functions of the checks, as
// dist/driver.vsix.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVSIX } from '@vscode/vsce';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
fs.mkdirSync(path.join(root, 'dist'), { recursive: true });
await createVSIX({
  cwd: path.join(root, 'e2e/driver'),
  packagePath: path.join(root, 'dist/driver.vsix'),
  dependencies: false,
  allowMissingRepository: true,
  allowStarActivation: true,
  skipLicense: true,
});
