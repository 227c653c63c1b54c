"""Word lists of the grounding rules, folded: what begins sentences, and what people do."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Words that name nothing, whatever their capital says.
NEVER_NAMES = _set(
    "a about after all already also although always am an and another any anybody anyone anything are as at"
    " because been before both but by can could currently did do does don each either else even ever every"
    " everybody everyone everything few for from had has have he her here hers him his how i if in is it its"
    " just later let many may me might more most much must my need needs neither never no nobody none nor not"
    " nothing now of off often ok okay on once one only or other others our out over own per please rather"
    " shall she should since so some somebody someone something sometimes soon still such than that the their"
    " them then there these they this those though through thus to today together tomorrow tonight too under"
    " unless until up us usually very was we were what whatever when where whether which while who whoever"
    " whom whose why will with within without would yes yesterday yet you your"
    # Roles of a conversation, titles, and words that are capitals by custom.
    " user users assistant agent agents customer client system tool team speaker mr mrs ms miss dr prof sir"
    " madam mum mom dad am pm etc re tbd na ps id faq ceo cto internet tv sop"
    " der die das den dem des ein eine einen einem einer und oder aber nicht kein keine ist sind war hat er"
    " sie es ich wir ihr mit auf fur von zu im am zum zur bei nach aus uber wenn dass weil nur noch immer"
    " herr herrn frau nutzer nutzerin benutzer kunde"
    " le la les un une des et ou mais il elle je nous vous el los las y o pero yo che di da"
)
TITLES = _set("mr mrs ms dr prof st sr jr herr herrn frau mme")
# Verbs whose subject is a person, in the forms that follow a name.
PERSON_VERBS = _set(
    "likes loves prefers hates wants says said thinks works lives asked asks told tells plans wishes enjoys"
    " owns moved met married studies dislikes believes hopes insists agreed promised joined lived worked"
    " decided mentioned thanked called hired knows"
    " wohnt arbeitet heisst heißt sagte sagt mag liebt lebt mochte wunscht studiert"
)
# Endings of common nouns and verb forms, which begin sentences without being names.
COMMON_ENDINGS = ("ing", "tion", "sion", "ment", "ness", "ity", "ance", "ence", "ed", "ly", "ship", "ware")
GERMAN_ENDINGS = ("ung", "heit", "keit", "schaft", "tion", "tat", "chen", "lein", "nis", "tum", "ismus")
# Who is one of these is a person; a name stands before "is a" and such a word.
PEOPLE = tuple(
    sorted(
        _set(
            "teacher designer developer manager lawyer writer singer painter worker dancer farmer baker"
            " programmer photographer founder doctor nurse student friend child kid boy girl person colleague"
            " partner husband wife father mother sister brother son daughter cousin uncle aunt neighbour"
            " neighbor assistant accountant consultant architect professor author actor director"
            " lehrer lehrerin arzt freund freundin kollege kollegin studentin ingenieur"
        )
    )
)
# Two of these make a text German.
GERMAN_WORDS = _set(
    "der die das den dem des ein eine einen einem einer und ist nicht mit auf fur von zu im zum zur bei nach"
    " aus uber wenn dass weil nur noch immer ich wir sie er hat wird soll muss kann keine kein"
)
ENGLISH_TOO = _set("die hat den er")
GERMAN_DETERMINERS = _set(
    "der die das den dem des ein eine einen einem einer eines kein keine keinen mein meine sein seine ihr"
    " ihre unser unsere im am zum zur vom beim ins ans jede jeder jedes alle viele dieser diese dieses"
)
# Words before a month that stands alone.
TIME_WORDS = _set(
    "in by since until till of last next early late mid before after during this from through"
    " im seit bis anfang ende mitte en mi"
)
# People and languages of countries; they need not begin alike.
_PEOPLE_AND_COUNTRIES = _set(
    "spanish/spain french/france german/germany english/england british/britain dutch/netherlands"
    " italian/italy chinese/china japanese/japan korean/korea american/america mexican/mexico"
    " swiss/switzerland swedish/sweden danish/denmark polish/poland portuguese/portugal greek/greece"
    " turkish/turkey russian/russia indian/india irish/ireland canadian/canada australian/australia"
)
DEMONYMS = {pair.split("/")[0]: pair.split("/")[1] for pair in _PEOPLE_AND_COUNTRIES}
