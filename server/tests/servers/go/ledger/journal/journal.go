// Package journal writes entries to a stream as well as to memory.
package journal

import (
	"fmt"
	"io"

	"example.org/ledger"
)

// Journal embeds the ledger and a writer: their methods are its own.
type Journal struct {
	*ledger.Memory
	io.Writer
}

// Open starts a journal on a stream.
func Open(to io.Writer) *Journal {
	return &Journal{Memory: ledger.New(100), Writer: to}
}

// Put writes an entry before it is kept.
func (j *Journal) Put(entry ledger.Entry) error {
	if _, err := fmt.Fprintln(j, entry.Reason, entry.Amount); err != nil {
		return err
	}
	return j.Memory.Put(entry)
}

// Flush writes the total of what the embedded ledger has.
func (j *Journal) Flush() error {
	_, err := j.Write([]byte(fmt.Sprint(j.Total())))
	return err
}
