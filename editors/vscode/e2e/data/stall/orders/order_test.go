package orders

import (
	"testing"

	"example.com/stall/stock"
)

func TestPlaceTakesFromTheShelf(t *testing.T) {
	shelf := stock.NewShelf()
	shelf.Add("apple", 12)
	cost, err := Place(shelf, Order{Item: "apple", Count: 10, Price: 2})
	if err != nil || cost != 18 || shelf.Count("apple") != 2 {
		t.Fatal(cost, err)
	}
}

func TestDiscount(t *testing.T) {
	if Discount(9, 100) != 0 || Discount(10, 100) != 10 {
		t.Fatal("wrong discount")
	}
}
