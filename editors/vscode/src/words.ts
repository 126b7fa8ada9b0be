/**
 * Numbers and counts in words, as messages and views show them.
 */
import { EVIDENCE } from './protocol';

/** `4,210`: digits in groups of three. */
export function grouped(n: number): string {
  return n.toLocaleString('en-US');
}

/** `1 caller`, `5 callers`. */
export function count(n: number, one: string): string {
  return `${grouped(n)} ${n === 1 ? one : `${one}s`}`;
}

/** How an edge is known. */
export function evidence(provenance: string): string {
  return EVIDENCE[provenance] ?? provenance;
}
