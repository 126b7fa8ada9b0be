/**
 * The visible part of a diagram: symbols, closed folders, and items with the number of further
 * symbols.
 *
 * The dependents of a diagram are a tree, because each is attached to one symbol nearer to the
 * target. The dependents of one symbol are clustered by folder. An open cluster is a frame around
 * its symbols; a closed cluster is a single item. A large cluster shows a page of symbols and an
 * item with the number of the remaining symbols.
 */
import type { Diagram, DiagramNode } from './model';

/** Maximum initial number of rows, so that the diagram fits on about one screen. */
export const MAX_ROWS = 36;
/** Number of symbols by which a cluster grows. */
export const PAGE_SIZE = 20;
/** Number of symbols that a cluster larger than a page shows initially. */
const SAMPLE_SIZE = 4;
/** Number of clusters of one symbol above which folders are merged into their parents. */
const MAX_CLUSTERS = 16;

/** The dependents of a symbol in one folder. All items of an open cluster share it. */
export interface FolderCluster {
  key: string;
  folder: string;
  /** Number of its symbols, including hidden ones. */
  count: number;
}

interface ItemFields {
  /** Identifies the item in the diagram. It does not change when other items open. */
  key: string;
  children: OutlineItem[];
  /** The cluster of the item if it is in a frame. */
  cluster?: FolderCluster;
}

export type OutlineItem = ItemFields &
  (
    | { kind: 'symbol'; node: DiagramNode }
    /** A closed cluster. `hidden` also counts the dependents of its symbols. */
    | { kind: 'folder'; folder: string; count: number; hidden: number }
    /** Further symbols. `opens` is the key of the symbol or cluster to open. */
    | { kind: 'more'; opens: string; count: number; hidden: number }
  );

/** The keys of the open symbols and clusters, and the number of visible symbols of each cluster. */
export interface OpenState {
  open: Set<string>;
  pages: Map<string, number>;
}

interface FolderGroup extends FolderCluster {
  nodes: DiagramNode[];
}

/** The tree of a diagram's symbols, from which the visible items are built. */
export class DiagramOutline {
  private readonly children = new Map<string, DiagramNode[]>();
  private readonly groups = new Map<string, FolderGroup[]>();
  private readonly sizes = new Map<string, number>();
  private readonly byId: Map<string, DiagramNode>;
  private readonly target: DiagramNode;

  constructor(diagram: Diagram) {
    const [target] = diagram.nodes;
    if (target === undefined) {
      throw new Error('the diagram has no target');
    }
    this.target = target;
    this.byId = new Map(diagram.nodes.map((node) => [node.id, node]));
    for (const node of diagram.nodes) {
      if (node.dependsOn !== undefined) {
        addToList(this.children, node.dependsOn, node);
      }
    }
    // Visit the last nodes first, because the size of a node includes the sizes of its dependents.
    for (const node of [...diagram.nodes].reverse()) {
      const dependents = (this.children.get(node.id) ?? []).reduce(
        (sum, { id }) => sum + (this.sizes.get(id) ?? 1),
        0,
      );
      this.sizes.set(node.id, dependents + 1);
    }
    for (const [id, nodes] of this.children) {
      this.groups.set(id, groupByFolder(id, nodes));
    }
  }

