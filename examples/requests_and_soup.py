#!/usr/bin/python3
"""requests_and_soup.py URL...: the content of pages, and the links in it.

    apt install python3-templated python3-requests python3-bs4
    ./requests_and_soup.py https://example.org/

requests fetches the page, templated extracts the content as HTML, BeautifulSoup
parses it. Links of menus, footers and advertisements are not in the content.
"""

import sys

import bs4
import requests

import templated


def show(session, url):
    response = session.get(url, timeout=30)
    response.raise_for_status()
    # bytes: templated detects the charset as a browser does
    answer = templated.extract(response.content, response.url, format="html",
                               metadata=True)
    about = answer.metadata
    print(f"# {about.title or 'no title'}")
    print(f"{response.url}: {answer.quality}, {about.word_count} words, "
          f"{about.published or 'no date'}")
    content = bs4.BeautifulSoup(answer.text, "html.parser")
    for link in content.find_all("a", href=True):
        print(f"- {link.get_text(' ', strip=True)}: {link['href']}")


def main(urls):
    with requests.Session() as session:
        session.headers["User-Agent"] = "requests_and_soup (an example)"
        for url in urls:
            show(session, url)


if __name__ == "__main__":
    main(sys.argv[1:])
