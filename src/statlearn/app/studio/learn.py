"""Learn: a gallery of live demonstrations, each with its objective, dials and picture."""

import threading

from markupsafe import Markup

from statlearn.app.errors import UsageError
from statlearn.app.studio.web import asked

_drawing = threading.Lock()  # the filters of warnings, which some demonstrations set, belong to the whole process


def routes(studio):
    """Pages of this module."""
    web, pages = studio.web, LearnPages(studio)
    return [
        web.get("/learn", pages.gallery),
        web.get("/learn/demo", pages.demo),
        web.get("/learn/picture", pages.picture),
    ]


class LearnPages:
    """The demonstrations.

    Parameters
    ----------
    studio : Studio
    """

    def __init__(self, studio):
        self.render = studio.web.render

    @staticmethod
    def _find(request):
        from statlearn.app.studio.demos import DEMOS

        name = asked(request, "name")
        if name not in DEMOS:
            raise UsageError(f"`name` must be one of {', '.join(DEMOS)}, got {name[:60]!r}")
        return DEMOS[name]

    def gallery(self, request):
        """All demonstrations with their questions; their pictures follow."""
        from statlearn.app.studio.demos import DEMOS

        return self.render("learn.html.j2", title="Learn", at="learn", demos=list(DEMOS.values()))

    def demo(self, request):
        """One demonstration with its dials."""
        from statlearn.app.studio.demos import DEMOS

        demo = self._find(request)
        names = list(DEMOS)
        at = names.index(demo.name)
        return self.render(
            "demo.html.j2", title=demo.title, at="learn", demo=demo, following=DEMOS[names[(at + 1) % len(names)]],
            **self._content(demo, request.query_params),
        )  # fmt: skip

    def picture(self, request):
        """The picture for the settings of the dials."""
        demo = self._find(request)
        small = bool(request.query_params.get("small"))
        return self.render("demo_picture.html.j2", demo=demo, small=small, **self._content(demo, request.query_params))

    @staticmethod
    def _content(demo, given):
        values = demo.values(given)
        with _drawing:
            shown = demo.picture(values)
        plot = shown.plot
        svg = plot.svg(shown.title, "; ".join(f"{name} {value}" for name, value in shown.facts))
        return {
            "svg": Markup(svg), "facts": shown.facts, "words": shown.words, "values": values,
            "box": f"{plot.left:g} {plot.top:g} {plot.right:g} {plot.bottom:g}",
            "range": f"{plot.x.low:g} {plot.y.low:g} {plot.x.high:g} {plot.y.high:g}" if demo.point else "",
        }  # fmt: skip
