/**
 * Renders numbers and counts, as messages and views show them.
 */
import { EVIDENCE } from './protocol';

/** Groups the digits of a number by three: `4,210`. */
export function grouped(n: number): string {
  return n.toLocaleString('en-US');
}

/** Renders a number with its noun: `1 caller`, `5 callers`. */
export function count(n: number, one: string): string {
  return `${grouped(n)} ${n === 1 ? one : `${one}s`}`;
}

/** Describes in plain words how an edge is known. */
export function evidence(provenance: string): string {
  return EVIDENCE[provenance] ?? provenance;
}
