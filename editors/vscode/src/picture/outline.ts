/**
 * The part of a picture that is shown: which symbols, which closed folders, and which counters of
 * further symbols.
 *
 * The dependents of a picture are a tree, because each is attached to one symbol nearer to the
 * target. The dependents of one symbol are clustered by folder. A cluster is open (a frame around
 * its symbols), closed (one item), or cut after a page of symbols, followed by a counter.
 */
import type { Picture, PictureNode } from './model';

/** Number of rows that a picture has at the start, so that it fits on about one screen. */
export const MAX_ROWS = 36;
/** Number of symbols of a cluster that are shown at once. */
export const PAGE = 20;
/** Number of symbols that a larger cluster shows at the start. */
const SAMPLE = 4;
/** Number of clusters of one symbol beyond which folders are merged into their parents. */
const MAX_CLUSTERS = 16;

/** The frame of an open cluster, shared by its items. */
export interface Cluster {
  key: string;
  folder: string;
  /** Number of its symbols, shown or not. */
  count: number;
}

interface ItemBase {
  /** Identifies the item in the picture, also after others are opened. */
  key: string;
  children: Item[];
  /** The cluster of the item, if it is in a frame. */
  cluster?: Cluster;
}

export type Item = ItemBase &
  (
    | { kind: 'symbol'; node: PictureNode }
    /** A closed cluster; `hidden` also counts what depends on its symbols. */
    | { kind: 'folder'; folder: string; count: number; hidden: number }
    /** Further symbols; `opens` is the key of what to open. */
    | { kind: 'more'; opens: string; count: number; hidden: number }
  );

/** What the user opened: keys of symbols and clusters, and the number of symbols shown in a cluster. */
export interface OpenState {
  open: Set<string>;
  pages: Map<string, number>;
}

interface Group extends Cluster {
  nodes: PictureNode[];
}

export class Outline {
  private readonly children = new Map<string, PictureNode[]>();
  private readonly groups = new Map<string, Group[]>();
  private readonly sizes = new Map<string, number>();
  private readonly byId: Map<string, PictureNode>;
  private readonly target: PictureNode;

  constructor(picture: Picture) {
    const [target] = picture.nodes;
    if (target === undefined) {
      throw new Error('a picture has the symbol itself');
    }
    this.target = target;
    this.byId = new Map(picture.nodes.map((node) => [node.id, node]));
    for (const node of picture.nodes) {
      if (node.on !== undefined) {
        addTo(this.children, node.on, node);
      }
    }
    // Outer nodes come later in the picture, so their sizes are known first.
    for (const node of [...picture.nodes].reverse()) {
      const below = (this.children.get(node.id) ?? []).reduce(
        (sum, { id }) => sum + (this.sizes.get(id) ?? 1),
        0,
      );
      this.sizes.set(node.id, below + 1);
    }
    for (const [id, nodes] of this.children) {
      this.groups.set(id, groupByFolder(id, nodes));
    }
  }

  /** Opens as much, from the target outward, as fits into a number of rows. */
  openWithin(rows: number): OpenState {
    const state: OpenState = { open: new Set([this.target.id]), pages: new Map() };
    let used = Math.max(this.groupsOf(this.target.id).length, 1);
    let candidates = this.openable(this.target.id, 1);
    while (candidates.length > 0) {
      candidates.sort((a, b) => a.hop - b.hop || a.rows - b.rows);
      const next = candidates.find((candidate) => used + candidate.rows - 1 <= rows);
      if (next === undefined) {
        break;
      }
      candidates = candidates.filter((candidate) => candidate !== next);
      state.open.add(next.key);
      if (next.page !== undefined) {
        state.pages.set(next.key, next.page);
      }
      used += next.rows - 1;
      candidates.push(...next.reveals());
    }
    return state;
  }

  /** Opens everything. */
  openAll(): OpenState {
    const groups = [...this.groups.values()].flat();
    return {
      open: new Set([...this.children.keys(), ...groups.map(({ key }) => key)]),
      pages: new Map(groups.map(({ key, count }) => [key, count])),
    };
  }

  /** Opens what is necessary to show a symbol. */
  reveal(state: OpenState, id: string): void {
    for (let at = this.byId.get(id); at?.on !== undefined; at = this.byId.get(at.on)) {
      const node = at;
      const group = this.groupsOf(at.on).find(({ nodes }) => nodes.includes(node));
      state.open.add(at.on);
      if (group !== undefined) {
        state.open.add(group.key);
        const place = Math.ceil((group.nodes.indexOf(node) + 1) / PAGE) * PAGE;
        state.pages.set(group.key, Math.max(state.pages.get(group.key) ?? PAGE, place));
      }
    }
  }

  /** Opens a closed item, or shows the next page of a cluster. */
  open(state: OpenState, item: Item): void {
    const key = item.kind === 'more' ? item.opens : item.key;
    if (item.kind === 'more' && state.open.has(key)) {
      state.pages.set(key, (state.pages.get(key) ?? PAGE) + PAGE);
    }
    state.open.add(key);
    // A symbol with a single cluster would otherwise need a second click.
    const [group, ...others] = this.groupsOf(key);
    if (group !== undefined && others.length === 0) {
      state.open.add(group.key);
    }
  }

  /** Returns the tree of the shown items. With `only`, all of these symbols and nothing else. */
  build(state: OpenState, only?: ReadonlySet<string>): Item {
    return this.symbolItem(this.target, state, only, undefined);
  }

