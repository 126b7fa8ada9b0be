// Runs checks and reports their results. Each check has its own window and workspace, so that a
// failure does not affect other checks.
import fs from 'node:fs';
import path from 'node:path';
import { Scene, Stage } from './stage.mjs';

/** Number of ports that one worker may use for its workbenches. */
const PORTS_PER_WORKER = 200;

/** Runs checks on several workers and records the results. */
export class Runner {
  /** `config`: see {@link Stage}. */
  constructor(config) {
    this.config = config;
    this.results = [];
    this.foreignHosts = new Set();
  }

  /**
   * Runs the checks on `workers` workers, each with its own workbench and browser. Returns the exit
   * status.
   */
  async run(checks, workers) {
    const start = Date.now();
    const queue = [...checks];
    await Promise.all(Array.from({ length: workers }, (_, number) => this.runWorker(queue, number)));
    this.record(this.checkRequests(), 0);
    const failed = this.results.filter(({ error }) => error !== undefined).length;
    fs.writeFileSync(
      path.join(this.config.screenshots, 'results.json'),
      JSON.stringify(this.results, null, 2),
    );
    const seconds = ((Date.now() - start) / 1000).toFixed(0);
    console.log(`${this.results.length - failed} passed, ${failed} failed in ${seconds} s`);
    return failed === 0 ? 0 : 1;
  }

  async runWorker(queue, number) {
    const state = path.join(this.config.state, `worker${number}`);
    const stage = new Stage({ ...this.config, state, firstPort: 18_400 + number * PORTS_PER_WORKER });
    try {
      for (let check = queue.shift(); check !== undefined; check = queue.shift()) {
        if (!(await this.runCheck(stage, check))) {
          await stage.shutDown();
        }
      }
    } finally {
      stage.foreignHosts.forEach((host) => this.foreignHosts.add(host));
      await stage.shutDown();
    }
  }

  /**
   * Runs a check and returns whether it passed. A failed check leaves screenshots and logs in
   * `failed/` below the screenshots.
   */
  async runCheck(stage, check) {
    const start = Date.now();
    const scene = new Scene(stage);
    let figure, error;
    try {
      await scene.setUp(check);
      figure = await check.run(scene);
    } catch (problem) {
      error = problem;
      const folder = path.join(this.config.screenshots, 'failed', check.name.replace(/\W+/g, '-'));
      await scene
        .saveDiagnostics(folder)
        .catch((cause) => console.log(`no diagnostics of "${check.name}": ${cause}`));
    }
    try {
      await scene.tearDown();
    } catch (problem) {
      error ??= problem;
    }
    // A check that runs a test suite returns the outcomes of its tests.
    const [testOutcomes, ownFigure] = Array.isArray(figure)
      ? [figure, `${figure.length} tests`]
      : [[], figure];
    const outcomes = [{ name: check.name, figure: ownFigure, error }, ...testOutcomes];
    outcomes.forEach((outcome) => this.record(outcome, Date.now() - start));
    return outcomes.every((outcome) => outcome.error === undefined);
  }

  record({ name, figure, error }, milliseconds) {
    const seconds = milliseconds / 1000;
    this.results.push({ name, seconds, error: error?.message });
    const time = `${seconds.toFixed(1).padStart(5)} s`;
    console.log(
      error === undefined
        ? `ok      ${time}  ${name}${figure === undefined ? '' : `: ${figure}`}`
        : `FAILED  ${time}  ${name}\n        ${error.message}`,
    );
  }

  /** Returns the outcome of the check that no window sent a request to another machine. */
  checkRequests() {
    const name = 'no page sends a request to another machine';
    // VS Code itself loads webviews from this host if there is a network. The extension does not
    // use it.
    const hosts = [...this.foreignHosts].filter((host) => !/(^|\.)vscode-cdn\.net$/.test(host));
    if (hosts.length > 0) {
      return { name, error: new Error(`requests to: ${hosts.join(', ')}`) };
    }
    const isOffline = process.env.KENNING_E2E_OFFLINE === 'yes';
    return { name, figure: isOffline ? 'without a network' : undefined };
  }
}
