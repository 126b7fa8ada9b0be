#!/usr/bin/env node
// Starts the program of the package for this platform, and passes on its signals and exit status.
'use strict';
const { spawn } = require('node:child_process');
const { constants } = require('node:os');
const { optionalDependencies } = require('../package.json');

const extension = process.platform === 'win32' ? '.exe' : '';
const name = `@NPM_SCOPE@/${process.platform}-${process.arch}`;

function fail(reason) {
  console.error(`kenning: ${reason}`);
  process.exit(1);
}

function findProgram() {
  try {
    return require.resolve(`${name}/bin/kenning${extension}`);
  } catch {
    if (optionalDependencies[name] === undefined) {
      fail(`there is no package for ${process.platform}-${process.arch}; see @REPOSITORY@/blob/main/docs/install.md`);
    }
    fail(
      `the package ${name} is not installed. Install again without --omit=optional. ` +
        'On a Linux without glibc, such as Alpine, build from source: @REPOSITORY@/blob/main/docs/install.md',
    );
  }
}

const child = spawn(findProgram(), process.argv.slice(2), { stdio: 'inherit' });
['SIGTERM', 'SIGHUP'].forEach((signal) => process.on(signal, () => child.kill(signal)));
// A terminal sends it to the program as well.
process.on('SIGINT', () => {});
child.on('error', (error) => fail(`${child.spawnfile} does not start: ${error.message}`));
child.on('exit', (status, signal) => process.exit(status ?? 128 + constants.signals[signal]));
