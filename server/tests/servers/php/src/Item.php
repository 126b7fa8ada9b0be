<?php

namespace Shop;

class Item implements Priced
{
    use Rounds;

    public const CURRENCY = 'EUR';

    public function __construct(private string $name, private int $cents)
    {
    }

    public static function free(string $name): self
    {
        return new self($name, 0);
    }

    public function price(): int
    {
        return $this->rounded($this->cents);
    }

    public function label(): string
    {
        return strtoupper($this->name) . ' ' . format_price($this->price()) . ' ' . self::CURRENCY;
    }
}