  /** Opens symbols and clusters from the target outward, as many as fit into a number of rows. */
  openWithin(rows: number): OpenState {
    const state: OpenState = { open: new Set([this.target.id]), pages: new Map() };
    let used = Math.max(this.groupsOf(this.target.id).length, 1);
    let candidates = this.candidatesBelow(this.target.id, 1);
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

  /** Opens all symbols and clusters. */
  openAll(): OpenState {
    const groups = [...this.groups.values()].flat();
    return {
      open: new Set([...this.children.keys(), ...groups.map(({ key }) => key)]),
      pages: new Map(groups.map(({ key, count }) => [key, count])),
    };
  }

  /** Opens the symbols and clusters that hide a symbol. */
  reveal(state: OpenState, id: string): void {
    for (let at = this.byId.get(id); at?.dependsOn !== undefined; at = this.byId.get(at.dependsOn)) {
      const node = at;
      const group = this.groupsOf(at.dependsOn).find(({ nodes }) => nodes.includes(node));
      state.open.add(at.dependsOn);
      if (group !== undefined) {
        state.open.add(group.key);
        const count = Math.ceil((group.nodes.indexOf(node) + 1) / PAGE_SIZE) * PAGE_SIZE;
        state.pages.set(group.key, Math.max(state.pages.get(group.key) ?? PAGE_SIZE, count));
      }
    }
  }

  /** Opens a closed item, or shows one more page of a cluster. */
  open(state: OpenState, item: OutlineItem): void {
    const key = item.kind === 'more' ? item.opens : item.key;
    if (item.kind === 'more' && state.open.has(key)) {
      state.pages.set(key, (state.pages.get(key) ?? PAGE_SIZE) + PAGE_SIZE);
    }
    state.open.add(key);
    // Also open a single cluster, which would otherwise need a second click.
    const [group, ...others] = this.groupsOf(key);
    if (group !== undefined && others.length === 0) {
      state.open.add(group.key);
    }
  }

  /**
   * Builds the tree of the visible items. With `only`, it has all of these symbols and no others.
   */
  build(state: OpenState, only?: ReadonlySet<string>): OutlineItem {
    return this.symbolItem(this.target, state, only, undefined);
  }

  /** Returns the ids of these symbols and of all symbols on their paths to the target. */
  addPaths(ids: Iterable<string>): Set<string> {
    const idsOnPaths = new Set([this.target.id]);
    for (const id of ids) {
      for (
        let at = this.byId.get(id);
        at !== undefined && !idsOnPaths.has(at.id);
        at = this.byId.get(at.dependsOn ?? '')
      ) {
        idsOnPaths.add(at.id);
      }
    }
    return idsOnPaths;
  }

  private symbolItem(
    node: DiagramNode,
    state: OpenState,
    only: ReadonlySet<string> | undefined,
    cluster: FolderCluster | undefined,
  ): OutlineItem {
    const children = this.childItems(node, state, only);
    return { kind: 'symbol', key: node.id, node, children, ...(cluster === undefined ? {} : { cluster }) };
  }

  private childItems(
    node: DiagramNode,
    state: OpenState,
    only: ReadonlySet<string> | undefined,
  ): OutlineItem[] {
    const groups = this.groupsOf(node.id);
    if (groups.length > 0 && only === undefined && !state.open.has(node.id)) {
      const hidden = (this.sizes.get(node.id) ?? 1) - 1;
      const count = groups.reduce((sum, group) => sum + group.count, 0);
      return [{ kind: 'more', key: `more:${node.id}`, opens: node.id, count, hidden, children: [] }];
    }
    return groups.flatMap((group) => this.groupItems(group, state, only));
  }

  private groupItems(
    group: FolderGroup,
    state: OpenState,
    only: ReadonlySet<string> | undefined,
  ): OutlineItem[] {
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
    const cluster: FolderCluster = { key, folder, count };
    const shown = nodes.slice(0, state.pages.get(key) ?? PAGE_SIZE);
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

  private groupsOf(id: string): FolderGroup[] {
    return this.groups.get(id) ?? [];
  }

  private sizeOf(nodes: DiagramNode[]): number {
    return nodes.reduce((sum, { id }) => sum + (this.sizes.get(id) ?? 1), 0);
  }

  /** Returns the candidates to open among the dependents of an open symbol. */
  private candidatesBelow(id: string, hop: number): OpenCandidate[] {
    return this.groupsOf(id).flatMap((group) => {
      const page = group.count > PAGE_SIZE ? SAMPLE_SIZE : group.count;
      const below = (): OpenCandidate[] =>
        group.nodes.slice(0, page).flatMap((node) => {
          const groups = this.groupsOf(node.id);
          const reveals = (): OpenCandidate[] => this.candidatesBelow(node.id, hop + 1);
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

/** A closed symbol or cluster. */
interface OpenCandidate {
  key: string;
  hop: number;
  /** Number of rows when it is open. */
  rows: number;
  /** Number of symbols that a cluster shows. */
  page?: number;
  /** Returns the candidates inside it. */
  reveals: () => OpenCandidate[];
}

/** Returns the folder of a file; `.` for the root of the workspace. */
export function folderOf(file: string): string {
  const end = file.lastIndexOf('/');
  return end < 0 ? '.' : file.slice(0, end);
}

/** Groups the dependents of a symbol by folder. Folders that contain only tests come last. */
function groupByFolder(id: string, nodes: DiagramNode[]): FolderGroup[] {
  const depth = Math.max(...nodes.map(({ file }) => folderOf(file).split('/').length));
  let groups = groupAtDepth(id, nodes, depth);
  for (let shorter = depth - 1; shorter > 0 && groups.length > MAX_CLUSTERS; shorter -= 1) {
    groups = groupAtDepth(id, nodes, shorter);
  }
  const testsLast = (group: FolderGroup): number => (group.nodes.every((node) => node.isTest) ? 1 : 0);
  return groups.sort((a, b) => testsLast(a) - testsLast(b) || (a.folder < b.folder ? -1 : 1));
}

/** Groups nodes by the first `depth` parts of their folder. */
function groupAtDepth(id: string, nodes: DiagramNode[], depth: number): FolderGroup[] {
  const byFolder = new Map<string, DiagramNode[]>();
  for (const node of nodes) {
    const folder = folderOf(node.file).split('/').slice(0, depth).join('/');
    addToList(byFolder, folder, node);
  }
  return [...byFolder].map(([folder, members]) => ({
    key: `folder:${id}:${folder}`,
    folder,
    count: members.length,
    nodes: members,
  }));
}

/** Adds a value to the list of a key. */
export function addToList<V>(lists: Map<string, V[]>, key: string, value: V): void {
  const list = lists.get(key);
  if (list === undefined) {
    lists.set(key, [value]);
  } else {
    list.push(value);
  }
}

/** Returns the dependents whose name, kind or file contains each word of a filter. */
export function filterNodes(diagram: Diagram, filter: string): DiagramNode[] {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return diagram.nodes.slice(1).filter((node) => {
    const text = `${node.name} ${node.kind}${node.isTest ? ' test' : ''} ${node.file}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
