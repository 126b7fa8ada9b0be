//! Tests that extraction finds the declarations and uses in C.

use super::check;
use expect_test::expect;

const SOURCE: &str = r#"
#ifndef APP_H
#define APP_H
#include <stdio.h>
#include "util/list.h"

#define LIMIT 10
#define MAX(a, b) ((a) > (b) ? (a) : (b))

#ifdef __cplusplus
extern "C" {
#endif

/* A client. */
typedef struct client {
    int fd, flags;
    char *name;            // The name.
    struct client *next[4];
    void (*proc)(struct client *c, int argc);
    struct { int inner; } nested;
} client;

typedef struct { int x; } point, *point_ref;
typedef enum { RED, GREEN = 2 } color;
typedef int (*compare)(const void *a, const void *b);
typedef unsigned long u64;
struct forward;
union value { int i; double d; };

extern int counter;
static const int table[] = { 1, 2 };
static client *current = NULL, other;

/** Opens a client. */
client *open_client(const char *path, int flags);
API_EXPORT int exported(void);
int printf_like(const char *format, ...) __attribute__((format(printf, 1, 2)));
void (*signal_handler(int sig))(int);

#ifdef __cplusplus
}
#endif

static inline int helper(void) NOEXCEPT {
    return MAX(LIMIT, 3);
}

client *
open_client(const char *path, int flags)
{
    client *c = malloc(sizeof(*c));
    int (*fn)(void) = helper;
    for (int i = 0; i < 3; i++) c->next[i]->proc(c, i);
    list_add(&all, helper);
    c->name = getenv("HOME");
    qsort(c, 1, 2, compare_clients);
#if A
    if (flags) {
#else
    if (!flags) {
#endif
        ((client *)path)->fd = fn();
    }
    return c;
}

void test_open(void) { open_client("a", 1); }
#endif
"#;

#[test]
fn declarations_and_uses_of_c_are_found() {
    check(
        "c",
        SOURCE,
        expect![[r#"
        c package="" lines=68
        constant LIMIT 7-7 `#define LIMIT 10` internal
        macro MAX 8-8 `#define MAX(a, b) ((a) > (b) ? (a) : (b))` internal
        struct client 15-21 `typedef struct client` public doc="A client."
          field client.fd 16-16 `int fd, flags` : int public
          field client.flags 16-16 `int fd, flags` : int public
          field client.name 17-17 `char *name` : char public
          field client.next 18-18 `struct client *next[4]` : client public
          field client.proc 19-19 `void (*proc)(struct client *c, int argc)` : void public
          field client.nested 20-20 `struct { int inner; } nested` public
            field client.nested.inner 20-20 `int inner` : int public
        struct point 23-23 `typedef struct { int x; } point, *point_ref` public
        type point_ref 23-23 `typedef struct { int x; } point, *point_ref` : point public
          field point.x 23-23 `int x` : int public
        enum color 24-24 `typedef enum { RED, GREEN = 2 } color` public
          enum_member RED 24-24 `RED` public
          enum_member GREEN 24-24 `GREEN = 2` public
        type compare 25-25 `typedef int (*compare)(const void *a, const void *b)` : int public
        type u64 26-26 `typedef unsigned long u64` : unsigned long public
        union value 28-28 `union value` public
          field value.i 28-28 `int i` : int public
          field value.d 28-28 `double d` : double public
        variable counter 30-30 `extern int counter` : ~int public
        variable table 31-31 `static const int table[] = { 1, 2 }` : int private
        variable current 32-32 `static client *current = NULL, other` : client private
        variable other 32-32 `static client *current = NULL, other` : client private
        function open_client 35-35 `client *open_client(const char *path, int flags)` (char*,int)/2 : ~client public doc="Opens a client."
        function exported 36-36 `int exported(void)` ()/0 : ~int public
        function printf_like 37-37 `int printf_like(const char *format, ...) __attribute__((format(printf, 1, 2)))` (char*,...)/1 : ~int public
        function signal_handler 38-38 `void (*signal_handler(int sig))(int)` (int)/1 : ~void public
        function helper 44-46 `static inline int helper(void) NOEXCEPT` ()/0 : int private
        function open_client 48-65 `client * open_client(const char *path, int flags)` (char*,int)/2 : client public
        function test_open 67-67 `void test_open(void)` ()/0 : void public test
        ref Type client in client.next 18:12
        ref Type client in client.proc 19:25
        ref Type client in client 21:3
        ref Type forward in file 27:8
        ref Type client in other 32:8
        ref Type client in open_client 35:1
        ref Call MAX/2(LIMIT,?) in helper 45:12
        ref Value LIMIT in helper 45:16
        ref Type client in open_client 48:1
        ref Type client in open_client 51:5
        ref Call malloc/1(?) in open_client 51:17
        ref Value helper in open_client 52:23
        ref Field c.next in open_client 53:36
        ref Call c.next[].proc/2(c,i) in open_client 53:45
        ref Call list_add/2(all,helper) in open_client 54:5
        ref Value all in open_client 54:15
        ref Value helper in open_client 54:20
        ref Field c.name in open_client 55:8
        ref Call getenv/1(?) in open_client 55:15
        ref Env HOME in open_client 55:22
        ref Call qsort/4(c,?,?,compare_clients) in open_client 56:5
        ref Value compare_clients in open_client 56:20
        ref Type client in open_client 62:11
        ref Field {client}.fd in open_client 62:27
        ref Call fn/0 in open_client 62:32
        ref Call open_client/2(?,?) in test_open 67:24
        import "stdio.h" "" as "" in file
        import "util/list.h" "" as "" in file
        bind path = Type char in open_client
        bind flags = Type int in open_client
        bind c = Type client in open_client
        bind fn = Type int in open_client
        bind i = Type int in open_client
    "#]],
    );
}

#[test]
fn declarations_in_conditional_lines_are_found() {
    check(
        "c",
        "#if A\nint first(void) { return 1; }\n#elif B\nint second(void) { return 2; }\n#else\n#define third(x) (x)\n#endif\n\
         int header(\n#ifdef C\n  int a\n#else\n  long b\n#endif\n) { return 0; }\n",
        expect![[r#"
            c package="" lines=14
            function first 2-2 `int first(void)` ()/0 : int public
            function second 4-4 `int second(void)` ()/0 : int public
            macro third 6-6 `#define third(x) (x)` internal
            function header 8-14 `int header(#ifdef C int a #else long b #endif)` (int)/1 : int public
            bind a = Type int in header
        "#]],
    );
}
