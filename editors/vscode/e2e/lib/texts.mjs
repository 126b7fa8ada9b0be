// Texts on the screen, as a person reads them.

/** A text with plain spaces: the workbench keeps lines together with others. */
export const plain = (text) => text.replace(/[\u00a0\u202f]/g, ' ');

/** The rows of a list with their places in it, from top to bottom; the workbench makes them in any order. */
export async function readRows(page, selector) {
  const rows = await page.$$eval(selector, (found) =>
    found.map((one) => ({ text: one.innerText, index: Number(one.dataset.index) })),
  );
  return rows.toSorted((a, b) => a.index - b.index).map(({ text, index }) => ({ text: plain(text), index }));
}
