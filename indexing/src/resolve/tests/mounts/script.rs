//! TypeScript and JavaScript routers that another file mounts.

use super::super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

const EXPRESS: &str = r##"
        //- package.json
        {"name": "x"}
        //- app.js
        const express = require('express');
        const things = require('./things');
        const { router: parts } = require('./parts');
        const app = express();
        app.use('/api/users', auth, require('./users'));
        app.use('/api/things', things);
        app.use('/parts', parts);
        app.use(require('./plain'));
        app.use('/twice', things);
        app.use('/named', require('./named').router);
        require('./given')(app);
        require('./setup').setup(app);
        //- users.js
        const express = require('express');
        const router = express.Router();
        router.get('/:id', show);
        function show() {}
        module.exports = router;
        //- things.js
        const { Router } = require('express');
        const router = Router();
        router.post('/', make);
        function make() {}
        module.exports = router;
        //- parts.js
        const { Router } = require('express');
        const router = Router();
        router.delete('/:id', drop);
        function drop() {}
        exports.router = router;
        //- plain.js
        const express = require('express');
        const r = express.Router();
        r.get('/health', health);
        function health() {}
        module.exports = r;
        //- named.js
        const express = require('express');
        const router = express.Router();
        router.get('/n', named);
        function named() {}
        module.exports = { router };
        //- given.js
        const express = require('express');
        module.exports = function (app) {
          app.get('/given', given);
        };
        function given() {}
        //- setup.js
        const express = require('express');
        function given() {}
        exports.setup = (app) => {
          app.get('/setup', given);
        };
        //- nowhere.js
        const express = require('express');
        const router = express.Router();
        router.get('/lost', lost);
        function lost() {}
        module.exports = router;
        //- test/app.test.js
        const express = require('express');
        const app = express();
        app.use('/', require('../users'));
        "##;

