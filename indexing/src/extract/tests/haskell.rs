//! Tests that extraction finds the declarations and uses in Haskell.
#![allow(clippy::needless_raw_string_hashes, reason = "expect_test writes them")]

use super::check;
use expect_test::expect;

const SOURCE: &str = r##"-- | Orders.
module Shop.Order (send, Order (..)) where

import Data.List (sort)
import qualified Data.Map as M
import Shop.Client
import Shop.Item (Item (..))

-- | An order of many items.
data Order a = Order {orderId :: Int, items :: [a]} | Empty
newtype Id = Id {unId :: Int}
type Index = M.Map Int Id

class Sellable a where
  -- | The price.
  price :: a -> Int
  discount :: a -> Int

instance Sellable (Order a) where
  price order = total (orderId order)
  discount _ = 0

-- | Sends an order.
send :: Order Item -> IO ()
send Empty = return ()
send order
  | price order > 1 = go order
  | otherwise = post $ M.lookup 1 order
  where
    go x = helper x `seq` send (Order 1 [])

helper x = do
  reply <- post x
  mapM_ helper (sort reply)

(<+>) :: Int -> Int -> Int
a <+> b = a + b

prop_sorted = sort [1] == [1]
"##;

#[test]
fn declarations_and_uses_of_haskell_are_found() {
    check(
        "haskell",
        SOURCE,
        expect![[r#"
            haskell package="Shop.Order" lines=39
            enum Order 10-10 `data Order a = Order {orderId :: Int, items :: [a]} | Empty` Implements(Sellable) public doc="An order of many items."
              constructor Order.Order 10-10 `Order {orderId :: Int, items :: [a]}` ()/0 public
                field orderId 10-10 `orderId :: Int` : Int public
                field items 10-10 `items :: [a]` : [a] public
              constructor Empty 10-10 `Empty` ()/0 public
            struct Id 11-11 `newtype Id = Id {unId :: Int}` public
              constructor Id.Id 11-11 `Id {unId :: Int}` ()/0 public
                field unId 11-11 `unId :: Int` : Int public
            type Index 12-12 `type Index = M.Map Int Id` public
            trait Sellable 14-17 `class Sellable a where` public
              method price 16-16 `price :: a -> Int` ()/0 : a -> Int public doc="The price."
              method discount 17-17 `discount :: a -> Int` ()/0 : a -> Int public
            method Order.price 20-20 `price order` (order)/1 public
            method Order.discount 21-21 `discount _` (_)/1 public
            function send 24-30 `send :: Order Item -> IO ()` ()/0 : Order Item -> IO () public doc="Sends an order."
            function helper 32-34 `helper x` (x)/1 public
            function <+> 36-37 `(<+>) :: Int -> Int -> Int` ()/0 : Int -> Int -> Int public
            function prop_sorted 39-39 `prop_sorted` ()/0 public test
            ref Value send in file 2:20
            ref Type Order in file 2:26
            ref Value a in Order 10:12
            ref Type Int in orderId 10:34
            ref Value a in items 10:49
            ref Type Int in unId 11:26
            ref Type Map in Index 12:16
            ref Type Int in Index 12:20
            ref Type Id in Index 12:24
            ref Value a in Sellable 14:16
            ref Value a in price 16:12
            ref Type Int in price 16:17
            ref Value a in discount 17:15
            ref Type Int in discount 17:20
            ref Base Sellable in Order 19:10
            ref Type Order in file 19:20
            ref Value a in file 19:26
            ref Call total in Order.price 20:17
            ref Call orderId in Order.price 20:24
            ref Type Order in send 24:9
            ref Type Item in send 24:15
            ref Type IO in send 24:23
            ref Value Empty in send 25:6
            ref Call return in send 25:14
            ref Call price in send 27:5
            ref Call > in send 27:17
            ref Call go in send 27:23
            ref Value otherwise in send 28:5
            ref Call post in send 28:17
            ref Call $ in send 28:22
            ref Call M.lookup in send 28:26
            ref Call helper in send 30:12
            ref Call seq in send 30:22
            ref Call send in send 30:27
            ref Construct Order in send 30:33
            ref Call post in helper 33:12
            ref Call mapM_ in helper 34:3
            ref Value helper in helper 34:9
            ref Call sort in helper 34:17
            ref Type Int in <+> 36:10
            ref Type Int in <+> 36:17
            ref Type Int in <+> 36:24
            ref Value a in <+> 37:1
            ref Value b in <+> 37:7
            ref Value a in <+> 37:11
            ref Call + in <+> 37:13
            ref Value b in <+> 37:15
            ref Call sort in prop_sorted 39:15
            ref Call == in prop_sorted 39:24
            import "Data.List" "sort" as "sort" in file
            import "Data.Map" "" as "M" in file
            import "Shop.Client" "*" as "" in file
            import "Shop.Item" "*" as "" in file
            bind order = Value  in Order.price
            bind order = Value  in send
            bind go = Value  in send
            bind x = Value  in send
            bind x = Value  in helper
            bind reply = Value  in helper
        "#]],
    );
}
