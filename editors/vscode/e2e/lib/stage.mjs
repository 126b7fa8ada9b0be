// Sets up what a check needs: a new window on a new copy of a workspace, in a browser context
// without stored data.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { CodeServer } from './codeServer.mjs';
import { findServers } from './processes.mjs';
import { until } from './wait.mjs';
import { Window } from './window.mjs';
import { makeStall, writeSettings } from './workspace.mjs';

const BROWSER_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The workbenches and the browser, which checks share until one of them fails. */
export class Stage {
  /**
   * `config`: the programs `codeServer`, `chromium` and `kenning`; the extensions to install
   * (`packages`); the folders for temporary files (`state`) and for `screenshots`; the `root` of
   * the extension; `searchPath`, and `serversPath` with language servers; `firstPort`.
   */
  constructor(config) {
    this.config = config;
    this.servers = new Map();
    this.port = config.firstPort;
    this.foreignHosts = new Set();
    this.folderCount = 0;
  }

  /**
   * Returns a running workbench with these options. Starts one with the extensions installed if
   * there is none.
   */
  async ensureServer(options = {}) {
    const key = JSON.stringify(options);
    let server = this.servers.get(key);
    if (server === undefined) {
      const { codeServer, packages, state, searchPath, serversPath } = this.config;
      this.port += 1;
      server = new CodeServer({
        folder: codeServer,
        state: path.join(state, `server${this.port}`),
        port: this.port,
        path: options.languageServers === true ? `${serversPath}:${searchPath}` : searchPath,
        ...options,
      });
      this.servers.set(key, server);
      server.install(packages);
      await server.start();
    }
    server.resetSettings();
    return server;
  }

  /** Opens a browser context without stored data for this server. */
  async openContext(server) {
    this.browser ??= await chromium.launch({
      executablePath: this.config.chromium,
      headless: true,
      args: BROWSER_FLAGS,
    });
    const context = await this.browser.newContext({ viewport: { width: 1240, height: 780 } });
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.origin });
    context.on('request', (request) => {
      const { protocol, hostname } = new URL(request.url());
      const isOwn = hostname === '127.0.0.1' || hostname === 'localhost' || hostname.endsWith('.localhost');
      if (/^(http|ws)/.test(protocol) && !isOwn) {
        this.foreignHosts.add(hostname);
      }
    });
    return context;
  }

  /** Returns the path of a folder that no other check uses. */
  newFolder(name) {
    this.folderCount += 1;
    return path.join(this.config.state, 'work', `${this.folderCount}`, name);
  }

  /** Ends the workbenches and the browser. The next check starts new ones. */
  async shutDown() {
    await this.browser?.close();
    this.browser = undefined;
    [...this.servers.values()].forEach((server) => server.stop());
    this.servers.clear();
  }
}

/** The workspace and the windows of one check. */
export class Scene {
  constructor(stage) {
    this.stage = stage;
    this.windows = [];
    this.folders = [];
    // Checks destructure the scene, so bind these methods.
    this.open = this.open.bind(this);
    this.kenning = this.kenning.bind(this);
  }

  /** Creates the workspace and opens its window, according to the check's options. */
  async setUp({ server = {}, make = makeStall, settings, file, window = true, indexed = true, history }) {
    this.server = await this.stage.ensureServer(server);
    this.context = await this.stage.openContext(this.server);
    this.folder = this.makeFolder('stall', make);
    if (settings !== undefined) {
      writeSettings(this.folder, settings);
    }
    if (window) {
      this.window = await this.open({ file: file && path.join(this.folder, file) });
      if (indexed) {
        await this.window.waitForIndex({ history });
      }
    }
  }

  /** Creates a folder with `make`. {@link tearDown} waits until no server runs in it. */
  makeFolder(name, make) {
    const folder = this.stage.newFolder(name);
    fs.mkdirSync(path.dirname(folder), { recursive: true });
    make(folder);
    this.folders.push(folder);
    return folder;
  }

  /** Opens a window. Its folder is the check's workspace unless `options` name another. */
  async open(options = {}) {
    const window = new Window(await this.context.newPage(), this.stage.config.screenshots);
    this.windows.push(window);
    await window.open(this.server, { folder: this.folder, ...options });
    return window;
  }

  /**
   * Runs the program on the check's workspace, concurrently with the session, and returns its
   * output.
   */
  kenning(...args) {
    const options = { cwd: this.folder, env: this.server.env, encoding: 'utf8' };
    return execFileSync(this.stage.config.kenning, args, options);
  }

  /** Saves screenshots and logs of all windows in a folder. */
  async saveDiagnostics(folder) {
    await Promise.all(
      this.windows.map((window, n) => window.saveDiagnostics(path.join(folder, `window${n + 1}`))),
    );
    const log = this.server && path.join(this.server.state, 'code-server.log');
    if (log !== undefined && fs.existsSync(log)) {
      fs.copyFileSync(log, path.join(folder, 'code-server.log'));
    }
  }

  /** Closes the windows and waits for their servers to end. */
  async tearDown() {
    for (const window of this.windows) {
      await window.close();
    }
    await this.context?.close();
    const runningServers = () => this.folders.flatMap(findServers);
    await until('the servers of closed windows to end', async () => runningServers().length === 0, 20_000);
  }
}
