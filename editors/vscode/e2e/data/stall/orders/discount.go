package orders

// Discount is a tenth of the price from ten items on.
func Discount(count, price int) int {
	if count < 10 {
		return 0
	}
	return price / 10
}
