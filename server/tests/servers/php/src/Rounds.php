<?php

namespace Shop;

trait Rounds
{
    protected function rounded(int $cents): int
    {
        return intdiv($cents + 50, 100) * 100;
    }
}
