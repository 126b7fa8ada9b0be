/**
 * Formats numbers, counts and evidence for messages and views.
 */
import { EVIDENCE } from './protocol';

/** Groups the digits of a number by three: `4,210`. */
export function formatNumber(n: number): string {
  return n.toLocaleString('en-US');
}

/** Renders a number with its noun: `1 caller`, `5 callers`. */
export function formatCount(n: number, one: string): string {
  return `${formatNumber(n)} ${n === 1 ? one : `${one}s`}`;
}

/** Describes in plain words how an edge is known. */
export function describeEvidence(provenance: string): string {
  return EVIDENCE[provenance] ?? provenance;
}