#[test]
fn express_routers_are_mounted_through_imports_and_requires() {
    check(
        EXPRESS,
        &[HandlesRoute],
        expect![[r#"
            handles_route route::DELETE /parts/{} -> parts.js::drop
            handles_route route::GET /api/users/{} -> users.js::show
            handles_route route::GET /given -> given.js::given
            handles_route route::GET /health -> plain.js::health
            handles_route route::GET /lost -> nowhere.js::lost (ast_inferred 0.42)
            handles_route route::GET /named/n -> named.js::named
            handles_route route::GET /setup -> setup.js::given
            handles_route route::POST /api/things -> things.js::make
            handles_route route::POST /twice -> things.js::make
        "#]],
    );
}

const MODULES: &str = r##"
        //- package.json
        {"name": "x"}
        //- src/server.ts
        import express, { Express } from 'express';
        import api from './api';
        import { router as cats, Dogs } from './pets';
        import { makeBirds } from './birds';

        const server: Express = express();
        server.use('/v1', api);
        server.use('/cats', cats);
        server.use('/birds', makeBirds(1));
        const both = express.Router();
        both.get('/both', () => {});
        server.use('/one', both);
        server.use('/two', both);
        //- src/api/index.ts
        import { Router } from 'express';
        import users from './users';
        import { orders } from '../orders';
        const api = Router();
        api.use('/users', users);
        api.use('/orders', orders);
        export default api;
        //- src/api/users.ts
        import { Router } from 'express';
        const users = Router();
        users.get('/:id', () => {});
        export default users;
        //- src/orders.ts
        export { ordersRouter as orders } from './orders-router';
        //- src/orders-router.ts
        import * as express from 'express';
        export const ordersRouter = express.Router();
        export const list = () => {};
        ordersRouter.route('/all').get(list);
        //- src/pets.ts
        import { Router } from 'express';
        export const router = Router();
        export const pet = () => {};
        router.put('/:name', pet);
        //- src/birds.ts
        import { Router } from 'express';
        export function makeBirds(n: number): Router {
          const birds = Router();
          birds.get('/sing', sing);
          return birds;
        }
        function sing() {}
        //- src/cycle-a.ts
        import { Router } from 'express';
        import { b } from './cycle-b';
        export const a = Router();
        const h = () => {};
        a.get('/in-a', h);
        a.use('/b', b);
        //- src/cycle-b.ts
        import { Router } from 'express';
        import { a } from './cycle-a';
        export const b = Router();
        b.use('/a', a);
        //- src/classes.ts
        import express, { Router } from 'express';
        import { UsersRoute } from './classes-users';
        import { made } from './made';
        class App {
          private app = express();
          start() {
            const users = new UsersRoute();
            this.app.use('/classes', users.router);
            this.app.use('/made', made);
          }
        }
        //- src/classes-users.ts
        import { Router } from 'express';
        export class UsersRoute {
          public router = Router();
          other = Router();
          constructor() {
            this.router.get('/field', this.one);
            this.other.get('/other', this.one);
          }
          one() {}
        }
        //- src/made.ts
        import { Router } from 'express';
        function make() {
          const router = Router();
          router.get('/thing', thing);
          return router;
        }
        function thing() {}
        export const made = make();
        //- hono/app.ts
        import { Hono } from 'hono';
        import books from './books';
        const app = new Hono();
        app.route('/books', books);
        app.get('/self', (c) => c.text('x'));
        export default app;
        //- hono/books.ts
        import { Hono } from 'hono';
        const app = new Hono();
        export const all = (c) => c.text('x');
        app.get('/', all).post('/:id', all);
        export default app;
        //- koa/app.ts
        import Koa from 'koa';
        import Router from '@koa/router';
        import { items } from './items';
        const app = new Koa();
        const root = new Router();
        root.use('/items', items.routes(), items.allowedMethods());
        app.use(root.routes());
        //- koa/items.ts
        import Router from '@koa/router';
        export const items = new Router();
        const one = () => {};
        items.get('/:id', one);
        //- fast/app.js
        import Fastify from 'fastify';
        import users from './users.js';
        const fastify = Fastify();
        fastify.register(users, { prefix: '/users' });
        fastify.register(require('./late'), { prefix: '/late' });
        fastify.register(import('./dynamic.js'));
        //- fast/users.js
        export default async function (fastify, opts) {
          fastify.get('/:id', one);
          fastify.register(inner, { prefix: '/inner' });
          async function inner(fastify) { fastify.get('/deep', one); }
        }
        function one() {}
        //- fast/late.js
        module.exports = async (fastify) => {
          fastify.post('/go', go);
        };
        function go() {}
        //- fast/dynamic.js
        export default async (fastify) => { fastify.get('/dyn', dyn); };
        function dyn() {}
        "##;

#[test]
fn script_routers_serve_below_their_mount_points() {
    check(
        MODULES,
        &[HandlesRoute],
        expect![[r#"
            handles_route route::GET /a/in-a -> src/cycle-a.ts::h (ast_inferred 0.42)
            handles_route route::GET /birds/sing -> src/birds.ts::sing
            handles_route route::GET /books -> hono/books.ts::all
            handles_route route::GET /classes/field -> src/classes-users.ts::UsersRoute.one
            handles_route route::GET /dyn -> fast/dynamic.js::dyn
            handles_route route::GET /items/{} -> koa/items.ts::one
            handles_route route::GET /made/thing -> src/made.ts::thing
            handles_route route::GET /one/both -> src/server.ts
            handles_route route::GET /other -> src/classes-users.ts::UsersRoute.one (ast_inferred 0.42)
            handles_route route::GET /self -> hono/app.ts
            handles_route route::GET /two/both -> src/server.ts
            handles_route route::GET /users/inner/deep -> fast/users.js::one
            handles_route route::GET /users/{} -> fast/users.js::one
            handles_route route::GET /v1/orders/all -> src/orders-router.ts::list
            handles_route route::GET /v1/users/{} -> src/api/users.ts
            handles_route route::POST /books/{} -> hono/books.ts::all
            handles_route route::POST /late/go -> fast/late.js::go
            handles_route route::PUT /cats/{} -> src/pets.ts::pet
        "#]],
    );
}
