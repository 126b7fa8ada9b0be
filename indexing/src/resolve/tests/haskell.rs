//! Haskell: declared modules, imports, clauses and classes.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

#[test]
fn calls_resolve_through_imports_and_ignore_locals() {
    check(
        r##"//- src/Shop/Order.hs
        module Shop.Order (send, Order (..)) where
        import qualified Shop.Client as C
        import Shop.Money (rounded)
        import Shop.Item
        import Data.List (sort)
        data Order = Order { orderId :: Int } | Empty
        send :: Order -> IO ()
        send Empty = C.post 1
        send order = go (orderId order)
          where go x = send (Order (rounded x))
        check total = total 1
        rank xs = sort $ xs
        instance Priced Order where
          price order = total order
        //- src/Shop/Client.hs
        module Shop.Client where
        post :: Int -> IO ()
        post x = return ()
        //- src/Shop/Money.hs
        module Shop.Money where
        rounded x = x
        hidden x = x
        //- src/Shop/Item.hs
        module Shop.Item where
        class Priced a where
          price :: a -> Int
        total x = price x
        //- test/OrderSpec.hs
        module OrderSpec where
        import Shop.Order
        prop_sends = send (Order 1)
        notImported = hidden 1"##,
        &[Calls, Implements, Imports, Tests],
        expect![[r#"
            calls src/Shop/Item.hs::total -> src/Shop/Item.hs::price
            calls src/Shop/Order.hs::Order.price -> src/Shop/Item.hs::total
            calls src/Shop/Order.hs::rank -> external::Data.List.sort
            calls src/Shop/Order.hs::send -> src/Shop/Client.hs::post
            calls src/Shop/Order.hs::send -> src/Shop/Money.hs::rounded
            calls src/Shop/Order.hs::send -> src/Shop/Order.hs::Order.Order
            calls src/Shop/Order.hs::send -> src/Shop/Order.hs::orderId
            calls test/OrderSpec.hs::prop_sends -> src/Shop/Order.hs::Order.Order
            calls test/OrderSpec.hs::prop_sends -> src/Shop/Order.hs::send
            implements src/Shop/Order.hs::Order -> src/Shop/Item.hs::Priced
            imports src/Shop/Order.hs -> external::Data.List.sort
            imports src/Shop/Order.hs -> src/Shop/Client.hs
            imports src/Shop/Order.hs -> src/Shop/Item.hs
            imports src/Shop/Order.hs -> src/Shop/Money.hs::rounded
            imports test/OrderSpec.hs -> src/Shop/Order.hs
            tests test/OrderSpec.hs::prop_sends -> src/Shop/Order.hs::Order.Order
            tests test/OrderSpec.hs::prop_sends -> src/Shop/Order.hs::send
            resolved 9 ambiguous 0 external 3 unresolved 3
        "#]],
    );
}
