<?php

namespace Shop\Tests;

use Shop\Cart;
use Shop\Item as Article;
use function Shop\format_price;

class CartTest
{
    public function testTotal(): void
    {
        $cart = new Cart();
        $cart->add(new Article('tea', 420))->add(Article::free('bag'));
        assert(format_price($cart->total()) === '4.00');
    }
}