  /** Returns the ids of these symbols and of all that are between them and the target. */
  withPaths(ids: Iterable<string>): Set<string> {
    const kept = new Set([this.target.id]);
    for (const id of ids) {
      for (
        let at = this.byId.get(id);
        at !== undefined && !kept.has(at.id);
        at = this.byId.get(at.on ?? '')
      ) {
        kept.add(at.id);
      }
    }
    return kept;
  }

  private symbolItem(
    node: PictureNode,
    state: OpenState,
    only: ReadonlySet<string> | undefined,
    cluster: Cluster | undefined,
  ): Item {
    const children = this.childItems(node, state, only);
    return { kind: 'symbol', key: node.id, node, children, ...(cluster === undefined ? {} : { cluster }) };
  }

  private childItems(node: PictureNode, state: OpenState, only: ReadonlySet<string> | undefined): Item[] {
    const groups = this.groupsOf(node.id);
    if (groups.length > 0 && only === undefined && !state.open.has(node.id)) {
      const hidden = (this.sizes.get(node.id) ?? 1) - 1;
      const count = groups.reduce((sum, group) => sum + group.count, 0);
      return [{ kind: 'more', key: `more:${node.id}`, opens: node.id, count, hidden, children: [] }];
    }
    return groups.flatMap((group) => this.groupItems(group, state, only));
  }

  private groupItems(group: Group, state: OpenState, only: ReadonlySet<string> | undefined): Item[] {
    const nodes = only === undefined ? group.nodes : group.nodes.filter(({ id }) => only.has(id));
    const { key, folder, count } = group;
    if (nodes.length === 0) {
      return [];
    }
    if (nodes.length === 1 && count === 1) {
      return nodes.map((node) => this.symbolItem(node, state, only, undefined));
    }
    if (only === undefined && !state.open.has(key)) {
      return [{ kind: 'folder', key, folder, count, hidden: this.sizeOf(nodes), children: [] }];
    }
    const cluster: Cluster = { key, folder, count };
    const shown = nodes.slice(0, state.pages.get(key) ?? PAGE);
    const items = shown.map((node) => this.symbolItem(node, state, only, cluster));
    const rest = nodes.slice(shown.length);
    if (rest.length > 0) {
      const hidden = this.sizeOf(rest);
      items.push({
        kind: 'more',
        key: `page:${key}`,
        opens: key,
        count: rest.length,
        hidden,
        children: [],
        cluster,
      });
    }
    return items;
  }

  private groupsOf(id: string): Group[] {
    return this.groups.get(id) ?? [];
  }

  private sizeOf(nodes: PictureNode[]): number {
    return nodes.reduce((sum, { id }) => sum + (this.sizes.get(id) ?? 1), 0);
  }

  /** Returns what can be opened among the dependents of an open symbol. */
  private openable(id: string, hop: number): Openable[] {
    return this.groupsOf(id).flatMap((group) => {
      const page = group.count > PAGE ? SAMPLE : group.count;
      const below = (): Openable[] =>
        group.nodes.slice(0, page).flatMap((node) => {
          const groups = this.groupsOf(node.id);
          const reveals = (): Openable[] => this.openable(node.id, hop + 1);
          return groups.length === 0 ? [] : [{ key: node.id, hop: hop + 0.5, rows: groups.length, reveals }];
        });
      if (group.count === 1) {
        return below();
      }
      const rows = page + (group.count > page ? 1 : 0);
      return [{ key: group.key, hop, rows, page, reveals: below }];
    });
  }
}

/** Something closed: the rows that it has when it is open, and what can be opened then. */
interface Openable {
  key: string;
  hop: number;
  rows: number;
  /** Number of symbols that a cluster shows. */
  page?: number;
  reveals: () => Openable[];
}

/** Returns the folder of a file; `.` for the root of the workspace. */
export function folderOf(file: string): string {
  const end = file.lastIndexOf('/');
  return end < 0 ? '.' : file.slice(0, end);
}

/** Clusters the dependents of a symbol: folders of code first, then those of tests only. */
function groupByFolder(id: string, nodes: PictureNode[]): Group[] {
  const depth = Math.max(...nodes.map(({ file }) => folderOf(file).split('/').length));
  let groups = groupAtDepth(id, nodes, depth);
  for (let less = depth - 1; less > 0 && groups.length > MAX_CLUSTERS; less -= 1) {
    groups = groupAtDepth(id, nodes, less);
  }
  const isTests = (group: Group): number => (group.nodes.every((node) => node.isTest) ? 1 : 0);
  return groups.sort((a, b) => isTests(a) - isTests(b) || (a.folder < b.folder ? -1 : 1));
}

function groupAtDepth(id: string, nodes: PictureNode[], depth: number): Group[] {
  const byFolder = new Map<string, PictureNode[]>();
  for (const node of nodes) {
    const folder = folderOf(node.file).split('/').slice(0, depth).join('/');
    addTo(byFolder, folder, node);
  }
  return [...byFolder].map(([folder, members]) => ({
    key: `folder:${id}:${folder}`,
    folder,
    count: members.length,
    nodes: members,
  }));
}

/** Adds a value to the list of a key. */
export function addTo<V>(lists: Map<string, V[]>, key: string, value: V): void {
  const list = lists.get(key);
  if (list === undefined) {
    lists.set(key, [value]);
  } else {
    list.push(value);
  }
}

/** Returns the symbols whose name, kind or file contains each word of a filter. */
export function matching(picture: Picture, filter: string): PictureNode[] {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return picture.nodes.slice(1).filter((node) => {
    const text = `${node.name} ${node.kind}${node.isTest ? ' test' : ''} ${node.file}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
