/**
 * The requests for explanations of ranks, independent of VS Code.
 */
import type { CommandArgument } from '../commandTypes';
import type { PackSymbol } from '../protocol';
import { omitEmptyLists, type PackAdjustments, type PackRequest } from './request';

/** A symbol of a pack, and the request for the explanation of its rank. */
export interface ExplainedSymbol {
  name: string;
  argument: CommandArgument<'kenning.explain'>;
}

/** The form of an explanation. */
export type ExplanationForm = 'sentences' | 'numbers';

/** Returns the request that explains a symbol of the pack for a task. */
export function explainSymbol(
  { name, id }: Pick<PackSymbol, 'name' | 'id'>,
  { task, documentPosition }: Extract<PackRequest, { kind: 'task' }>,
  adjustments: PackAdjustments,
  { learning }: { learning: boolean },
): ExplainedSymbol {
  const argument = {
    ...documentPosition,
    ...(learning ? {} : { noLearning: true }),
    ...omitEmptyLists(adjustments),
    task,
    symbol: id,
  };
  return { name, argument };
}

/** Returns the argument of the command for one form of an explanation. */
export function explanationArgument(
  { argument }: ExplainedSymbol,
  form: ExplanationForm,
): CommandArgument<'kenning.explain'> {
  return { ...argument, format: 'markdown', ...(form === 'numbers' ? { numbers: true } : {}) };
}
