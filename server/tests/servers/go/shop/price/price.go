// Package price says what things cost.
package price

import "strings"

// Cents is an amount of money.
type Cents int

// Priced is everything that has a price.
type Priced interface {
	Price() Cents
}

// Named is everything that has a name.
type Named interface {
	Name() string
}

// Item is what is sold: it has a name and a price.
type Item interface {
	Named
	Priced
}

// Fruit is sold by weight.
type Fruit struct {
	Kind  string
	Grams int
}

// Name is its kind in lower case.
func (f Fruit) Name() string { return strings.ToLower(f.Kind) }

// Price grows with its weight.
func (f Fruit) Price() Cents { return Cents(f.Grams / 10) }

// Bag holds items and is one.
type Bag struct {
	Label string
	Items []Item
}

// Name is what stands on it.
func (b *Bag) Name() string { return b.Label }

// Price is the sum of the prices of what is in it.
func (b *Bag) Price() Cents {
	var sum Cents
	for _, item := range b.Items {
		sum += item.Price()
	}
	return sum
}

// Discount lowers a price.
type Discount func(Cents) Cents

// Half is half the price.
func Half(cents Cents) Cents { return cents / 2 }

// Of is the price of something after discounts.
func Of(what Priced, discounts ...Discount) Cents {
	price := what.Price()
	for _, discount := range discounts {
		price = discount(price)
	}
	return price
}
