// Starts the real workbench: code-server with the extensions under test and a separate state
// folder, isolated from the machine's user.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { HostFolder } from './extensionHost.mjs';
import { until } from './wait.mjs';

/** Settings that disable features that could disturb the checks. */
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
  'editor.cursorBlinking': 'solid',
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

/** A workbench, with its settings and its process. */
export class CodeServer {
  /**
   * `options`: the folder of code-server, a state folder, a port and the search path; optionally,
   * whether workspaces have to be trusted, and additional settings and environment variables.
   */
  constructor(options) {
    this.options = options;
    this.state = options.state;
    this.hosts = new HostFolder(path.join(this.state, 'hosts'));
    this.origin = `http://127.0.0.1:${options.port}`;
    this.extensions = path.join(this.state, 'extensions');
    this.settingsFile = path.join(this.state, 'data/User/settings.json');
    this.env = {
      PATH: options.path,
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
      // Pretend to be started from a terminal. Otherwise code-server takes the search path from a
      // login shell of the machine's user.
      VSCODE_CLI: '1',
      KENNING_E2E_HOSTS: this.hosts.folder,
      // Disable the marketplace, which the workbench would query.
      EXTENSIONS_GALLERY: '{"serviceUrl":""}',
      ...options.env,
    };
    fs.mkdirSync(path.dirname(this.settingsFile), { recursive: true });
    fs.mkdirSync(this.env.HOME, { recursive: true });
    fs.writeFileSync(
      path.join(this.state, 'config.yaml'),
      `bind-addr: 127.0.0.1:${options.port}\nauth: none\ncert: false\n`,
    );
    this.resetSettings();
  }

  /** Writes the user's settings. */
  resetSettings() {
    const trust = { 'security.workspace.trust.enabled': this.options.trust === true };
    const text = JSON.stringify({ ...SETTINGS, ...trust, ...this.options.settings }, null, 2);
    if (!fs.existsSync(this.settingsFile) || fs.readFileSync(this.settingsFile, 'utf8') !== text) {
      fs.writeFileSync(this.settingsFile, text);
    }
  }

  get arguments() {
    const entry = path.join(this.options.folder, 'node_modules/code-server/out/node/entry.js');
    const folders = ['--user-data-dir', path.join(this.state, 'data'), '--extensions-dir', this.extensions];
    return [entry, '--config', path.join(this.state, 'config.yaml'), ...folders];
  }

  /** Installs extensions from `.vsix` files. */
  install(packages) {
    const args = [...this.arguments, ...packages.flatMap((file) => ['--install-extension', file])];
    execFileSync(process.execPath, args, { env: this.env, stdio: ['ignore', 'ignore', 'inherit'] });
  }

  /** Starts the workbench and waits until it responds. Throws an error if it ends. */
  async start() {
    const trust = this.options.trust ? [] : ['--disable-workspace-trust'];
    const flags = ['--disable-telemetry', '--disable-update-check', '--disable-getting-started-override'];
    const log = fs.openSync(path.join(this.state, 'code-server.log'), 'w');
    // Create a process group, because extension hosts can outlive the server.
    this.process = spawn(process.execPath, [...this.arguments, ...flags, ...trust], {
      env: this.env,
      stdio: ['ignore', log, log],
      detached: true,
    });
    await until('code-server', async () => {
      if (this.process.exitCode !== null) {
        return true;
      }
      return (await fetch(`${this.origin}/healthz`)).ok;
    });
    if (this.process.exitCode !== null) {
      throw new Error(
        `code-server ended: ${fs.readFileSync(path.join(this.state, 'code-server.log'), 'utf8')}`,
      );
    }
    return this;
  }

  /** Kills the workbench and its extension hosts. */
  stop() {
    if (this.process?.pid !== undefined) {
      try {
        process.kill(-this.process.pid, 'SIGKILL');
      } catch {
        // The process has already ended.
      }
    }
  }
}
