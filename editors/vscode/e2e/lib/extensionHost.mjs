// Calls functions in the extension host of a window, through the test-only extension in `driver/`.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { pause, until } from './wait.mjs';

/** Whether the process runs. */
function isAlive(pid) {
  try {
    // A zombie has ended, but its parent has not collected its exit status.
    return !/^State:\tZ/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** The folder in which extension hosts announce themselves. */
export class HostFolder {
  constructor(folder) {
    this.folder = folder;
    fs.mkdirSync(folder, { recursive: true });
  }

  list() {
    return fs.readdirSync(this.folder).filter((name) => name.endsWith('.sock'));
  }

  /** Waits for a host that is not in `known`: the host of the window that was just opened. */
  async waitForNewHost(known) {
    const find = () => this.list().find((name) => !known.includes(name));
    const socket = await until('the driver in the extension host', async () => find());
    return new ExtensionHost(path.join(this.folder, socket));
  }
}

/** The extension host of a window. */
export class ExtensionHost {
  constructor(socket) {
    this.socket = socket;
    this.pid = Number(path.basename(socket, '.sock'));
  }

  /**
   * Calls `run(vscode, argument, logs)` in the host and returns its result. The function is sent as
   * source text, so it cannot use the caller's scope. The argument and the result are JSON.
   */
  async call(run, argument) {
    const answer = await this.post({ source: run.toString(), argument });
    if (answer.error !== undefined) {
      throw new Error(answer.error);
    }
    return answer.value;
  }

  post(message) {
    return new Promise((resolve, reject) => {
      const request = http.request({ socketPath: this.socket, method: 'POST' }, (response) => {
        let text = '';
        response.on('data', (chunk) => (text += chunk));
        response.on('end', () => {
          try {
            resolve(JSON.parse(text));
          } catch (error) {
            reject(error);
          }
        });
      });
      request.on('error', reject);
      request.end(JSON.stringify(message));
    });
  }

  /** Ends the process, which would otherwise wait hours for its window to reconnect. */
  async terminate() {
    try {
      process.kill(this.pid, 'SIGTERM');
    } catch {
      return;
    }
    for (const deadline = Date.now() + 5000; isAlive(this.pid);) {
      if (Date.now() > deadline) {
        process.kill(this.pid, 'SIGKILL');
        return;
      }
      await pause();
    }
  }
}
