/** Tests the requests for explanations of ranks. */
import * as assert from 'node:assert/strict';
import { explainSymbol, explanationArgument } from '../../src/context/explanation';
import { NO_ADJUSTMENTS } from '../../src/context/request';

const SYMBOL = { name: 'Cart.total', id: 'aa' };
const REQUEST = {
  kind: 'task' as const,
  task: 'add a discount',
  documentPosition: { textDocument: { uri: 'file:///a.py' } },
};

describe('the request for an explanation', () => {
  it('asks for numbers only on demand, and otherwise for the same', () => {
    const explained = explainSymbol(SYMBOL, REQUEST, NO_ADJUSTMENTS, { learning: true });
    const sentences = explanationArgument(explained, 'sentences');
    assert.deepEqual(sentences, {
      textDocument: { uri: 'file:///a.py' },
      task: 'add a discount',
      symbol: 'aa',
      format: 'markdown',
    });
    assert.deepEqual(explanationArgument(explained, 'numbers'), { ...sentences, numbers: true });
  });

  it('has the pins, the removals and the choice about learning of the pack', () => {
    const adjustments = { pinned: ['bb'], excluded: ['cc'] };
    const { name, argument } = explainSymbol(SYMBOL, REQUEST, adjustments, { learning: false });
    assert.equal(name, 'Cart.total');
    assert.deepEqual([argument.pinned, argument.excluded, argument.noLearning], [['bb'], ['cc'], true]);
  });
});
