// Package stock knows what lies on the shelf.
package stock

import "fmt"

// Shelf holds items by name.
type Shelf struct {
	counts map[string]int
}

// NewShelf returns an empty shelf.
func NewShelf() *Shelf {
	return &Shelf{counts: map[string]int{}}
}

// Add puts more of an item on the shelf.
func (s *Shelf) Add(name string, count int) {
	s.counts[name] += count
}

// Take removes items, if there are enough of them.
func (s *Shelf) Take(name string, count int) error {
	if s.Count(name) < count {
		return fmt.Errorf("only %d of %s left", s.Count(name), name)
	}
	s.counts[name] -= count
	return nil
}

// Count says how many of an item there are.
func (s *Shelf) Count(name string) int {
	return s.counts[name]
}
