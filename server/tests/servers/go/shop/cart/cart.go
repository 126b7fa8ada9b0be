// Package cart gathers what somebody buys.
package cart

import (
	"sort"

	book "example.org/ledger"
	"example.org/shop/price"
)

// Set holds each of its members once.
type Set[T comparable] struct {
	members map[T]int
}

// Add puts a member in and says whether it is new.
func (s *Set[T]) Add(member T) bool {
	if s.members == nil {
		s.members = make(map[T]int)
	}
	_, known := s.members[member]
	s.members[member]++
	return !known
}

// Len is the number of members.
func (s *Set[T]) Len() int { return len(s.members) }

// Cart is a list of items, with the names of their kinds.
type Cart struct {
	items []price.Item
	kinds Set[string]
	after price.Discount
}

// With makes a cart whose total is lowered by a discount.
func With(after price.Discount) *Cart {
	return &Cart{after: after}
}

// Add puts an item into the cart.
func (c *Cart) Add(item price.Item) {
	c.items = append(c.items, item)
	c.kinds.Add(item.Name())
}

// Len is the number of kinds.
func (c *Cart) Len() int { return c.kinds.Len() }

// Total is what everything costs.
func (c *Cart) Total() price.Cents {
	sum := price.Cents(0)
	for _, item := range c.items {
		sum += price.Of(item)
	}
	if c.after != nil {
		sum = c.after(sum)
	}
	return sum
}

// Sorted lists the items by price.
func (c *Cart) Sorted() []price.Item {
	sorted := append([]price.Item(nil), c.items...)
	less := func(i, j int) bool { return sorted[i].Price() < sorted[j].Price() }
	sort.Slice(sorted, less)
	return sorted
}

// Pay books the total.
func (c *Cart) Pay(to book.Sink) error {
	defer to.Close()
	return to.Put(book.Entry{Reason: "cart", Amount: int(c.Total())})
}
