//! Tests of components: scripts in a template, and the uses of their names in it.
#![allow(clippy::needless_raw_string_hashes, reason = "expect_test writes them")]

use super::check;
use expect_test::expect;

#[test]
fn scripts_and_template_of_a_vue_component_are_read() {
    check(
        "vue",
        r##"<template>
  <!-- <Ignored /> -->
  <order-list :items="sorted(items)" @remove="drop" title="drop">
    <Line v-for="item in items" :key="item.id">{{ formatPrice(item.price) }}</Line>
    <other-thing />
  </order-list>
</template>

<script setup lang="ts">
import OrderList from './OrderList.vue'
import { Line } from './line'
import { formatPrice } from './price'

/** The items. */
const items: Item[] = load()
function drop(item: Item) {
  items.splice(items.indexOf(item), 1)
}
const sorted = (all: Item[]) => all.sort()
</script>

<style scoped>
.drop { color: red }
</style>
"##,
        expect![[r#"
            vue package="" lines=24
            constant items 15-15 `const items: Item[] = load()` : Item[] internal doc="The items."
            function drop 16-18 `function drop(item: Item)` (Item)/1 internal
            function sorted 19-19 `const sorted = (all: Item[])` (Item[])/1 : =:Item.sort() internal
            ref Call OrderList in file 3:4
            ref Name sorted in file 3:23
            ref Name items in file 3:30
            ref Name drop in file 3:47
            ref Call Line in file 4:6
            ref Name items in file 4:26
            ref Name formatPrice in file 4:51
            ref Type Item in items 15:14
            ref Call load/0 in items 15:23
            ref Type Item in drop 16:21
            ref Name items in drop 17:3
            ref Call items.splice/2 in drop 17:9
            ref Name items in drop 17:16
            ref Call items.indexOf/1 in drop 17:22
            ref Type Item in sorted 19:22
            ref Call all.sort/0 in sorted 19:37
            import "./OrderList.vue" "default" as "OrderList" in file
            import "./line" "Line" as "Line" in file
            import "./price" "formatPrice" as "formatPrice" in file
            bind items = Type Item[] in file
            bind item = Type Item in drop
            bind all = Type Item[] in sorted
        "#]],
    );
}

#[test]
fn both_scripts_of_a_svelte_component_are_read() {
    check(
        "svelte",
        r##"<script context="module">
  export const limit = 3;
</script>
<script>
  import Line from './Line.svelte';
  export let items = [];
  function drop(item) { items = items.filter((other) => other !== item); }
</script>

{#each items as item}
  <Line {item} on:remove={() => drop(item)} disabled={items.length > limit} />
{/each}
"##,
        expect![[r#"
            svelte package="" lines=12
            constant limit 2-2 `export const limit = 3` : number public
            variable items 6-6 `export let items = []` : =Array() public
            function drop 7-7 `function drop(item)` (item)/1 internal
            ref Call items.filter/1 in drop 7:39
            ref Name items in file 10:8
            ref Call Line in file 11:4
            ref Name drop in file 11:33
            ref Name items in file 11:55
            ref Name limit in file 11:70
            import "./Line.svelte" "default" as "Line" in file
            bind limit = Type number in file
            bind items = Value Array() in file
            bind item = Value  in drop
            bind items = Value items.filter() in drop
            bind other = Value items.filter.^0/1.@0 in drop
        "#]],
    );
}
