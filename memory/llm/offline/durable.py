"""Which clauses are worth a claim: statements of a person that still matter tomorrow."""

from __future__ import annotations

import re

from memory.llm.offline.change_cues import change_cues
from memory.llm.offline.commands import TASK_VERBS
from memory.llm.offline.lexicon import Cues, english_verbs, matters
from memory.llm.offline.referents import KIN
from memory.llm.offline.sentences import has_verb
from memory.llm.offline.words import is_value, tokens

VOCATIVE_FIRST = re.compile(r"^(?:[A-Z][a-zà-ÿ]{1,14})[,!]\s+(?=\w)")
VOCATIVE_ALONE = re.compile(r"^[A-Z][a-zà-ÿ]{1,14}\s*[!.]?$")
VOCATIVE_LAST = re.compile(r"(?<=[a-z]),\s+[A-Z][a-zà-ÿ]{1,14}\s*(?P<end>[.!]*)$")
VOCATIVE_INNER = re.compile(r"^(?:(?P<lead>\w+)\s+)?[A-Z][a-z]+,\s+(?=(?:I|my|we|our)\b)")
PROPER_NAME = re.compile(r"(?<=[a-z,] )[A-Z][\w-]+|\b[A-Z]{2,}\w*")
FIRST_PERSON_SUBJECT = re.compile(rf"^(?:\w+,? )?(?:I|we|We|[Mm]y|[Oo]ur)\b|^I'|^[Mm]y (?:{KIN})")
OWN_SUBJECT = re.compile(r"^(?:\w+,? )?(?:I|my)\b(?!'d love to hear)", re.I)
NAMED_SUBJECT = re.compile(r"^(?!The|This|That|Those|These|All|Some|Many)[A-Z][a-z]+ \w+s\b")
HEADLESS = re.compile(
    r"^(?:(?:on|in) (?:the \w+ of )?(?:[A-Z]\w+ )?(?:\d{1,2}, )?\d{4},? )?"
    r"(?:is|are|was|were|has|have|had|will|would|could|can|can't|cannot|couldn't|won't|did|does|went|"
    r"felt|turned)\b",
    re.I,
)
BARE_OWNER = re.compile(r"^(?:my |our |their |\S+'s )?\S+'s (?:is|are|was|were)\b", re.IGNORECASE)
ADVICE = re.compile(
    r"^(?:if you\b[^,]+, )?you (?:should|could|can|need to|might want to|may want to|have to|must|"
    r"ought to)\b",
    re.I,
)
BARE_TASTE = re.compile(
    r"^I (?:really |also |just |absolutely |don't )?(?:love|like|hate|enjoy|prefer|adore|dislike) "
    r"(?!it\b|this|that|these|those|the\b|your?\b|how\b|to\b|see|hear|being\b|when\b|what\b)\w+",
    re.I,
)
"""«I love ramen» says enough with one word; «I love your view» is about the other."""
OWN_VERB = re.compile(
    r"^(?:I|We|we)(?:'ve|'ll|'d)? (?:(?:do|did|will|would|have|can|could|must|might)(?: not|n't)? |"
    r"don't |always |never |also |still |really |\w+ly )*(?P<verb>[a-z]+)\b"
)
BARE_COMMAND = re.compile(
    r"^(?:please )?(?P<verb>[a-z]+) (?:the|this|that|these|those|an?|my|our|your|his|her|its|their)\b", re.I
)
"""«Rename this function» states nothing; «love the house» and «read the book» leave their «I» out."""
NO_COMMANDS = frozenset(
    "adore enjoy hate hope like live love miss need prefer read want wish".split()  # noqa: SIM905 - a list of words
)
LIGHT_VERBS = frozenset(
    [
        "be",
        "do",
        "feel",
        "guess",
        "have",
        "hope",
        "know",
        "mean",
        "need",
        "say",
        "see",
        "think",
        "try",
        "want",
        "wish",
    ]
)
LEAST_TOKENS = 4
LEAST_CONTENT_WORDS = 2
LEAST_PEER_CONTENT_WORDS = 3
LEAST_OPINION_WORDS = 4


