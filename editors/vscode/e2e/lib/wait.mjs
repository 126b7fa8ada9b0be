// Waiting on a condition, and the comparisons of the checks.

/** Milliseconds between two looks. */
const POLL_MS = 50;

/** Milliseconds after which a condition counts as never met: longer than anything takes on a loaded machine. */
let patience = 90_000;

/** Waits less, or longer, before a condition counts as never met. */
export function setPatience(milliseconds) {
  patience = milliseconds;
}

export const pause = (milliseconds = POLL_MS) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Waits until `read` returns something true and returns that, or fails with what it returned or threw last. */
export async function until(what, read, timeout = patience) {
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

/** Milliseconds after which a click counts as lost. */
const LOST_MS = 5000;

/**
 * Acts on something on the screen until that has its effect, and returns what `hasEffect` returned. The workbench makes rows, lenses
 * and buttons anew after each change, also under the pointer, and then forgets the command of the old one: a click in between does
 * nothing, and a person would click once more.
 */
export function actUntil(what, act, hasEffect) {
  return until(what, async () => {
    await act();
    return until('the effect', hasEffect, LOST_MS);
  });
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
