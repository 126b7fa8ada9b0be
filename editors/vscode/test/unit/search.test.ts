/** Tests the search: its texts, its questions, and the answers that it reports. */
import * as assert from 'node:assert/strict';
import type { CancellationToken } from 'vscode';
import type { CommandServer } from '../../src/context/request';
import { LiveSearch, type CancelSource } from '../../src/search/liveSearch';
import {
  describeHit,
  describeMissing,
  describePending,
  describeLocation,
  MODES,
  nextKey,
  SCOPES,
  searchTitle,
} from '../../src/search/words';
import type { Freshness, SearchAnswer, SearchArguments, SearchHit } from '../../src/protocol';
import { partialOf } from './partialOf';

const CURRENT = partialOf<Freshness>({ indexed_at: '2026-01-01T00:00:00Z', pending_files: 0 });

describe('the texts of the search', () => {
  it('name the place of a hit, and the hit that led to it', () => {
    const hit = partialOf<SearchHit>({ name: 'Cart.add', file: 'src/cart.py', line: 3 });
    assert.equal(describeLocation(hit), 'src/cart.py:3');
    assert.equal(describeLocation(partialOf<SearchHit>({ name: 'b.py', file: 'src/b.py' })), 'src/b.py');
    const via = { edge: 'member_of', from: 'Cart' };
    assert.equal(describeLocation({ ...hit, via }), 'src/cart.py:3 · related to Cart');
  });

  it('have the signature and the documentation, and never icons from code', () => {
    assert.equal(describeHit(partialOf<SearchHit>({})), '');
    const hit = partialOf<SearchHit>({ signature: 'here() { $(pwd) }', doc: 'Prints the folder.' });
    assert.equal(describeHit(hit), 'here() { \\$(pwd) } · Prints the folder.');
  });

  it('say what an answer does not include yet', () => {
    assert.equal(describePending(CURRENT), undefined);
    assert.equal(
      describePending({ ...CURRENT, pending_files: 1200 }),
      'Indexing: 1,200 files not in the results yet',
    );
    assert.equal(
      describePending({ ...CURRENT, indexed_at: null }),
      'Indexing: the first index is not ready yet',
    );
  });

  it('say which commits and vectors an answer does not use yet', () => {
    assert.equal(describeMissing(CURRENT), undefined);
    assert.equal(describeMissing({ ...CURRENT, history_pending: true }), 'Commits not read yet');
    assert.equal(
      describeMissing({ ...CURRENT, pending_files: 1, history_pending: true, vectors_pending: true }),
      'Indexing: 1 file not in the results yet, commits not read yet, vectors not computed yet',
    );
    // These need no further question, which would delay the reading.
    assert.equal(describePending({ ...CURRENT, history_pending: true, vectors_pending: true }), undefined);
  });

  it('name the scope and the mode, which the toggles select in turn', () => {
    assert.equal(searchTitle({ scope: 'files', mode: 'keyword' }), 'Kenning: Search (Files, Keyword)');
    const scopes = Object.keys(SCOPES) as (keyof typeof SCOPES)[];
    const [first] = scopes;
    assert.equal(first, 'all');
    assert.deepEqual(
      scopes.map((scope) => nextKey(SCOPES, scope)),
      [...scopes.slice(1), first],
    );
    const modes = Object.keys(MODES) as (keyof typeof MODES)[];
    assert.deepEqual(
      modes.map((mode) => nextKey(MODES, mode)),
      [...modes.slice(1), 'hybrid'],
    );
  });
});

/** A server whose answers the test sends, in any order. */
class ManualServer {
  readonly questions: {
    question: SearchArguments;
    token: CancellationToken | undefined;
    answer: (freshness?: Freshness) => void;
    fail: (error: Error) => void;
  }[] = [];

  readonly ask: CommandServer['ask'] = (_command, argument, token) =>
    new Promise((resolve, reject) => {
      const question = argument as SearchArguments;
      const answer = (freshness = CURRENT): void => {
        (resolve as (value: SearchAnswer) => void)({ query: question.query, hits: [], freshness });
      };
      this.questions.push({ question, token, answer, fail: reject });
    });
}

/** A cancellation token source that works without VS Code. */
function createCancelSource(): CancelSource {
  const token = { isCancellationRequested: false };
  return {
    token: partialOf<CancellationToken>(token),
    cancel: () => (token.isCancellationRequested = true),
    dispose: () => undefined,
  };
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Creates a search and records its reports. */
function recordSearch(): { server: ManualServer; search: LiveSearch; reports: string[] } {
  const server = new ManualServer();
  const reports: string[] = [];
  const events = {
    onBusy: () => undefined,
    onAnswer: (answer: SearchAnswer | undefined, isRepeated: boolean) =>
      reports.push(`${answer?.query ?? 'none'}${isRepeated ? ' again' : ''}`),
    onError: (error: unknown) => reports.push((error as Error).message),
  };
  const times = { debounce: 20, repeat: 20 };
  return { server, search: new LiveSearch(server, events, createCancelSource, times), reports };
}

describe('a search while the user types', () => {
  it('asks only the last question before a pause', async () => {
    const { server, search } = recordSearch();
    for (const query of ['d', 'di', 'dis']) {
      search.ask({ query });
    }
    await pause(60);
    assert.deepEqual(
      server.questions.map(({ question }) => question.query),
      ['dis'],
    );
  });

  it('cancels the previous question and drops its answer, even if it arrives last', async () => {
    const { server, search, reports } = recordSearch();
    search.ask({ query: 'slow' });
    await pause(60);
    search.ask({ query: 'fast' });
    assert.equal(server.questions[0]?.token?.isCancellationRequested, true);
    await pause(60);
    server.questions[1]?.answer();
    server.questions[0].answer();
    await pause(5);
    assert.deepEqual(reports, ['fast']);
  });

  it('reports no answer and no error after it has stopped, and nothing for a blank query', async () => {
    const { server, search, reports } = recordSearch();
    search.ask({ query: 'a' });
    await pause(60);
    search.ask({ query: '  ' });
    server.questions[0]?.fail(new Error('cancelled'));
    await pause(60);
    assert.deepEqual(reports, ['none']);
    assert.equal(server.questions.length, 1);
  });

  it('reports the error of the latest question', async () => {
    const { server, search, reports } = recordSearch();
    search.ask({ query: 'a' });
    await pause(60);
    assert.equal(search.isPending, true);
    server.questions[0]?.fail(new Error('no index'));
    await pause(5);
    assert.equal(search.isPending, false);
    assert.deepEqual(reports, ['no index']);
  });

  it('repeats the question until the index is complete', async () => {
    const { server, search, reports } = recordSearch();
    search.ask({ query: 'a' });
    await pause(60);
    server.questions[0]?.answer({ ...CURRENT, pending_files: 2 });
    await pause(60);
    server.questions[1]?.answer();
    await pause(60);
    assert.deepEqual(reports, ['a', 'a again']);
    assert.equal(server.questions.length, 2);
  });
});
