// Runs checks, each in surroundings of its own, and reports what held. A failed check cannot spoil another one.
import fs from 'node:fs';
import path from 'node:path';
import { Scene, Stage } from './stage.mjs';

/** Ports that one worker may use for its workbenches. */
const PORTS = 200;

export class Runner {
  /** `config`: see {@link Stage}. */
  constructor(config) {
    this.config = config;
    this.results = [];
    this.foreign = new Set();
  }

  /** Runs the checks on so many workers, each with its own workbench and browser; returns the exit status. */
  async run(checks, workers) {
    const began = Date.now();
    const queue = [...checks];
    await Promise.all(Array.from({ length: workers }, (_, number) => this.work(queue, number)));
    this.record(this.checkRequests(), 0);
    const failed = this.results.filter(({ error }) => error !== undefined).length;
    fs.writeFileSync(path.join(this.config.shots, 'results.json'), JSON.stringify(this.results, null, 2));
    const seconds = ((Date.now() - began) / 1000).toFixed(0);
    console.log(`${this.results.length - failed} passed, ${failed} failed in ${seconds} s`);
    return failed === 0 ? 0 : 1;
  }

  async work(queue, number) {
    const state = path.join(this.config.state, `worker${number}`);
    const stage = new Stage({ ...this.config, state, firstPort: 18_400 + number * PORTS });
    try {
      for (let check = queue.shift(); check !== undefined; check = queue.shift()) {
        if (!(await this.runOne(stage, check))) {
          await stage.end();
        }
      }
    } finally {
      stage.foreign.forEach((host) => this.foreign.add(host));
      await stage.end();
    }
  }

  /** Runs a check; returns whether it passed. One that fails leaves what explains it in `failed/` below the pictures. */
  async runOne(stage, check) {
    const began = Date.now();
    const scene = new Scene(stage);
    let figure, error;
    try {
      await scene.set(check);
      figure = await check.run(scene);
    } catch (problem) {
      error = problem;
      const folder = path.join(this.config.shots, 'failed', check.name.replace(/\W+/g, '-'));
      await scene
        .keep(folder)
        .catch((cause) => console.log(`nothing could be kept of "${check.name}": ${cause}`));
    }
    try {
      await scene.strike();
    } catch (problem) {
      error ??= problem;
    }
    // A check that runs a suite of its own returns the outcomes of that.
    const [more, own] = Array.isArray(figure) ? [figure, `${figure.length} tests`] : [[], figure];
    const outcomes = [{ name: check.name, figure: own, error }, ...more];
    outcomes.forEach((outcome) => this.record(outcome, Date.now() - began));
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

  /** The outcome of a check over all windows: they asked no other machine for anything. */
  checkRequests() {
    const name = 'no page asks another machine for anything';
    // VS Code's own pages name it for webviews where there is a network; nothing of the extension does.
    const asked = [...this.foreign].filter((host) => !/(^|\.)vscode-cdn\.net$/.test(host));
    if (asked.length > 0) {
      return { name, error: new Error(`asked: ${asked.join(', ')}`) };
    }
    const isOffline = process.env.KENNING_E2E_OFFLINE === 'yes';
    return { name, figure: isOffline ? 'and there was no network to ask' : undefined };
  }
}
