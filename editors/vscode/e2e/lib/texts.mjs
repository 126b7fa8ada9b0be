// Reads texts from the screen.

/** Replaces non-breaking spaces, which the workbench uses to keep words on one line. */
export const normalizeSpaces = (text) => text.replace(/[\u00a0\u202f]/g, ' ');

/**
 * Returns the rows of a list with their indexes, from top to bottom. The workbench creates the
 * elements in any order.
 */
export async function readRows(page, selector) {
  const rows = await page.$$eval(selector, (elements) =>
    elements.map((element) => ({ text: element.innerText, index: Number(element.dataset.index) })),
  );
  return rows
    .toSorted((a, b) => a.index - b.index)
    .map(({ text, index }) => ({ text: normalizeSpaces(text), index }));
}
