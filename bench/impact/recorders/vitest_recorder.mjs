/**
 * Records which vitest test executes which source line, as lcov records.
 *
 * Install @vitest/coverage-istanbul in the version of vitest, put this file first
 * into `test.setupFiles`, and run
 *
 *     RECORDER_OUT=DIRECTORY vitest --run --coverage.enabled \
 *         --coverage.provider=istanbul --sequence.hooks=stack
 *
 * `--sequence.hooks=stack` makes the afterEach below the last one to run, so that
 * the teardown of a test counts too. Code that runs while files are loaded or
 * tests are collected (bodies of describe, beforeAll) is not recorded.
 *
 * Each worker process appends to a file of its own in RECORDER_OUT; concatenate
 * them. They hold one record per passing test and source file:
 *
 *     TN:src/compose.test.ts::title of the test
 *     SF:src/compose.ts
 *     DA:LINE,COUNT        (executed lines only)
 *     end_of_record
 *
 * Tests with `.concurrent` cannot be distinguished and must not be in the run.
 */
import { TraceMap, originalPositionFor } from '@jridgewell/trace-mapping'
import { appendFileSync, readFileSync } from 'node:fs'
import { isAbsolute, join, relative } from 'node:path'
import { afterEach, beforeEach } from 'vitest'

const ROOT = process.cwd()
const OUT_FILE = join(process.env.RECORDER_OUT, `worker-${process.pid}.info`)
const BLANK_OR_COMMENT = /^\s*($|\/\/|\/\*|\*)/
const EXPRESSION_BRANCHES = ['cond-expr', 'binary-expr']

/** Returns the counters of istanbul, by file. */
const fileCoverages = () => globalThis.__VITEST_COVERAGE__ ?? {}

const relativePath = (path) =>
  (isAbsolute(path) ? relative(ROOT, path) : path).replaceAll('\\', '/')

/** Returns all counters of a file in one flat object, by statement, function and branch arm. */
const countersOf = (fileCoverage) => {
  const counters = {}
  for (const [id, count] of Object.entries(fileCoverage.s)) {
    counters[`s${id}`] = count
  }
  for (const [id, count] of Object.entries(fileCoverage.f)) {
    counters[`f${id}`] = count
  }
  for (const [id, arms] of Object.entries(fileCoverage.b)) {
    arms.forEach((count, arm) => (counters[`b${id}.${arm}`] = count))
  }
  return counters
}

/** Returns the locations of the counters: [counter key, location in the instrumented text]. */
const locationsOf = (fileCoverage) => {
  const locations = []
  for (const [id, location] of Object.entries(fileCoverage.statementMap)) {
    locations.push([`s${id}`, location])
  }
  for (const [id, fn] of Object.entries(fileCoverage.fnMap)) {
    locations.push([`f${id}`, { start: fn.decl.start, end: fn.loc.end }])
  }
  for (const [id, branch] of Object.entries(fileCoverage.branchMap)) {
    if (EXPRESSION_BRANCHES.includes(branch.type)) {
      branch.locations.forEach((location, arm) => locations.push([`b${id}.${arm}`, location]))
    }
  }
  return locations
}

/** Returns the location's first and last line in the source, or undefined outside the source. */
const originalLines = (location, traceMap) => {
  const lineOf = ({ line, column }) =>
    traceMap ? originalPositionFor(traceMap, { line, column: Math.max(column, 0) }).line : line
  const first = lineOf(location.start)
  const last = lineOf({ line: location.end.line, column: location.end.column - 1 })
  return first && { first, last: Math.max(first, last ?? first) }
}

/**
 * Returns the counters that show whether a line was executed: the counters of the statements
 * and functions that start there, or else of the smallest one around the line.
 */
const ownersOfLines = (path, fileCoverage) => {
  const traceMap = fileCoverage.inputSourceMap && new TraceMap(fileCoverage.inputSourceMap)
  const spans = locationsOf(fileCoverage)
    .map(([key, location]) => ({ key, ...originalLines(location, traceMap) }))
    .filter((span) => span.first)
    .sort((a, b) => a.last - a.first - (b.last - b.first))
  const owners = new Map()
  for (const { key, first } of spans) {
    owners.set(first, [...(owners.get(first) ?? []), key])
  }
  for (const { key, first, last } of spans) {
    for (let line = first + 1; line <= last; line++) {
      if (!owners.has(line)) {
        owners.set(line, [key])
      }
    }
  }
  const text = readFileSync(path, 'utf8').split('\n')
  return [...owners]
    .filter(([line]) => !BLANK_OR_COMMENT.test(text[line - 1] ?? ''))
    .sort(([a], [b]) => a - b)
}

const ownersCache = new Map()
const cachedOwners = (path, fileCoverage) => {
  if (!ownersCache.has(path)) {
    ownersCache.set(path, ownersOfLines(path, fileCoverage))
  }
  return ownersCache.get(path)
}

/** Returns the DA lines of a file for the executions since `before`. */
const executedLines = (path, fileCoverage, before) => {
  const now = countersOf(fileCoverage)
  const lines = []
  if (Object.keys(now).every((key) => now[key] === (before[key] ?? 0))) {
    return lines
  }
  for (const [line, keys] of cachedOwners(path, fileCoverage)) {
    const count = Math.max(...keys.map((key) => now[key] - (before[key] ?? 0)))
    if (count > 0) {
      lines.push(`DA:${line},${count}`)
    }
  }
  return lines
}

let countersBefore = {}

beforeEach(() => {
  countersBefore = {}
  for (const [path, fileCoverage] of Object.entries(fileCoverages())) {
    countersBefore[path] = countersOf(fileCoverage)
  }
})

afterEach(({ task }) => {
  if (task.result?.state === 'fail') {
    return
  }
  const testFile = relativePath(task.file?.filepath ?? task.suite.file.filepath)
  const records = []
  for (const [path, fileCoverage] of Object.entries(fileCoverages())) {
    const lines = executedLines(path, fileCoverage, countersBefore[path] ?? {})
    if (lines.length > 0) {
      records.push(
        `TN:${testFile}::${task.name}`,
        `SF:${relativePath(path)}`,
        ...lines,
        'end_of_record'
      )
    }
  }
  if (records.length > 0) {
    appendFileSync(OUT_FILE, records.join('\n') + '\n')
  }
})
