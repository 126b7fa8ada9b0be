/** Tests the wording of numbers, states, versions, requests and groups. */
import * as assert from 'node:assert/strict';
import { omitEmptyLists, requestTitle } from '../../src/context/request';
import type { FolderStatus, PackSymbol, ServerReport, SessionStatus } from '../../src/protocol';
import { isCompatible } from '../../src/server/version';
import { describeTime, isUnsettled, statusWords } from '../../src/status/words';
import { describeRank, groupByFile, groupSymbols, splitName, wrapSignature } from '../../src/views/items';
import { formatCount, describeEvidence, formatNumber } from '../../src/words';
import { partialOf } from './partialOf';

const READY = partialOf<FolderStatus>({
  root: '/w',
  files: 3,
  files_by_language: { python: 1, go: 2 },
  symbols: 4210,
  edges: 1,
  commits: 2,
  indexed_at: '2026-01-01T11:55:00Z',
  phase: 'ready',
  problem: null,
  pending_files: 0,
  unsaved_files: 0,
  enrichment: [],
});

const NOW = new Date('2026-01-01T12:00:00Z');

function describeStatus(...folders: Partial<FolderStatus>[]): string {
  const status = partialOf<SessionStatus>({ folders: folders.map((folder) => ({ ...READY, ...folder })) });
  const { text, detail, level, busy } = statusWords({ kind: 'running', version: '0.1.0' }, status, NOW);
  return `${level}${busy ? ' busy' : ''}: ${text}; ${detail}`;
}

describe('numbers', () => {
  it('have their digits grouped by three and the noun in the right number', () => {
    assert.equal(formatNumber(4210), '4,210');
    assert.equal(formatNumber(999), '999');
    assert.equal(formatNumber(1234567), '1,234,567');
    assert.equal(formatCount(1, 'symbol'), '1 symbol');
    assert.equal(formatCount(0, 'symbol'), '0 symbols');
    assert.equal(describeEvidence('lsp_resolved'), 'confirmed by a language server');
    assert.equal(describeEvidence('of_a_newer_server'), 'of_a_newer_server');
  });
});

describe('the status', () => {
  it('has the number of symbols and the states of the language servers', () => {
    const server = { confirmed: 1, waiting_files: 0 };
    const enrichment = [
      partialOf<ServerReport>({ ...server, name: 'gopls', state: 'ready' }),
      partialOf<ServerReport>({ ...server, name: 'gopls', state: 'busy' }),
      partialOf<ServerReport>({ ...server, name: 'jdtls', state: 'absent' }),
    ];
    assert.equal(describeStatus({}), 'fine: 4,210 symbols; indexed 5 minutes ago');
    assert.equal(
      describeStatus({ enrichment }),
      'fine busy: 4,210 symbols; indexed 5 minutes ago, gopls busy',
    );
  });

  it('has running work and problems', () => {
    assert.equal(describeStatus({ phase: 'indexing' }), 'fine busy: Indexing; indexed 5 minutes ago');
    assert.equal(describeStatus({ pending_files: 2 }), 'fine busy: 2 files pending; indexed 5 minutes ago');
    assert.equal(
      describeStatus({}, { phase: 'failed', problem: 'the disk is full' }),
      'error: No index; the disk is full',
    );
    assert.equal(
      describeStatus({ desynchronized_files: 1 }),
      'warning: 4,210 symbols; 1 open file out of sync, indexed 5 minutes ago',
    );
    assert.match(describeStatus({ phase: 'cancelled' }), /^warning: No index; indexing was cancelled/);
  });

  it('summarizes the counts and the age of the index of each folder', () => {
    const summary = (folder: Partial<FolderStatus>): string =>
      statusWords(
        { kind: 'running', version: '0.1.0' },
        partialOf<SessionStatus>({ folders: [{ ...READY, ...folder }] }),
        NOW,
      ).summary;
    assert.equal(
      summary({}),
      [
        '**w**',
        '3 files (go 2, python 1)',
        '4,210 symbols, 1 edge',
        '2 commits read',
        'no language server',
        'indexed 5 minutes ago',
      ].join('  \n'),
    );
    assert.match(summary({ indexed_at: null, commits: 0 }), /no git history read.*not indexed yet$/s);
    assert.match(summary({ commits: 0, history_pending: true }), /0 commits read, more to read/);
    const ages = [30, 90, 3 * 3600, 50 * 3600].map((seconds) =>
      describeTime(NOW.getTime() - seconds * 1000, NOW),
    );
    assert.deepEqual(ages, ['just now', '1 minute ago', '3 hours ago', '2 days ago']);
  });

  it('is unsettled while the server is working', () => {
    assert.equal(isUnsettled({ folders: [READY] }), false);
    assert.equal(isUnsettled({ folders: [{ ...READY, pending_files: 1 }] }), true);
  });
});

