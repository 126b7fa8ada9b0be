/**
 * Formats numbers, counts and evidence for messages and views.
 */
import { EVIDENCE } from './protocol';

/** Formats a number with its digits grouped by three: `4,210`. */
export function formatNumber(value: number): string {
  return value.toLocaleString('en-US');
}

/** Formats a number with its noun: `1 caller`, `5 callers`. */
export function formatCount(count: number, noun: string): string {
  return `${formatNumber(count)} ${count === 1 ? noun : `${noun}s`}`;
}

/** Describes in plain words how an edge is known. */
export function describeEvidence(provenance: string): string {
  return EVIDENCE[provenance] ?? provenance;
}
