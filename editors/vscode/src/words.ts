/**
 * Formats numbers, counts and evidence for messages and views.
 */
import { EVIDENCE, type Freshness } from './protocol';

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

/** Lists the inputs besides files that a ranked answer does not include yet: commits and vectors. */
export function missingInputs({ history_pending, vectors_pending }: Freshness): string[] {
  return [
    ...(history_pending === true ? ['commits not read yet'] : []),
    ...(vectors_pending === true ? ['vectors not computed yet'] : []),
  ];
}
