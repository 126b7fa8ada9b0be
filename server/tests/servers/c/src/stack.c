#include "stack.h"

static int has_room(const struct stack *s) {
    return s->count < STACK_LIMIT;
}

int stack_push(struct stack *s, int item) {
    if (!has_room(s)) {
        return 0;
    }
    s->items[s->count++] = item;
    return 1;
}

int stack_pop(struct stack *s) {
    return s->count > 0 ? s->items[--s->count] : -1;
}
