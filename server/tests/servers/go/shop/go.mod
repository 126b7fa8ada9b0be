module example.org/shop

go 1.22

require example.org/ledger v0.0.0