_SOMEBODY = r"(?:i|you|we|they|he|she|it|there|anyone|anybody|someone|somebody)"
_SOMETHING = rf"(?:{_SOMEBODY}|the|my|our|your|his|her|their|its|this|that|these|those|an?)"
# People at a keyboard leave the mark out. «Do the dishes», «had I known» and «what is more» do not ask.
UNMARKED_QUESTION = re.compile(
    rf"""
    (?: (?:who|whom|whose|where|why|how|when|which)\s+(?:\w+\s+)?(?:do|does|did)\s+{_SOMETHING}\b
      | (?:who|where|why|how|when)(?:\s+(?:is|are|was|were|can|could|will|would|should)|'s)\s+{_SOMETHING}\b
      | what\s+(?:\w+\s+)?(?:do|does|did)\s+{_SOMETHING}\b
      | what(?:\s+(?:is|are|was|were)|'s)\s+(?:the|my|our|your|his|her|their|its|this|that)\b
        (?!.*\b(?:is|are|was|were)\b)
      | who\s+(?:owns|has|knows|said|told|wrote|made|runs|is|was|leads|did)\b(?!.*,)
      | do\s+(?:i|you|we|they)\b(?!.*,)
      | (?:does|did|am|is|are|was|were|can|could|will|would|shall)\s+{_SOMEBODY}\b(?!.*,)
      | (?:does|did|is|are|was)\s+{_SOMETHING}\b(?!.*,)
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)


def is_question(sentence: str, cues: Cues) -> bool:
    """Whether a sentence asks, by its mark or the order of its words; it states nothing then."""
    if sentence.rstrip("\"' )").endswith(("?", "？")):
        return True
    if cues.language == "zh":
        return cues.has("question", sentence)
    return cues.language == "en" and UNMARKED_QUESTION.match(sentence) is not None


def without_openers(text: str, cues: Cues) -> str:
    """The text after greetings, thanks, names called, and words that only announce it."""
    text = text.lstrip(" ¡¿")
    while True:
        shorter = cues.announcement.sub("", cues.opener.sub("", text, count=1), count=1)
        shorter = VOCATIVE_FIRST.sub(lambda match: _kept_word(match, cues), shorter, count=1)
        if shorter == text:
            break
        text = shorter
    text = VOCATIVE_LAST.sub(lambda match: match.group("end"), text)
    return "" if VOCATIVE_ALONE.match(text) else text.strip()


def _kept_word(match: re.Match[str], cues: Cues) -> str:
    """«Hier, …» and «Heute, …» call nobody."""
    return match.group() if match.group().rstrip(" ,!").lower() in cues.marks else ""


def without_tail(clause: str, cues: Cues) -> str:
    """The clause without a closing remark on how it felt («and it was awesome»), when enough is left."""
    shorter = cues.without("remark", clause).rstrip(" ,;-—–")
    return shorter if len(tokens(shorter)) >= LEAST_TOKENS and has_verb(shorter) else clause


def is_small_talk(text: str, cues: Cues, *, is_peer_talk: bool) -> bool:
    """Whether a sentence greets, thanks, praises or reacts; advice between people is none."""
    is_advice = is_peer_talk and ADVICE.match(text) is not None
    is_told = cues.has("praise", text) and not cues.has("standing", text) and not is_advice
    return not text or is_told or cues.has("greeting", text) or cues.has("thanks", text)


def is_headless(clause: str) -> bool:
    """«Was signed in March» has lost its subject, «my father's is on April 9» what it is of his."""
    return HEADLESS.match(clause) is not None or BARE_OWNER.match(clause) is not None


def has_open_quotation(clause: str) -> bool:
    """Whether a quotation begins or ends outside the clause, so that nobody knows whose words it holds."""
    return clause.count('"') % 2 == 1 or clause.count("“") != clause.count("”")


def is_worth_keeping(clause: str, cues: Cues, *, is_peer_talk: bool) -> bool:
    """Whether a clause that is no rule states something durable about a person or their work."""
    if has_open_quotation(clause) or any(
        cues.has(name, clause) for name in ("question", "greeting", "thanks", "reaction", "praise", "one_off")
    ):
        return False
    if cues.language != "en":
        return _is_foreign_statement(clause, cues)
    is_addressed = cues.has("second_person", clause) and not (is_peer_talk and OWN_SUBJECT.match(clause))
    if is_addressed or len(tokens(clause)) < _least_tokens(clause, cues) or not has_verb(clause):
        return False
    if (cues.has("feeling", clause) and not is_peer_talk) or (
        cues.has("imperative", clause) and not cues.has("first_person", clause)
    ):
        return False
    if _is_bare_command(clause) and not is_peer_talk:
        return False
    return _has_substance(clause, cues, is_peer_talk)


def _is_bare_command(clause: str) -> bool:
    match = BARE_COMMAND.match(clause)
    verb = match.group("verb").lower() if match else ""
    is_verb = english_verbs().is_base(verb) or verb in TASK_VERBS
    return is_verb and verb not in NO_COMMANDS | english_verbs().past


def _is_foreign_statement(clause: str, cues: Cues) -> bool:
    """Speaks of the speaker, of a relative or of shared work, and says more than «me too»."""
    is_certain = any(cues.has(name, clause) for name in ("identity", "health", "preference"))
    content = {word for word in tokens(clause) if word not in cues.function_words}
    names = ("first_person", "told", "standing")
    is_anchored = any(cues.has(name, clause) for name in names) or any(is_value(word) for word in content)
    return is_anchored and (is_certain or len(content) >= LEAST_CONTENT_WORDS)


def continues(clause: str, cues: Cues) -> bool:
    """Whether a clause that leans on the one before it adds something to what that one says."""
    names = ("question", "greeting", "thanks", "praise", "one_off", "second_person")
    if has_open_quotation(clause) or any(cues.has(name, clause) for name in names) or not has_verb(clause):
        return False
    content = {word for word in tokens(clause) if word not in cues.empty_words | cues.function_words}
    return len(content) >= LEAST_CONTENT_WORDS


def is_opinion(clause: str, cues: Cues) -> bool:
    """Whether a clause states something in general; it is worth keeping as what somebody said."""
    is_advice = ADVICE.match(clause) is not None
    names = ("question", "greeting", "thanks", "reaction", "one_off", "motto", "imperative")
    if has_open_quotation(clause) or any(cues.has(name, clause) for name in names) or not has_verb(clause):
        return False
    if not is_advice and (cues.has("second_person", clause) or cues.has("praise", clause)):
        return False
    content = {word for word in tokens(clause) if word not in cues.empty_words | cues.function_words}
    return len(content) >= LEAST_OPINION_WORDS


def is_own_account(clause: str, cues: Cues) -> bool:
    """Whether somebody tells enough of their own doings although one thing in it goes unnamed."""
    names = ("question", "greeting", "thanks", "reaction", "praise", "one_off")
    if OWN_SUBJECT.match(clause) is None or any(cues.has(name, clause) for name in names):
        return False
    content = {word for word in tokens(clause) if word not in cues.empty_words | cues.function_words}
    return len(content) >= LEAST_OPINION_WORDS and not has_open_quotation(clause)


def _least_tokens(clause: str, cues: Cues) -> int:
    """«I love ramen» is short and says enough."""
    if cues.has("identity", clause) or cues.has("health", clause):
        return LEAST_TOKENS - 2
    is_of_somebody = FIRST_PERSON_SUBJECT.match(clause) or NAMED_SUBJECT.match(clause)
    says_enough = cues.has("preference", clause) or is_of_somebody is not None
    return LEAST_TOKENS - 1 if says_enough else LEAST_TOKENS


def _has_substance(clause: str, cues: Cues, is_peer_talk: bool) -> bool:
    empty = cues.empty_words | cues.function_words
    content = {word for word in tokens(clause) if word not in empty} | _own_doing(clause, is_peer_talk)
    is_state = not is_peer_talk and _tells_state(clause)
    is_enough = is_state or len(content) >= _least_content(clause, cues, is_peer_talk)
    return is_enough and _is_anchored(clause, is_peer_talk)


def _least_content(clause: str, cues: Cues, is_peer_talk: bool) -> int:
    """Words of content that a clause needs: fewer where it tells who somebody is, more in a talk of two."""
    is_certain = cues.has("identity", clause) or cues.has("health", clause)
    if BARE_TASTE.match(clause) or (not is_peer_talk and (is_certain or cues.has("preference", clause))):
        return 1
    is_general = is_peer_talk and not is_certain and FIRST_PERSON_SUBJECT.match(clause) is None
    return LEAST_PEER_CONTENT_WORDS if is_general else LEAST_CONTENT_WORDS


def _tells_state(clause: str) -> bool:
    """«The pilot is under way»: one of the states that a thing is in one at a time."""
    spaced = f" {' '.join(tokens(clause))} "
    return any(f" {said} " in spaced for group in change_cues("en").states for ways in group for said in ways)


def _own_doing(clause: str, is_peer_talk: bool) -> set[str]:
    """The verb of «I keep bees»: of one's own doings an everyday verb says something too."""
    match = None if is_peer_talk else OWN_VERB.match(clause)
    verb = match.group("verb").lower() if match else ""
    return {verb} if verb and english_verbs().is_base(verb) and verb not in LIGHT_VERBS else set()


def _is_anchored(clause: str, is_peer_talk: bool) -> bool:
    """Speaks of the speaker, a named one, a figure, or shared work; general truths are not memories."""
    if FIRST_PERSON_SUBJECT.match(clause) or re.search(r"\b(?:my|our|me|us|we|I)\b", clause):
        return True
    is_named = PROPER_NAME.search(clause) is not None or any(is_value(word) for word in tokens(clause))
    lexicon = matters()
    is_work = (
        lexicon.strong_head.search(clause)
        or lexicon.weak_head.search(clause)
        or re.match(r"^(?:apparently,? |maybe |perhaps |probably )?(?:the|our)\b", clause, re.I)
    )
    return (
        is_named
        or (not is_peer_talk and is_work is not None)
        or (not is_peer_talk and NAMED_SUBJECT.match(clause) is not None)
    )
