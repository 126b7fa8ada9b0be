#include "price.h"

long price_of(int items) { return items * 100L; }
