// Runs the functions that a check sends in the extension host of its window, and responds with
// their results. Listens on a socket named after the process in the folder KENNING_E2E_HOSTS
// (lib/extensionHost.mjs).
'use strict';
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const vscode = require('vscode');

async function readBody(request) {
  const chunks = [];
  for await (const chunk of request) {
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString());
}

/**
 * Calls the function with this source. Its arguments are the VS Code API, `argument` and the folder
 * of the window's logs.
 */
async function call({ source, argument }, logs) {
  try {
    const run = (0, eval)(`(${source})`);
    return { value: await run(vscode, argument, logs) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

exports.activate = (context) => {
  const folder = process.env.KENNING_E2E_HOSTS;
  if (folder === undefined) {
    return;
  }
  // The driver's log folder is `exthost1/kenning-tests.driver`. The log folders of other extensions
  // are next to it.
  const logs = path.dirname(context.logUri.fsPath);
  const server = http.createServer(async (request, response) => {
    response.end(JSON.stringify(await call(await readBody(request), logs)));
  });
  // Rename the socket when the server listens, because checks connect as soon as they find it.
  const socket = path.join(folder, `${process.pid}.sock`);
  server.listen(`${socket}.new`, () => fs.renameSync(`${socket}.new`, socket));
  context.subscriptions.push({ dispose: () => server.close() });
};
