// Command stall sells a few apples.
package main

import (
	"fmt"

	"example.com/stall/orders"
	"example.com/stall/stock"
)

func main() {
	shelf := stock.NewShelf()
	shelf.Add("apple", 20)
	order := orders.Order{Item: "apple", Count: 3, Price: 2}
	cost, err := orders.Place(shelf, order)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("sold for", cost)
	orders.Cancel(shelf, order)
}
