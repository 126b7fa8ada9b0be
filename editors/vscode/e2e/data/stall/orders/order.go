// Package orders turns wishes into sales.
package orders

import "example.com/stall/stock"

// Order is what somebody wants.
type Order struct {
	Item  string
	Count int
	Price int
}

// Place takes the items of an order from the shelf and says what they cost.
func Place(shelf *stock.Shelf, order Order) (int, error) {
	if err := shelf.Take(order.Item, order.Count); err != nil {
		return 0, err
	}
	return Total(order), nil
}

// Cancel puts the items back.
func Cancel(shelf *stock.Shelf, order Order) {
	shelf.Add(order.Item, order.Count)
}

// Total is the price of an order after its discount.
func Total(order Order) int {
	full := order.Count * order.Price
	return full - Discount(order.Count, full)
}
