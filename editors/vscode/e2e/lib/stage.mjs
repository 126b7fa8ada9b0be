// What a check gets: a window of its own on a copy of a workspace of its own, in a browser that remembers nothing.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { CodeServer } from './codeServer.mjs';
import { serversIn } from './processes.mjs';
import { until } from './wait.mjs';
import { Window } from './window.mjs';
import { makeStall, writeSettings } from './workspace.mjs';

const BROWSER = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The workbench and the browser that checks share while they pass. */
export class Stage {
  /**
   * `config`: `codeServer` and `chromium` to run; `packages` to install; `state`, a folder for what a run needs, and `shots` for its
   * pictures; the program `kenning`; the `root` of the extension; `searchPath`, and `serversPath` with language servers; `firstPort`.
   */
  constructor(config) {
    this.config = config;
    this.servers = new Map();
    this.port = config.firstPort;
    this.foreign = new Set();
    this.opened = 0;
  }

  /** The workbench for these options: one that runs already, or a new one with the extensions installed. */
  async serve(options = {}) {
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

  /** A browser without a memory that talks to this server. */
  async browse(server) {
    this.browser ??= await chromium.launch({
      executablePath: this.config.chromium,
      headless: true,
      args: BROWSER,
    });
    const context = await this.browser.newContext({ viewport: { width: 1240, height: 780 } });
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.origin });
    context.on('request', (request) => {
      const { protocol, hostname } = new URL(request.url());
      const isOwn = hostname === '127.0.0.1' || hostname === 'localhost' || hostname.endsWith('.localhost');
      if (/^(http|ws)/.test(protocol) && !isOwn) {
        this.foreign.add(hostname);
      }
    });
    return context;
  }

  /** A folder that no other check has. */
  newFolder(name) {
    this.opened += 1;
    return path.join(this.config.state, 'work', `${this.opened}`, name);
  }

  /** Ends everything that is shared: the next check gets a new workbench and a new browser. */
  async end() {
    await this.browser?.close();
    this.browser = undefined;
    [...this.servers.values()].forEach((server) => server.stop());
    this.servers.clear();
  }
}

/** The surroundings of one check. */
export class Scene {
  constructor(stage) {
    this.stage = stage;
    this.windows = [];
    this.folders = [];
    // Checks take these out of the scene.
    this.open = this.open.bind(this);
    this.kenning = this.kenning.bind(this);
  }

  /** Makes the workspace and opens its window as the check's options say. */
  async set({ server = {}, make = makeStall, settings, file, window = true, indexed = true, history }) {
    this.server = await this.stage.serve(server);
    this.context = await this.stage.browse(this.server);
    this.folder = this.makeFolder('stall', make);
    if (settings !== undefined) {
      writeSettings(this.folder, settings);
    }
    if (window) {
      this.window = await this.open({ file: file && path.join(this.folder, file) });
      if (indexed) {
        await this.window.indexed({ history });
      }
    }
  }

  makeFolder(name, make) {
    const folder = this.stage.newFolder(name);
    fs.mkdirSync(path.dirname(folder), { recursive: true });
    make(folder);
    this.folders.push(folder);
    return folder;
  }

  /** Opens a window, on the check's workspace unless `where` names another. */
  async open(where = {}) {
    const window = new Window(await this.context.newPage(), this.stage.config.shots);
    this.windows.push(window);
    await window.open(this.server, { folder: this.folder, ...where });
    return window;
  }

  /** Runs the program on the check's workspace, beside the session, and returns what it prints. */
  kenning(...args) {
    const options = { cwd: this.folder, env: this.server.env, encoding: 'utf8' };
    return execFileSync(this.stage.config.kenning, args, options);
  }

  async keep(folder) {
    await Promise.all(this.windows.map((window, n) => window.keep(path.join(folder, `window${n + 1}`))));
    const log = this.server && path.join(this.server.state, 'code-server.log');
    if (log !== undefined && fs.existsSync(log)) {
      fs.copyFileSync(log, path.join(folder, 'code-server.log'));
    }
  }

  /** Closes the windows, and waits until the language servers have ended with them. */
  async strike() {
    for (const window of this.windows) {
      await window.close();
    }
    await this.context?.close();
    const left = () => this.folders.flatMap(serversIn);
    await until('the end of the servers of closed windows', async () => left().length === 0, 20_000);
  }
}
