"""Texts of the sites: from a seed, so that two runs have the same pages."""
import random

WORDS = """amber anchor apple archive arrow autumn badge bakery balance barley basin beacon bicycle birch blanket border bottle
branch bridge brook bucket butter cabin candle canvas carpet castle cellar chapel cherry chimney circle clay cliff clover coast
copper corner cotton crane creek crystal curtain dairy desert dock drawer eagle east echo elder engine fabric farmer feather
fence ferry field flame forest fountain garden garlic gate glacier glass granite grove hammer harbour harvest hazel hedge hill
honey island ivory jacket juniper kettle kitchen ladder lagoon lake lantern leather lemon library linen maple marble market
meadow mill mirror moss museum needle north oak ocean olive orchard oven paddle paper path pebble pepper pine plaza pocket pond
quarry quilt railway rain raven reed ribbon ridge river roof rope rudder saddle sail salt sand shelter silver slate sparrow
spring station stone street studio sugar summer table tavern thread timber tower trail tunnel valley velvet village walnut
water wheel willow window winter wool workshop yard""".split()


class Text:
    def __init__(self, seed):
        self.r = random.Random(seed)

    def title(self):
        return " ".join(self.r.sample(WORDS, self.r.randint(2, 4))).capitalize()

    def sentence(self):
        return " ".join(self.r.choices(WORDS, k=self.r.randint(7, 18))).capitalize() + "."

    def paragraphs(self, least=2, most=6):
        return [" ".join(self.sentence() for _ in range(self.r.randint(2, 6))) for _ in range(self.r.randint(least, most))]

    def some(self, names, least=1, most=3):
        return self.r.sample(names, self.r.randint(least, most))


def post(number):
    """title, paragraphs, category, tags, and comments as (author, text)."""
    t = Text(1000 + number)
    return dict(title=t.title(), paragraphs=t.paragraphs(), heading=t.title() if number % 3 == 0 else None,
                items=[t.title() for _ in range(t.r.randint(3, 5))] if number % 4 == 1 else [],
                category=CATEGORIES[number % len(CATEGORIES)], tags=t.some(TAGS),
                comments=[(t.r.choice(WORDS).capitalize(), t.sentence()) for _ in range(t.r.randint(0, 4))])


def page(number):
    t = Text(5000 + number)
    return dict(title=t.title(), paragraphs=t.paragraphs(1, 3))


CATEGORIES = ["News", "Recipes", "Travel", "Reviews", "Opinion"]
TAGS = ["harvest", "timber", "coast", "winter", "bread", "railway", "garden", "glass"]
