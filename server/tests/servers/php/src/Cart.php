<?php

namespace Shop;

final class Cart
{
    /** @var Priced[] */
    private array $items = [];

    public function add(Priced $item): static
    {
        $this->items[] = $item;
        return $this;
    }

    public function total(): int
    {
        $total = 0;
        foreach ($this->items as $item) {
            $total += $item->price();
        }
        return $total;
    }
}
