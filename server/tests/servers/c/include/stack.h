#ifndef STACK_H
#define STACK_H

#ifdef __cplusplus
extern "C" {
#endif

#define STACK_LIMIT 8

/* A stack of numbers. */
struct stack {
    int items[STACK_LIMIT];
    int count;
};

int stack_push(struct stack *s, int item);
int stack_pop(struct stack *s);

#ifdef __cplusplus
}
#endif

#endif
