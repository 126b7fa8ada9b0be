<?php

namespace Shop;

interface Priced
{
    public function price(): int;
}
