// Starts the real workbench: code-server with one extension, a state folder of its own and nothing of this machine's user.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/** Settings that keep everything but the extension out of the picture. */
const SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.reduceMotion': 'on',
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'editor.accessibilitySupport': 'off',
  'editor.minimap.enabled': false,
  'editor.stickyScroll.enabled': false,
  'editor.inlayHints.enabled': 'off',
  'window.commandCenter': false,
  'chat.commandCenter.enabled': false,
  'chat.disableAIFeatures': true,
  'files.autoSave': 'off',
  'git.openRepositoryInParentFolders': 'never',
  'git.autofetch': false,
};

export class CodeServer {
  /** `options`: folder of code-server, state folder, port, whether workspaces have to be trusted, settings. */
  constructor(options) {
    this.options = options;
    this.state = options.state;
    this.origin = `http://127.0.0.1:${options.port}`;
    this.extensions = path.join(this.state, 'extensions');
    this.settingsFile = path.join(this.state, 'data/User/settings.json');
    this.env = {
      PATH: process.env.PATH,
      LANG: 'C.UTF-8',
      HOME: path.join(this.state, 'home'),
      XDG_CACHE_HOME: path.join(this.state, 'cache'),
      XDG_DATA_HOME: path.join(this.state, 'share'),
      XDG_CONFIG_HOME: path.join(this.state, 'config'),
      GOFLAGS: '-mod=mod',
      GOTOOLCHAIN: 'local',
      GOPROXY: 'off',
      GOTELEMETRY: 'off',
      PYRIGHT_PYTHON_IGNORE_WARNINGS: '1',
      // No marketplace: the workbench itself would ask one.
      EXTENSIONS_GALLERY: '{"serviceUrl":""}',
      ...options.env,
    };
    fs.mkdirSync(path.dirname(this.settingsFile), { recursive: true });
    fs.mkdirSync(this.env.HOME, { recursive: true });
    fs.writeFileSync(
      path.join(this.state, 'config.yaml'),
      `bind-addr: 127.0.0.1:${options.port}\nauth: none\ncert: false\n`,
    );
    this.set({});
  }

  /** The user's settings: the usual ones and these. */
  set(settings) {
    const trust = { 'security.workspace.trust.enabled': this.options.trust === true };
    const all = { ...SETTINGS, ...trust, ...this.options.settings, ...settings };
    fs.writeFileSync(this.settingsFile, JSON.stringify(all, null, 2));
  }

  get arguments() {
    const entry = path.join(this.options.folder, 'node_modules/code-server/out/node/entry.js');
    const folders = ['--user-data-dir', path.join(this.state, 'data'), '--extensions-dir', this.extensions];
    return [entry, '--config', path.join(this.state, 'config.yaml'), ...folders];
  }

  install(vsix) {
    const args = [...this.arguments, '--install-extension', vsix];
    execFileSync(process.execPath, args, { env: this.env, stdio: ['ignore', 'ignore', 'inherit'] });
  }

  async start() {
    const trust = this.options.trust ? [] : ['--disable-workspace-trust'];
    const quiet = ['--disable-telemetry', '--disable-update-check', '--disable-getting-started-override'];
    const log = fs.openSync(path.join(this.state, 'code-server.log'), 'w');
    // A process group of its own: extension hosts can outlive the server.
    this.process = spawn(process.execPath, [...this.arguments, ...quiet, ...trust], {
      env: this.env,
      stdio: ['ignore', log, log],
      detached: true,
    });
    for (let tries = 0; tries < 300; tries += 1) {
      if (this.process.exitCode !== null) {
        throw new Error(`code-server ended; see ${this.state}/code-server.log`);
      }
      try {
        if ((await fetch(`${this.origin}/healthz`)).ok) {
          return this;
        }
      } catch {
        // Not listening yet.
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    throw new Error(`code-server did not answer within a minute; see ${this.state}/code-server.log`);
  }

  stop() {
    if (this.process?.pid !== undefined) {
      try {
        process.kill(-this.process.pid, 'SIGKILL');
      } catch {
        // It has ended already.
      }
    }
  }
}
