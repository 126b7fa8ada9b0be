// Waiting on a condition, and the comparisons of the checks.

/** Milliseconds between two looks. */
const POLL_MS = 50;

/** Milliseconds after which a condition counts as never met: longer than anything takes on a loaded machine. */
const PATIENCE_MS = 90_000;

export const pause = (milliseconds = POLL_MS) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Waits until `read` returns something true and returns that, or fails with what it returned or threw last. */
export async function until(what, read, timeout = PATIENCE_MS) {
  const end = Date.now() + timeout;
  let last;
  for (;;) {
    try {
      last = await read();
      if (last) {
        return last;
      }
    } catch (error) {
      last = error.message;
    }
    if (Date.now() > end) {
      throw new Error(`waited in vain for ${what}; last: ${JSON.stringify(last)}`);
    }
    await pause();
  }
}

/** Waits until `read` returns exactly `expected`. */
export function untilEqual(what, read, expected) {
  return until(what, async () => {
    equal(await read(), expected, what);
    return true;
  });
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
