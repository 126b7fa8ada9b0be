/**
 * Renders numbers and counts, as messages and views show them.
 */

/** Groups the digits of a number by three, with non-breaking spaces: `4 210`. */
export function grouped(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, '\u00a0');
}

/** Renders a number with its noun: `1 caller`, `5 callers`. */
export function count(n: number, one: string): string {
  return `${grouped(n)} ${n === 1 ? one : `${one}s`}`;
}

/** Renders a number that may be approximate or capped, as lenses show it: `~5`, `1000+`. */
export function counted(number: { value: number; approximate: boolean; capped: boolean }): string {
  return `${number.approximate ? '~' : ''}${grouped(number.value)}${number.capped ? '+' : ''}`;
}

/** Describes in plain words how an edge is known. */
export function evidence(provenance: string): string {
  const known: Record<string, string> = {
    lsp_resolved: 'confirmed by a language server',
    ast_resolved: 'resolved from imports and types',
    ast_inferred: 'by name',
    structural: 'by structure',
  };
  return known[provenance] ?? provenance;
}
