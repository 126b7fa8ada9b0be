package cart

import (
	"testing"

	"example.org/ledger"
	"example.org/shop/price"
)

func filled() *Cart {
	cart := With(price.Half)
	cart.Add(price.Fruit{Kind: "Plum", Grams: 500})
	return cart
}

func TestPay(t *testing.T) {
	memory := ledger.New(1)
	if err := filled().Pay(memory); err != nil {
		t.Fatal(err)
	}
	if memory.Total() != 25 {
		t.Errorf("total is %d", memory.Total())
	}
}
