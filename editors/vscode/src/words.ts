/**
 * Numbers and counts in words, as messages and views show them.
 */

/** `4 210`: digits in groups of three, with spaces that do not break. */
export function grouped(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, '\u00a0');
}

/** `1 caller`, `5 callers`. */
export function count(n: number, one: string): string {
  return `${grouped(n)} ${n === 1 ? one : `${one}s`}`;
}

/** A number that may be approximate or capped, as lenses show it: `~5`, `1000+`. */
export function counted(number: { value: number; approximate: boolean; capped: boolean }): string {
  return `${number.approximate ? '~' : ''}${grouped(number.value)}${number.capped ? '+' : ''}`;
}

/** How an edge is known. */
export function evidence(provenance: string): string {
  const known: Record<string, string> = {
    lsp_resolved: 'confirmed by a language server',
    ast_resolved: 'resolved from imports and types',
    ast_inferred: 'by name',
    structural: 'by structure',
  };
  return known[provenance] ?? provenance;
}
