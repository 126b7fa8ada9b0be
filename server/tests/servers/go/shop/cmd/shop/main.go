// Command shop sells fruit.
package main

import (
	"errors"
	"fmt"
	"os"

	"example.org/ledger"
	"example.org/ledger/journal"
	"example.org/shop/cart"
	"example.org/shop/price"
)

type option func(*cart.Cart)

func fruit(kind string, grams int) option {
	return func(c *cart.Cart) { c.Add(price.Fruit{Kind: kind, Grams: grams}) }
}

func bag(label string, items ...price.Item) option {
	return func(c *cart.Cart) {
		c.Add(&price.Bag{Label: label, Items: items})
	}
}

func run(sink ledger.Sink, options ...option) error {
	basket := cart.With(price.Half)
	for _, apply := range options {
		apply(basket)
	}
	total := (*cart.Cart).Total
	fmt.Println(basket.Len(), total(basket))
	for _, item := range basket.Sorted() {
		switch item := item.(type) {
		case *price.Bag:
			fmt.Println(item.Label, item.Price())
		case fmt.Stringer:
			fmt.Println(item.String())
		default:
			fmt.Println(item.Name())
		}
	}
	return basket.Pay(sink)
}

func main() {
	book := journal.Open(os.Stdout)
	err := run(book, fruit("Apple", 1200), bag("mixed", price.Fruit{Kind: "Pear", Grams: 300}))
	if errors.Is(err, ledger.ErrFull) {
		os.Exit(1)
	}
	if err := book.Flush(); err != nil {
		panic(err)
	}
}
