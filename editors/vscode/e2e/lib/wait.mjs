// Waits for conditions, and assertions for the checks.

/** Interval for polling a condition, in milliseconds. */
const POLL_MS = 50;

/** Timeout of a condition in milliseconds, longer than any step takes on a loaded machine. */
let checkTimeout = 90_000;

/** Sets the timeout of conditions. */
export function setCheckTimeout(milliseconds) {
  checkTimeout = milliseconds;
}

/** Waits for a time in milliseconds. */
export const pause = (milliseconds = POLL_MS) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * Waits until `read` returns a truthy value and returns it. Fails with the last value or error
 * after the timeout.
 */
export async function until(what, read, timeout = checkTimeout) {
  const deadline = Date.now() + timeout;
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
    if (Date.now() > deadline) {
      throw new Error(`timeout waiting for ${what}; last: ${JSON.stringify(last)}`);
    }
    await pause();
  }
}

/** Time after which an action without effect is repeated, in milliseconds. */
const REPEAT_MS = 5000;

/**
 * Repeats an action on the screen until it has its effect, and returns the result of `hasEffect`.
 * The workbench recreates rows, lenses and buttons after each change, even under the pointer, and
 * drops the commands of the old ones. A click in between does nothing, and a user would click
 * again.
 */
export function repeatUntil(what, act, hasEffect) {
  return until(what, async () => {
    await act();
    return until('the effect', hasEffect, REPEAT_MS);
  });
}

/** Waits until `read` returns exactly `expected`. */
export function untilEqual(what, read, expected) {
  return until(what, async () => {
    equal(await read(), expected, what);
    return true;
  });
}

/** Throws an error unless two values are equal as JSON. */
export function equal(actual, expected, what = 'value') {
  const [actualText, expectedText] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (actualText !== expectedText) {
    throw new Error(`${what}: ${actualText}, expected ${expectedText}`);
  }
}

/** Throws an error with `what` unless the condition is true. */
export function assertTrue(condition, what) {
  if (!condition) {
    throw new Error(typeof what === 'string' ? what : JSON.stringify(what));
  }
}
