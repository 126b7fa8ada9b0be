#include "price.h"

int main(void) { return price_of(3) > 0; }
