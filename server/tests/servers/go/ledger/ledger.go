// Package ledger keeps entries.
package ledger

import (
	"errors"
	"fmt"
)

// ErrFull says that nothing more can be kept.
var ErrFull = errors.New("the ledger is full")

// Entry is an amount with the reason for it.
type Entry struct {
	Reason string
	Amount int
}

// Sink takes entries.
type Sink interface {
	Put(Entry) error
	Close() error
}

// Memory is a Sink that keeps entries in memory.
type Memory struct {
	entries []Entry
	limit   int
}

// New makes a Memory with room for limit entries.
func New(limit int) *Memory {
	return &Memory{limit: limit}
}

// Put keeps an entry.
func (m *Memory) Put(entry Entry) error {
	if len(m.entries) == m.limit {
		return fmt.Errorf("%s: %w", entry.Reason, ErrFull)
	}
	m.entries = append(m.entries, entry)
	return nil
}

// Close takes no more entries.
func (m *Memory) Close() error {
	m.limit = len(m.entries)
	return nil
}

// Total is the sum of all entries.
func (m *Memory) Total() int {
	return Sum(m.entries, func(entry Entry) int { return entry.Amount })
}

// Sum adds what amount says of each item.
func Sum[T any](items []T, amount func(T) int) int {
	total := 0
	for _, item := range items {
		total += amount(item)
	}
	return total
}
