// Runs a parse of tree-sitter that stops when it has allocated too much memory.
//
// Why C: the error recovery of tree-sitter can allocate gigabytes within one step, when it collects
// all paths through its stack at the end of a text, and asks nobody meanwhile. A text of 10 kB takes
// all memory. The library checks no allocation, so its allocation functions may not fail; the only
// way out of them is a jump. These are the frames between `setjmp` and `longjmp`: functions of the
// library, which are C and hold nothing but memory, and the functions of this file. No frame of Rust
// is skipped, because the callbacks into Rust allocate nothing through the library.
//
// While a parse runs, its thread records every block that the library allocates and frees. After a
// jump, the blocks that are still allocated are freed, the parser among them. What remains is the
// memory of the scanner of a grammar, a few hundred bytes that grammars get from malloc, and, if the
// parse started from an earlier tree, the nodes of that tree that the parse had referred to.

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <tree_sitter/api.h>

#if defined(_MSC_VER)
#define THREAD_LOCAL __declspec(thread)
#else
#define THREAD_LOCAL _Thread_local
#endif

// Number of events that a thread keeps room for between two parses: a file of about 100 kB.
#define KEPT_EVENTS ((size_t)1 << 17)

// Number of bytes charged for each event, so that the limit also bounds the number of calls. A text of
// 4 kB makes 40 million within one step of the parser, in a minute, with little memory at a time.
#define EVENT_BYTES 16

// Marks an event as the release of a block. Blocks are aligned, so that the bit is free.
#define RELEASED ((uintptr_t)1)

// The parse that runs on a thread.
typedef struct {
  bool running;
  uint64_t charged;  // Bytes allocated since the parse began, and EVENT_BYTES for each event.
  uint64_t limit;
  uintptr_t *events;  // Addresses of blocks, in order; with RELEASED where a block was freed.
  size_t event_count;
  size_t event_capacity;
  jmp_buf exit;
} BoundedParse;

static THREAD_LOCAL BoundedParse current;

// Ends the parse of this thread, or the process if no parse runs: no caller checks for null.
static void fail_allocation(size_t size) {
  if (current.running) longjmp(current.exit, 1);
  fprintf(stderr, "kenning: out of memory: cannot allocate %zu bytes for a syntax tree\n", size);
  abort();
}

// Makes room for `count` more events and charges them and `size` bytes. Called before anything is
// allocated or freed, so that a jump leaves no block unrecorded.
static void prepare_events(size_t count, size_t size) {
  if (!current.running) return;
  uint64_t left = current.limit - current.charged;
  if (size > left || count * EVENT_BYTES > left - size) fail_allocation(size);
  current.charged += size + count * EVENT_BYTES;
  if (current.event_capacity - current.event_count >= count) return;
  size_t capacity = current.event_capacity ? current.event_capacity * 2 : KEPT_EVENTS;
  uintptr_t *events = realloc(current.events, capacity * sizeof(uintptr_t));
  if (!events) fail_allocation(capacity * sizeof(uintptr_t));
  current.events = events;
  current.event_capacity = capacity;
}

static void record_event(uintptr_t block, uintptr_t mark) {
  if (current.running && block) current.events[current.event_count++] = block | mark;
}

static void *bounded_malloc(size_t size) {
  prepare_events(1, size);
  void *block = malloc(size);
  if (!block && size) fail_allocation(size);
  record_event((uintptr_t)block, 0);
  return block;
}

static void *bounded_calloc(size_t count, size_t size) {
  size_t bytes = size && count > SIZE_MAX / size ? SIZE_MAX : count * size;
  prepare_events(1, bytes);
  void *block = calloc(count, size);
  if (!block && bytes) fail_allocation(bytes);
  record_event((uintptr_t)block, 0);
  return block;
}

static void *bounded_realloc(void *old, size_t size) {
  prepare_events(2, size);
  uintptr_t released = (uintptr_t)old;
  void *block = realloc(old, size);
  if (!block && size) fail_allocation(size);
  record_event(released, RELEASED);
  record_event((uintptr_t)block, 0);
  return block;
}

static void bounded_free(void *block) {
  prepare_events(1, 0);
  record_event((uintptr_t)block, RELEASED);
  free(block);
}

static int compare_events(const void *left, const void *right) {
  uintptr_t a = *(const uintptr_t *)left, b = *(const uintptr_t *)right;
  return a < b ? -1 : a > b;
}

// Frees the blocks that were allocated more often than they were freed. A block is never allocated
// twice in between, so the order of the events does not matter.
static void free_recorded_blocks(void) {
  qsort(current.events, current.event_count, sizeof(uintptr_t), compare_events);
  for (size_t i = 0; i < current.event_count;) {
    uintptr_t block = current.events[i] & ~RELEASED;
    ptrdiff_t owned = 0;
    for (; i < current.event_count && (current.events[i] & ~RELEASED) == block; i++) {
      owned += current.events[i] & RELEASED ? -1 : 1;
    }
    if (owned > 0) free((void *)block);
  }
}

static void drop_events(void) {
  current.event_count = 0;
  if (current.event_capacity > KEPT_EVENTS) {
    free(current.events);
    current.events = NULL;
    current.event_capacity = 0;
  }
}

// Makes tree-sitter use the functions above. They get their memory from the functions that it uses
// by default, so blocks that were allocated before can be freed.
void kenning_bound_allocations(void) {
  ts_set_allocator(bounded_malloc, bounded_calloc, bounded_realloc, bounded_free);
}

// Parses a text with a parser of its own. Returns null if a callback stopped the parse, if the
// language cannot be used, or if the parse exceeded `limit`; the last sets `*exceeded`. `*charged`
// receives the bytes that the parse allocated, freed ones included, and EVENT_BYTES for each call.
TSTree *kenning_parse(
  const TSLanguage *language,
  const TSTree *old_tree,
  TSInput input,
  TSParseOptions options,
  uint64_t limit,
  bool *exceeded,
  uint64_t *charged
) {
  current.charged = 0;
  current.limit = limit;
  if (setjmp(current.exit)) {
    current.running = false;
    free_recorded_blocks();
    drop_events();
    *exceeded = true;
    *charged = current.charged;
    return NULL;
  }
  current.running = true;
  TSParser *parser = ts_parser_new();
  TSTree *tree = NULL;
  if (ts_parser_set_language(parser, language)) {
    tree = ts_parser_parse_with_options(parser, old_tree, input, options);
  }
  ts_parser_delete(parser);
  current.running = false;
  drop_events();
  *exceeded = false;
  *charged = current.charged;
  return tree;
}
