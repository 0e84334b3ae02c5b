"""Write the list of common passwords that are refused, out of two published lists.

The lists are not fetched: give the two files, unpacked from their packages.

    python -m scripts.make_common_passwords PASSWORDS.json COMMON-PASSWORDS.txt.gz

The first is `src/passwords.json` of the npm package @zxcvbn-ts/language-common (MIT), the second
`django/contrib/auth/common-passwords.txt.gz` of Django (BSD 3-Clause). Both come from passwords that leaked.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path
from typing import Final

from app.config import content
from app.domain.password import LIST, MIN_LENGTH, folded

STEMS: Final = 10_000  # the most common of any length: to be found with digits at their ends
SHORTEST_STEM: Final = 4
# Long ones that people who are asked for a phrase are known to choose; put together by hand.
PHRASES: Final = """
correct horse battery staple / correcthorsebatterystaple / may the force be with you / to be or not to be
that is the question / the quick brown fox / the quick brown fox jumps over the lazy dog / once upon a time
four score and seven years ago / open sesame open sesame / i love you so much / i love you forever
i love you very much / this is my password / this is a password / my password is password / my secret password
i forgot my password / i hate passwords / please let me in / let me in please / let me in now please
hello my name is / how are you today / have a nice day / happy birthday to you / merry christmas everyone
live long and prosper / winter is coming / game of thrones / lord of the rings / in the beginning / god is love
jesus loves me / in god we trust / never gonna give you up / one two three four / one two three four five
abcdefghijklmnop / abracadabraabracadabra / supercalifragilisticexpialidocious / antidisestablishmentarianism
password password / administrator / root administrator / change me please / change this password / changemechangeme
temporary password / default password / welcome welcome / welcome to the jungle / trust no one trust no one
lorem ipsum dolor / lorem ipsum dolor sit amet / nobody has this password / a long password / a very long password
fifteen characters / at least fifteen characters / at least 15 characters / a few unrelated words
"""

NOTICE: Final = """\
# Common passwords, folded as app/domain/password.py does. Made by scripts/make_common_passwords.py.
#
# From passwords.json of @zxcvbn-ts/language-common, MIT License:
#   Copyright (c) 2012-2016 Dan Wheeler and Dropbox, Inc.  Copyright (c) 2021 @zxcvbn-ts
#   Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
#   documentation files (the "Software"), to deal in the Software without restriction, including without limitation
#   the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and
#   to permit persons to whom the Software is furnished to do so, subject to the following conditions: The above
#   copyright notice and this permission notice shall be included in all copies or substantial portions of the
#   Software. THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT
#   LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT
#   SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION
#   OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER
#   DEALINGS IN THE SOFTWARE.
#
# From common-passwords.txt.gz of Django (a list by Royce Williams), BSD 3-Clause License:
#   Copyright (c) Django Software Foundation and individual contributors. All rights reserved.
#   Redistribution and use in source and binary forms, with or without modification, are permitted provided that the
#   following conditions are met: 1. Redistributions of source code must retain the above copyright notice, this list
#   of conditions and the following disclaimer. 2. Redistributions in binary form must reproduce the above copyright
#   notice, this list of conditions and the following disclaimer in the documentation and/or other materials provided
#   with the distribution. 3. Neither the name of Django nor the names of its contributors may be used to endorse or
#   promote products derived from this software without specific prior written permission. THIS SOFTWARE IS PROVIDED
#   BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT
#   LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO
#   EVENT SHALL THE COPYRIGHT OWNER OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL,
#   EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES;
#   LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER
#   IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF
#   THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
"""


def chosen(ranked: list[str], other: list[str]) -> list[str]:
    """Return the list: the most common of any length, every long one, and the phrases."""
    stems = [word for word in map(folded, ranked[:STEMS]) if len(word) >= SHORTEST_STEM and not word.isdigit()]
    phrases = [each.strip() for line in PHRASES.splitlines() for each in line.split("/")]
    long = [word for each in (*ranked, *other, *phrases) if len(word := folded(each)) >= MIN_LENGTH - 2]
    # "п" with "ї" is what a replacement character becomes when it is read as another encoding: nobody's password.
    return sorted({word for word in (*stems, *long) if word.isprintable() and "пї" not in word})


def main() -> None:
    """Write the list."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ranked", type=Path)
    parser.add_argument("other", type=Path)
    given = parser.parse_args()
    ranked = json.loads(given.ranked.read_text(encoding="utf-8"))
    other = gzip.decompress(given.other.read_bytes()).decode().split("\n")
    words = chosen(ranked, other)
    content(LIST).write_text(NOTICE + "\n".join(words) + "\n", encoding="utf-8")
    print(f"{len(words):,} written, {sum(len(word) >= MIN_LENGTH for word in words)} of them long.")


if __name__ == "__main__":
    main()