describe('versions', () => {
  it('are compatible if the minor number is equal before 1.0, later if the major number is', () => {
    assert.equal(isCompatible('0.1.0', '0.1.7'), true);
    assert.equal(isCompatible('0.1.0', '0.2.0'), false);
    assert.equal(isCompatible('1.2.0', '1.9.0'), true);
    assert.equal(isCompatible('1.2.0', '2.0.0'), false);
  });
});

describe('requests', () => {
  it('are titled by their first line, their files or their base', () => {
    assert.equal(requestTitle({ kind: 'task', task: '\n\nfix it\nsoon', documentPosition: {} }), 'fix it');
    assert.equal(requestTitle({ kind: 'change', base: undefined, documentPosition: {} }), 'current change');
  });

  it('omit empty lists of adjustments', () => {
    assert.deepEqual(omitEmptyLists({ pinned: [], excluded: ['a'] }), { excluded: ['a'] });
  });
});

describe('the view', () => {
  it('describes a rank and which part of the symbol the pack has', () => {
    const lean = partialOf<PackSymbol>({ score: 0.5, detail: 'name' });
    assert.equal(describeRank({ row: 'symbol', symbol: { ...lean, rank: 2 } }), 'Rank 2: name only');
    const symbol = partialOf<PackSymbol>({ score: 0.5, detail: 'trimmed', tokens: 9 });
    assert.equal(
      describeRank({ row: 'symbol', symbol: { ...symbol, rank: 2 } }),
      'Rank 2: part of the body, 9 tokens',
    );
    assert.equal(describeRank({ row: 'symbol', symbol }), 'part of the body, 9 tokens');
  });

  it('has the own name of a symbol first, and its files by rank', () => {
    assert.deepEqual(splitName({ name: 'Outer.Inner.save', kind: 'method' }), {
      own: 'save',
      container: 'Outer.Inner',
    });
    assert.deepEqual(splitName({ name: 'save', kind: 'function' }), { own: 'save', container: '' });
    assert.deepEqual(splitName({ name: 'a.b', kind: 'file' }), { own: 'other lines', container: '' });
    const symbols = ['b.py', 'a.py', 'b.py'].map((file, at) => partialOf<PackSymbol>({ id: `${at}`, file }));
    const files = groupByFile({ row: 'group', label: 'Related', symbols });
    assert.deepEqual(
      files.map((row) => `${row.file} ${row.symbols.map(({ id }) => id).join(' ')}`),
      ['b.py 0 2', 'a.py 1'],
    );
  });

  it('breaks long signatures, because tooltips do not', () => {
    assert.equal(wrapSignature('def f(self, x)'), 'def f(self, x)');
    assert.equal(
      wrapSignature('def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None'),
      'def save_session(self, app: Flask, session: SessionMixin,\n    response: Response) -> None',
    );
  });

  it('has the groups of packs in Markdown, without empty ones', () => {
    const symbol = { id: 'a', qualified_name: 'a', name: 'a', kind: 'function', file: 'a.py', line: 1 };
    const rest = { signature: '', doc: '', score: 1, confidence: 1, provenance: 'structural', channels: [] };
    const symbolIn = (group: string): PackSymbol =>
      partialOf<PackSymbol>({ ...symbol, ...rest, group, distance: 1, detail: 'name', tokens: 1 });
    const groups = groupSymbols([symbolIn('subject'), symbolIn('tests'), symbolIn('tests')]).map(
      (group) => `${group.label} ${group.symbols.length}`,
    );
    assert.deepEqual(groups, ['Change here 1', 'Tests 2']);
  });
});
