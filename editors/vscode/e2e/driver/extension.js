// Runs functions that a check sends, in the extension host of its window, and answers with what they return.
// Listens on a socket named after the process, in the folder that KENNING_E2E_HOSTS names (lib/extensionHost.mjs).
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

/** Calls the function whose source is `source` with the VS Code API, the argument and where this window logs. */
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
  // `exthost1/kenning-tests.driver` is the folder for our own log; the other extensions log beside it.
  const logs = path.dirname(context.logUri.fsPath);
  const server = http.createServer(async (request, response) => {
    response.end(JSON.stringify(await call(await readBody(request), logs)));
  });
  // It gets its name when it listens: whoever sees the name may connect.
  const socket = path.join(folder, `${process.pid}.sock`);
  server.listen(`${socket}.new`, () => fs.renameSync(`${socket}.new`, socket));
  context.subscriptions.push({ dispose: () => server.close() });
};
