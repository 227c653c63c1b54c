"""What a number is not: the words before it say that it is of an order, a parcel, a room or another thing."""

from __future__ import annotations

import re

REFERENCE_WINDOW = 48
# A hotline for orders has a telephone number.
TELEPHONE = r"\w*(?:hotline|tele|handy|fax)"
REFERENCE = re.compile(
    r"""(?xi)
    (?:
        (?<![^\W\d_])(?:order|invoice|ticket|tracking|parcel|reference|ref|serial|part|article|item|case|batch|build
          |commit|booking|confirmation|isbn|ean|gtin|imei|sku|room|flight|gate|zimmer|raum|flug|sala|salle|stanza
          |habitaci[oó]n|vol|vuelo|kamer)
      | (?:bestell|auftrag|rechnung|sendung|artikel|vorgang)(?!TELEPHONE)\w{0,24}
      | pedido|factura|commande|facture|colis|ordine|fattura|reserva
      | 订单|单号|发票|房间|注文|予約|部屋|주문
    )
    [^\S\n]{0,2}[-.#]?(?:no|nr|numbers?|num|id|code|n[úu]mero|numéro|nummer|番号|号码?|번호)?
    (?:[^\S\n]{1,2}(?:is|was|are|ist|war|lautet|es|era|est|è|é|är))?
    [\s.:#№号는은はが是为]{0,4}\Z
    """.replace("TELEPHONE", TELEPHONE)
)


def is_reference(text: str, match: re.Match[str]) -> bool:
    """Whether the words before a number say that it is of an order, a parcel or another thing."""
    return REFERENCE.search(words_before(text, match.start())) is not None


def words_before(text: str, place: int) -> str:
    """The words that may speak of what begins here: none of them holds a digit."""
    before = text[max(0, place - REFERENCE_WINDOW) : place]
    return before[max(map(before.rfind, "0123456789")) + 1 :]
