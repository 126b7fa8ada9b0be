// Runs checks one after the other; each says what holds, and a failed one leaves a picture.
export class Report {
  constructor() {
    this.failed = [];
    this.passed = 0;
    this.began = Date.now();
  }

  /** Runs a check; the rest goes on when it fails. */
  async check(window, name, run) {
    const seconds = () => ((Date.now() - this.began) / 1000).toFixed(1);
    try {
      const figure = await run();
      this.passed += 1;
      console.log(`ok      ${seconds()} s  ${name}${figure === undefined ? '' : `: ${figure}`}`);
    } catch (error) {
      this.failed.push(name);
      console.log(`FAILED  ${seconds()} s  ${name}\n        ${error.message}`);
      await window?.shot(`failed-${this.failed.length}`).catch(() => undefined);
      // A box left open would fail the next check as well.
      await window?.closeQuick().catch(() => undefined);
    }
  }

  end() {
    console.log(`${this.passed} checks passed, ${this.failed.length} failed`);
    return this.failed.length === 0 ? 0 : 1;
  }
}

export function equal(actual, expected, what = 'value') {
  const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (is !== should) {
    throw new Error(`${what}: ${is}, expected ${should}`);
  }
}

export function holds(condition, what) {
  if (!condition) {
    throw new Error(typeof what === 'string' ? what : JSON.stringify(what));
  }
}
