//! Components of Vue and Svelte: imports of components, and their uses in templates.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

#[test]
fn uses_in_a_template_reach_the_file_of_the_component() {
    check(
        r##"//- src/App.vue
        <template>
          <order-list :items="items" @remove="drop" />
          <Line>{{ format(items) }}</Line>
        </template>
        <script setup lang="ts">
        import OrderList from './OrderList.vue'
        import Line from '@/Line.svelte'
        import { format } from './format'
        const items = format([])
        function drop() { format(1) }
        </script>
        //- src/OrderList.vue
        <script>
        import { format } from './format'
        export default { methods: { show() { return format(1) } } }
        </script>
        //- src/Line.svelte
        <script>
          import { format } from './format';
          export let text = format('');
        </script>
        <p>{format(text)}</p>
        //- src/format.ts
        export function format(value: unknown) { return value }
        //- src/main.ts
        import App from './App.vue'
        createApp(App)
        //- tsconfig.json
        { "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }"##,
        &[Calls, Imports, References],
        expect![[r#"
            calls src/App.vue -> src/Line.svelte
            calls src/App.vue -> src/OrderList.vue::default
            calls src/App.vue::drop -> src/format.ts::format
            calls src/App.vue::items -> src/format.ts::format
            calls src/Line.svelte::text -> src/format.ts::format
            calls src/OrderList.vue::default.methods.show -> src/format.ts::format
            imports src/App.vue -> src/Line.svelte
            imports src/App.vue -> src/OrderList.vue::default
            imports src/App.vue -> src/format.ts::format
            imports src/Line.svelte -> src/format.ts::format
            imports src/OrderList.vue -> src/format.ts::format
            imports src/main.ts -> src/App.vue
            references src/App.vue -> src/App.vue::drop
            references src/App.vue -> src/App.vue::items
            references src/App.vue -> src/format.ts::format
            references src/Line.svelte -> src/Line.svelte::text
            references src/Line.svelte -> src/format.ts::format
            references src/main.ts -> src/App.vue
            resolved 6 ambiguous 0 external 0 unresolved 1
        "#]],
    );
}
