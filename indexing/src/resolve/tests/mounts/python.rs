//! Python routers that another file mounts.

use super::super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

const PYTHON: &str = r##"
        //- app/__init__.py
        //- app/main.py
        from fastapi import FastAPI
        from .routers import items
        from app.routers.users import router as users_router
        from app import api
        from app.config import settings

        app = FastAPI()
        app.include_router(items.router, prefix="/items")
        app.include_router(users_router)
        app.include_router(api.router, prefix=settings.PREFIX)
        app.include_router(api.router, prefix="/api")
        //- app/config.py
        settings = object()
        //- app/api.py
        from fastapi import APIRouter
        from app.routers import deep
        router = APIRouter(prefix="/v1")
        router.include_router(deep.router, prefix="/deep")
        //- app/routers/__init__.py
        //- app/routers/deep.py
        from fastapi import APIRouter
        router = APIRouter(prefix="/own")

        @router.get("/x")
        def x(): ...
        //- app/routers/items.py
        from fastapi import APIRouter
        router = APIRouter()

        @router.get("/{item_id}")
        async def read_item(item_id: int): ...
        //- app/routers/users.py
        from fastapi import APIRouter
        router = APIRouter(prefix="/users")

        @router.post("/")
        async def make(): ...
        //- app/routers/lost.py
        from fastapi import APIRouter
        router = APIRouter(prefix="/lost")

        @router.get("/l")
        async def lost(): ...
        //- web/__init__.py
        from flask import Flask

        def create_app():
            from .users import bp
            from .routes import register
            app = Flask(__name__)
            app.register_blueprint(bp, url_prefix="/users")
            register(app)
            return app
        //- web/own.py
        from flask import Blueprint, Flask
        from .made import made
        bp = Blueprint("own", __name__, url_prefix="/own")
        kept = Blueprint("kept", __name__, url_prefix="/kept")
        app = Flask(__name__)
        app.register_blueprint(bp, url_prefix="/instead")
        app.register_blueprint(kept)
        app.register_blueprint(made, url_prefix="/other")

        @bp.route("/a")
        def a(): ...

        @kept.route("/b")
        def b(): ...
        //- auth/__init__.py
        from flask import Blueprint
        bp = Blueprint("auth", __name__, url_prefix="/auth")
        lost = Blueprint("lost", __name__, url_prefix="/alone")
        from auth import routes
        //- auth/routes.py
        from flask import render_template
        from auth import bp, lost

        @bp.get("/login")
        def login(): ...

        @lost.get("/x")
        def alone(): ...
        //- authed.py
        from flask import Flask
        from auth import bp as auth_bp
        app = Flask(__name__)
        app.register_blueprint(blueprint=auth_bp)
        //- web/made.py
        from flask import Blueprint
        from .inner import inner
        made = Blueprint("made", __name__, url_prefix="/made")
        made.register_blueprint(inner)

        @made.route("/c")
        def c(): ...
        //- web/inner.py
        from flask import Blueprint
        inner = Blueprint("inner", __name__, url_prefix="/inner")

        @inner.route("/d")
        def d(): ...
        //- web/users.py
        from flask import Blueprint
        bp = Blueprint("users", __name__)

        @bp.route("/<int:id>")
        def show(id): ...
        //- web/routes.py
        from flask import Flask

        def index(): ...

        def register(app: Flask):
            app.add_url_rule("/", view_func=index)
        //- project/urls.py
        from django.urls import include, path
        import blog.urls

        urlpatterns = [
            path("shop/", include("shop.urls")),
            path("also/", include(("shop.urls", "shop"), namespace="also")),
            path("blog/", include(blog.urls)),
            path("in/", include([path("here/", lambda request: None)])),
        ]
        //- blog/__init__.py
        //- blog/urls.py
        from django.urls import path
        from shop import views
        urlpatterns = [path("post/", views.post)]
        //- shop/__init__.py
        //- shop/urls.py
        from django.urls import include, path
        from . import views

        extra = [path("more/", views.more)]
        urlpatterns = [path("users/<int:id>/", views.show), path("extra/", include(extra))]
        urlpatterns += [path("late/", views.late)]
        //- shop/views.py
        def show(request, id): ...
        def late(request): ...
        def more(request): ...
        def post(request): ...
        "##;

#[test]
fn python_routers_serve_below_their_mount_points() {
    check(
        PYTHON,
        &[HandlesRoute],
        expect![[r#"
            handles_route route::ANY /also/extra/more -> shop/views.py::more
            handles_route route::ANY /also/late -> shop/views.py::late
            handles_route route::ANY /also/users/{} -> shop/views.py::show
            handles_route route::ANY /blog/post -> shop/views.py::post
            handles_route route::ANY /in/here -> project/urls.py::urlpatterns
            handles_route route::ANY /shop/extra/more -> shop/views.py::more
            handles_route route::ANY /shop/late -> shop/views.py::late
            handles_route route::ANY /shop/users/{} -> shop/views.py::show
            handles_route route::GET / -> web/routes.py::index
            handles_route route::GET /alone/x -> auth/routes.py::alone (ast_inferred 0.42)
            handles_route route::GET /api/v1/deep/own/x -> app/routers/deep.py::x
            handles_route route::GET /auth/login -> auth/routes.py::login
            handles_route route::GET /instead/a -> web/own.py::a
            handles_route route::GET /items/{} -> app/routers/items.py::read_item
            handles_route route::GET /kept/b -> web/own.py::b
            handles_route route::GET /lost/l -> app/routers/lost.py::lost (ast_inferred 0.42)
            handles_route route::GET /other/c -> web/made.py::c
            handles_route route::GET /other/inner/d -> web/inner.py::d
            handles_route route::GET /users/{} -> web/users.py::show
            handles_route route::GET /v1/deep/own/x -> app/routers/deep.py::x (ast_inferred 0.42)
            handles_route route::POST /users -> app/routers/users.py::make
        "#]],
    );
}
