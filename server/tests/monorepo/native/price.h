#pragma once

/* Returns the price of a number of items in cents. */
long price_of(int items);
