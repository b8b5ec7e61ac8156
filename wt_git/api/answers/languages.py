"""Words of polarity, by language: data for the reading of clauses.

Every entry is a list of regular expressions, separated by bars, over `normalised` text. A language is
added with a block here and, where it shares the Latin script, words that tell it from the others.
"""

# ruff: noqa: RUF001 - other scripts have letters that look like Latin ones

from __future__ import annotations

from typing import Final, NamedTuple


class Words(NamedTuple):
    """The words of one language.

    `deny` negates its clause from its place on; `near` only the next words. `after` denies a fact
    before it. `idioms` hold words of the others and mean something else. `cut` begins a new clause.
    `that` goes on with one after a comma. `unsure` makes a statement a guess. `ask` and `given` make
    it a question or a condition, unless `you` follows. `then` and `now` are other and present times.
    `bound_before` and `bound_after` make a number a limit. With `concord`, several denials are one. With
    `verb_last`, a denial may come anywhere after the fact.
    """

    common: str
    deny: str
    near: str
    after: str
    idioms: str
    cut: str
    unsure: str
    given: str
    then: str
    now: str
    yes: str
    no: str
    that: str = ""
    ask: str = ""
    you: str = ""
    was: str = ""
    bound_before: str = ""
    bound_after: str = ""
    asked_after: str = ""
    concord: bool = False
    verb_last: bool = False


LANGUAGES: Final[dict[str, Words]] = {
    "en": Words(
        common="a an the of and is are was were not you your have has there i it they we that this with for order orders to in "
        "be been on at no so but currently open do does did can could any",
        deny=r"not|n't|never|cannot|nor|neither|nobody|none|nothing|nowhere|no one|no longer|no|hardly|barely|scarcely|without|"
        r"fail(?:s|ed|ing)? to|unable to|refus\w+ to|declin(?:ed|es|ing) to|den(?:y|ies|ied|ying)|yet to|lack(?:s|ed|ing)?|"
        r"instead of|rather than|as opposed to|other than|except(?: for)?|excluding|unlike|far from|prevent\w*|avoid\w*|"
        r"(?:there )?used to (?:be|have)|let alone|(?:down|up) from|a myth|a rumou?r|a lie|doubts?|doubtful|impossible|unlikely|(?:false|wrong|incorrect|untrue|mistaken)(?= that| to say)|absence of",
        near="invalid|unknown|non-?existent|no such|wrong|incorrect|false",
        after=r"not|n't|never|cannot|no longer|failed|neither|no such|(?:is|are|was|were|be|been|seems?|looks?) (?:an? |simply |just )?(?:unknown|invalid|"
        r"incorrect|inaccurate|wrong|false|untrue|non-?existent|unavailable|outdated|out of date)",
        idioms=r"not (?:only|just|merely|simply|solely)|(?:no|without(?: a| any)?) (?:doubt|question)|"
        r"(?:no|without(?: a| any| further| single)*|(?:did|does|do|have|has|had)(?: not|n't)(?: \w+)? any) "
        r"(?:further )?(?:issues?|problems?|delays?|errors?|incidents?|troubles?|hitch(?:es)?|damage|complications?|exceptions?|fail|"
        r"difficult(?:y|ies)|worries|interruptions?|warnings?|complaints?)|not to mention|nothing but|none other than|whether or not|"
        r"not long ago|cannot but|can(?:not|'t) help but|no wonder|(?:cannot|can't|can not|no one can|nobody can) (?:deny|doubt)|"
        r"(?:never|not|n't|not once|did not|didn't) fail(?:s|ed)? to|don't worry|do not worry|no need to worry|not surprisingly|don't hesitate|do not hesitate|"
        r"never (?:mind|before)|(?:not|n't|cannot|can not|unable to|never) (?:\w+ ){0,2}(?:know|say|tell|understand|explain|remember|see|sure|certain|clear) "
        r"(?:exactly |yet )?(?:why|when|how|where|by whom|what)|nothing (?:is|was|went) (?:wrong|missing|unusual)|(?:no one|nobody) (?:disput|den(?:y|ie)|doubt|question)\w*|no sooner|"
        r"(?:cannot|can't|can not) (?:stress|emphasi[sz]e|overstate)\w*|nothing (?:prevents|prevented|stops|stopped) \w+ from",
        cut=r"but|however|instead(?! of)|though|although|whereas|while|nevertheless|nonetheless|because|so(?! far| \w+ that)|"
        r"and(?= (?:not|never|no))|(?:as|since) (?:it|they|we|he|she|the|this|your|our)|(?:an?|the|this|your|these|those) \w+ "
        r"(?:that|who) (?:has|have|had|was|were|is|are|will)|and (?:it|they|we|you|i|he|she|there|the|this|that|these|your|our|its|all|now|then|is|are|was|were|has|have|had|will|"
        r"\d)|which|then|after(?:wards)?|actually",
        that="that|as|if|whether",
        unsure=r"maybe|perhaps|possibly|might|may (?:have|be|already)|could (?:be|have)|supposedly|allegedly|presumably|reportedly|"
        r"(?:i|i'd|would) guess|my guess|guessing|should be|would be (?:too|enough)|not (?:sure|certain)|unclear|unconfirmed|rumou?red|probably",
        given=r"if|whether|unless|in case|assuming|suppose|as soon as|once(?! again| more)|should (?:it|they|the)|would have|should have|(?:supposed|meant) to (?:be|have)|had (?:it|they)|before (?:it|they) (?:could|can)|were (?:it|they)",
        ask=r"is|are|was|were|has|have|had|do|does|did|isn't|aren't|hasn't|haven't|didn't|doesn't|so",
        you=r"you|i",
        then=r"last (?:week|month|year|quarter|time|night|spring|summer|autumn|fall|winter)|yesterday|previously|formerly|earlier|"
        r"used to|\bago|at first|initially|originally|in the past|until recently|back then|before that|tomorrow|next (?:week|month|year|"
        r"quarter)|once (?:was|were|had)|you (?:said|say|mentioned|claimed|thought|expected|assumed|stated|wrote)|(?:user|customer|note|memory|email|"
        r"ticket|message|client) (?:says|said|claims|claimed|mentions)|expected|assumed|claimed|forecast|estimated|planned",
        now=r"today|now|currently|at present|at the moment|this (?:week|month|year|quarter|time)|presently|as of today|since then|"
        r"in fact|in reality|actual(?:ly)?|really|the system (?:shows|says)",
        was="was|were|had",
        yes="yes|yep|yeah|correct|indeed|right|exactly|it is|they are|it has|it does|it did",
        no="no|nope|not|negative|it (?:is|has|does|did)(?: not|n't)|false|wrong|incorrect",
        bound_before="more than|less than|fewer than|over|under|above|below|at least|at most|(?<!went )(?<!gone )(?<!rose )(?<!is now )up to|nearly|almost|upwards of|"
        "not quite|close to|beyond|exceeds?|exceeding|just shy of|short of",
        bound_after=r"or (?:more|fewer|less)|or so|\+|at most|at least",
    ),
    "de": Words(
        common="niemand keiner nichts der die das und ist sind nicht ein eine zu von mit für auf den im es sie wir haben hat wurde wurden bestellung "
        "bestellungen keine kein aber nur noch liegen gibt derzeit aktuell offene offen insgesamt ihr ihre kunde bei auch",
        deny=r"nicht|kein(?:e[mnrs]?)?|nie|niemals|niemand|nichts|weder|keineswegs|keinesfalls|kaum|ohne|statt|anstatt|anstelle|außer|"
        r"unmöglich|bestreite\w*|bezweif\w+|zweif\w+|gescheitert|fehlgeschlagen|(?:falsch|unwahr)(?=, dass)",
        near=r"ungültige?[nrs]?|unbekannte?[nrs]?|falsche?[nrs]?|nicht existierende?[nrs]?",
        after=r"nicht|nie|niemals|kein(?:e[mnrs]?)?|unbekannt|ungültig|falsch|unzutreffend|inkorrekt|fehlgeschlagen",
        idioms=r"nicht (?:nur|bloß|allein|zuletzt)|ohne (?:jede[nrs]? |jegliche[nrs]? |weitere[nrs]? )?(?:probleme?|zwischenfälle?|weiteres|"
        r"schwierigkeiten|verzögerung(?:en)?|fehler|zweifel|beanstandung(?:en)?|komplikationen|mängel|schäden)|keine? (?:problem|probleme|sorge|frage|zweifel|"
        r"verzögerung(?:en)?|fehler|beanstandungen)|kein zweifel|zweifellos|zweifelsohne|nichts anderes als|außer zweifel|nicht umsonst",
        cut=r"aber|sondern|jedoch|doch|hingegen|dagegen|allerdings|stattdessen|vielmehr|obwohl|während|denn|weil|und(?= (?:nicht|kein|nie))|und (?:es|sie|er|wir|ich|"
        r"der|die|das|ist|sind|wurden?|hat|haben|kein\w*|\d)",
        that="dass|daß|ob",
        unsure=r"vielleicht|möglicherweise|eventuell|könnten?|womöglich|angeblich|vermutlich|wahrscheinlich|unklar|unsicher|nicht sicher",
        given=r"ob|falls|wenn|sofern|sobald|hätten?|wären?",
        ask=r"ist|sind|war|waren|hat|haben|wurden?|gibt|liegen",
        you="sie (?:mir|uns)|du|ihr|ich",
        then=r"letzte[nrsm]? (?:woche|monats?|jahr(?:es)?|quartals?|mal)|gestern|vorher|früher|zuvor|ehemals|ursprünglich|anfangs|bislang|damals|"
        r"vor (?:einem|einer|zwei|drei|\d+) \w+|morgen|nächste[nrsm]? (?:woche|monat|jahr)|im vormonat|sie (?:sagten|meinten|erwähnten)|erwartet|angenommen",
        now=r"heute|jetzt|aktuell|derzeit|momentan|nun|inzwischen|mittlerweile|zurzeit|gegenwärtig|diese[nrsm]? (?:woche|monat|jahr)|tatsächlich",
        was="war|waren|hatten?",
        yes="ja|genau|richtig|stimmt",
        no="nein|nicht|falsch|keine?",
        bound_before="mehr als|weniger als|über|unter|mindestens|höchstens|maximal|fast|beinahe|knapp|bis zu|rund über",
        bound_after="oder mehr|oder weniger|oder so",
        verb_last=True,
    ),
    "fr": Words(
        common="aucun aucune personne rien le la les des et est sont ne pas vous avez votre nous il elle y a pour dans une un sur commandes commande en "
        "cours aucune ont été n'est qui que au du actuellement ouvertes c'est mais ce cette",
        deny=r"ne|n'|pas|jamais|aucune?|rien|nul|nulle|ni|non|guère|sans|au lieu d[e']|plutôt qu[e']|faute d[e']|impossible|incapable|échoué à|"
        r"refus\w+ d[e']|nie|nions|doute|doutons|hormis|sauf|à l'exception|faux(?= qu[e'])",
        near="inconnue?s?|invalides?|inexistante?s?",
        after=r"ne|n'|pas|jamais|inconnue?s?|invalides?|inexistante?s?|fausse?s?|faux|incorrecte?s?|erronée?s?",
        idioms=r"(?:non|pas) (?:seulement|uniquement|simplement)|(?:ne |n')(?:\w+ ){0,2}pas (?:seulement|uniquement|simplement|que)|sans (?:aucune? )?(?:problèmes?|incidents?|soucis?|encombre|retards?|doute|erreurs?|"
        r"difficultés?|dommages?)|aucune? (?:problème|souci|doute|retard|incident|erreur)|pas de (?:problèmes?|soucis?|doute|retard)|(?:ne |n')(?:y )?(?:en )?\w+ "
        r"(?:plus )?qu[e']|(?:ne |n')\w+ pas (?:pourquoi|quand|comment|où)|n'hésitez pas|ne vous inquiétez pas",
        cut=r"mais|cependant|toutefois|en revanche|par contre|pourtant|bien que|tandis que|alors que|car|parce que|plutôt(?! que)|et (?:il|elle|ils|elles|nous|"
        r"vous|je|le|la|les|l'|votre|ce|est|sont|a|ont|\d)",
        that="que|qu'|si",
        unsure=r"peut-être|pourrai(?:t|ent)|éventuellement|possiblement|il se peut|semblerait|incertaine?|probablement|pas sûre?|pas certaine?|serai(?:t|ent)",
        given=r"si|s'il|s'ils|au cas où|à moins|dès que|une fois",
        ask=r"y a-t-il|est-ce|est|sont|a-t-|ont|avez",
        you="vous|tu|je",
        then=r"(?:le mois|l'an|l'été|le trimestre) dernier|la semaine dernière|l'année dernière|hier|auparavant|précédemment|autrefois|"
        r"il y a \w+ (?:jours?|mois|semaines?|ans?)|initialement|à l'origine|demain|le mois prochain|la semaine prochaine|avant|vous (?:avez dit|disiez|pensiez)|prévue?s?",
        now=r"aujourd'hui|maintenant|actuellement|désormais|en ce moment|à présent|ce mois-ci|cette semaine|cette année|en réalité|en fait",
        was="était|étaient|avait|avaient|avions|aviez",
        yes="oui|exactement|tout à fait",
        no="non|pas|faux",
        bound_before="plus de|plus d'|moins de|moins d'|au moins|au plus|près de|presque|jusqu'à|maximum",
        bound_after="ou plus|au moins|au maximum",
        concord=True,
    ),
    "es": Words(
        common="ningún ninguno ninguna nadie el la los las de y es son no hay tiene su que en un una para por con pedidos pedido abiertos se ha han sido "
        "está están actualmente usted del al pero lo cliente fue",
        deny=r"no|nunca|jamás|ningun[oa]s?|ningún|nada|nadie|ni|tampoco|sin|en lugar de|en vez de|imposible|incapaz|excepto|salvo|niego|niega|dudo|dudamos|falso(?= que)",
        near="desconocid[oa]s?|inválid[oa]s?|inexistentes?",
        after=r"no|nunca|desconocid[oa]s?|inválid[oa]s?|inexistentes?|fals[oa]s?|incorrect[oa]s?|erróne[oa]s?",
        idioms=r"no (?:s[oó]lo|solamente|únicamente)|sin (?:ningún |ninguna |algún |mayor )?(?:problemas?|incidentes?|incidencias?|inconvenientes?|retrasos?|duda|errores|"
        r"error|novedad|contratiempos?|demoras?)|no (?:hay|cabe) (?:ninguna )?duda|no hay (?:ningún )?problemas?|ningún problema|no (?:sé|sabemos) (?:por qué|cuándo|cómo|dónde)|no se preocupe|no dude",
        cut=r"pero|sino|sin embargo|aunque|mientras que|en cambio|porque|por eso|no obstante|y (?:el|la|los|las|su|se|ha|han|es|son|está|están|hay|fue|\d)",
        that="que|si",
        unsure=r"quizás?|tal vez|podrían?|posiblemente|a lo mejor|puede que|probablemente|no estoy segur[oa]|incierto",
        given=r"si|en caso de|a menos|siempre que|una vez|habría|cuando",
        ask="hay|tiene|es|son|está|están|ha|han|fue",
        you="usted|tú|me|puede|podría",
        then=r"(?:el mes|el año|el trimestre) pasado|la semana pasada|ayer|antes|anteriormente|previamente|hace \w+ (?:días?|mes(?:es)?|semanas?|años?)|"
        r"originalmente|inicialmente|mañana|(?:el )?próxim[oa] \w+|usted dijo|dijiste|esperad[oa]s?",
        now=r"hoy|ahora|actualmente|en este momento|est[ea] (?:mes|semana|año)|en realidad|ya son",
        was="era|eran|había|tenía|tenían|fueron",
        yes="sí|correcto|exacto|así es",
        no="no|falso|incorrecto",
        bound_before="más de|menos de|al menos|por lo menos|como máximo|casi|hasta|cerca de",
        bound_after="o más|como mínimo|como máximo",
        concord=True,
    ),
    "it": Words(
        common="nessuno nessuna nessun il lo la i gli le di e è sono non ci ha un una per con che del della ordini ordine aperti stato stati al in "
        "cliente attualmente ma nel si hanno abbiamo suo",
        deny=r"non|mai|nessun[oa]?|nessun'|niente|nulla|né|neanche|nemmeno|senza|invece di|anziché|piuttosto che|impossibile|incapace|tranne|eccetto|nego|dubito|falso(?= che)",
        near="sconosciut[oaie]|non valid[oaie]|inesistent[ei]",
        after=r"non|mai|sconosciut[oaie]|inesistent[ei]|fals[oaie]|errat[oaie]|sbagliat[oaie]|scorrett[oaie]",
        idioms=r"non (?:solo|soltanto|solamente|appena)|senza (?:alcun |alcuna |nessun |altri )?(?:problem[ia]|intoppi|ritard[oi]|dubbi[o]?|error[ei]|incident[ei]|"
        r"inconvenient[ei]|difficoltà)|nessun (?:problema|dubbio|ritardo|errore)|non (?:c'è|ci sono) (?:dubbi[o]?|problemi)|non (?:so|sappiamo) (?:perché|quando|come|dove)|non si preoccupi",
        cut=r"ma|però|tuttavia|bensì|invece(?! di)|mentre|anzi|perché|quindi|sebbene|e (?:il|lo|la|i|gli|le|si|è|sono|ha|hanno|ci|\d)",
        that="che|se",
        unsure=r"forse|potrebbe(?:ro)?|magari|probabilmente|può darsi|non sono sicur[oa]|incerto|sarebbe(?:ro)?",
        given=r"se|nel caso|a meno|qualora|appena|una volta",
        ask="è|sono|ha|hanno|ci sono|avete",
        you="lei|tu|mi|può|potrebbe",
        then=r"(?:il mese|l'anno|il trimestre) scorso|(?:la settimana|lo) scors[oa]|(?:mese|settimana|anno) (?:scors[oa]|fa)|ieri|prima|precedentemente|in precedenza|"
        r"\w+ (?:giorni|mesi|settimane|anni) fa|originariamente|inizialmente|domani|prossim[oa] \w+|lei ha detto|previst[ie]",
        now=r"oggi|adesso|ora|attualmente|al momento|quest[oa'] ?(?:mese|settimana|anno)|in realtà|ormai",
        was="era|erano|aveva|avevano|avevamo",
        yes="sì|esatto|corretto",
        no="no|non|falso",
        bound_before="più di|meno di|almeno|al massimo|quasi|fino a|oltre|circa oltre",
        bound_after="o più|al massimo|almeno",
        concord=True,
    ),
    "pt": Words(
        common="ninguém nenhum nenhuma sido tenha ter o a os as de e é são não há tem seu sua que em um uma para por com pedidos pedido abertos foi foram está estão "
        "atualmente você do da no na dos mas ao cliente encomendas",
        deny=r"não|nunca|jamais|nenhum(?:a|as)?|nenhuns|nada|ninguém|nem|tampouco|sem|em vez de|ao invés de|impossível|incapaz|exceto|nego|duvido|falso(?= que)",
        near="desconhecid[oa]s?|inválid[oa]s?|inexistentes?",
        after=r"não|nunca|desconhecid[oa]s?|inválid[oa]s?|inexistentes?|fals[oa]s?|incorret[oa]s?|errad[oa]s?",
        idioms=r"não (?:só|somente|apenas|unicamente)|sem (?:nenhum |nenhuma |qualquer |mais )?(?:problemas?|incidentes?|atrasos?|dúvidas?|erros?|intercorrências?|"
        r"dificuldades?|imprevistos?)|nenhum problema|não há (?:dúvidas?|problemas?)|não (?:sei|sabemos) (?:por que|quando|como|onde)|não se preocupe|não hesite",
        cut=r"mas|porém|contudo|entretanto|no entanto|todavia|embora|enquanto|e sim|porque|e (?:o|os|as|seu|sua|está|estão|foi|foram|é|são|há|\d)",
        that="que|se",
        unsure=r"talvez|poderiam?|possivelmente|provavelmente|pode ser|não tenho certeza|incerto|seriam?",
        given=r"se|caso|a menos|assim que|quando",
        ask="há|tem|é|são|está|estão|foi|foram",
        you="você|o senhor|me|pode|poderia",
        then=r"(?:mês|ano|trimestre) passado|semana passada|ontem|antes|anteriormente|há \w+ (?:dias?|mes(?:es)?|semanas?|anos?)|originalmente|inicialmente|amanhã|"
        r"próxim[oa] \w+|você disse|esperad[oa]s?",
        now=r"hoje|agora|atualmente|neste momento|no momento|est[ea] (?:mês|semana|ano)|nest[ea] (?:mês|semana|ano)|na verdade|na realidade",
        was="era|eram|havia|tinha|tinham",
        yes="sim|correto|exato|isso",
        no="não|falso|incorreto",
        bound_before="mais de|menos de|pelo menos|no máximo|quase|até|cerca de mais",
        bound_after="ou mais|no máximo|no mínimo",
        concord=True,
    ),
    "nl": Words(
        common="de het een en is zijn niet van met voor op er heeft u uw wij bestellingen bestelling openstaande in dat deze "
        "geen momenteel bij werd maar ook naar nog klant aan hebben",
        deny=r"niet|geen|nooit|niemand|niets|nergens|noch|zonder|in plaats van|onmogelijk|behalve|ontken\w*|betwijfel\w*|onjuist(?= dat)",
        near="onbekende?|ongeldige?|niet-bestaande?",
        after=r"niet|nooit|geen|onbekend|ongeldig|onjuist|fout|mislukt",
        idioms=r"niet (?:alleen|slechts|enkel)|zonder (?:enige? |verdere )?(?:problemen|probleem|vertraging(?:en)?|fouten|incidenten|twijfel|moeite)|niet (?:waarom|wanneer|hoe|waar)|geen (?:probleem|problemen|twijfel|"
        r"zorgen)",
        cut=r"maar|echter|daarentegen|hoewel|terwijl|omdat|want|en(?= (?:niet|geen|nooit))|en (?:het|de|er|u|wij|ze|is|zijn|werd|heeft|\d)",
        that="dat|of",
        unsure=r"misschien|mogelijk|wellicht|zou(?:den)? kunnen|waarschijnlijk|onzeker|niet zeker|onduidelijk",
        given=r"als|indien|tenzij|zodra|of (?:het|de|er|uw)",
        ask="is|zijn|heeft|hebben|werd|was",
        you="u|je|ik",
        then=r"(?:vorige|afgelopen) (?:maand|week|jaar|kwartaal)|vorig (?:jaar|kwartaal)|gisteren|eerder|voorheen|vroeger|\bgeleden|oorspronkelijk|morgen|volgende? (?:maand|week|jaar)|u zei|verwacht",
        now=r"vandaag|nu|momenteel|inmiddels|tegenwoordig|deze (?:maand|week)|dit (?:jaar|kwartaal)|op dit moment|in werkelijkheid|eigenlijk",
        was="was|waren|had|hadden",
        yes="ja|klopt|inderdaad",
        no="nee|niet|onjuist",
        bound_before="meer dan|minder dan|minstens|ten minste|hoogstens|bijna|tot wel|ruim|maximaal",
        bound_after="of meer|of minder",
        verb_last=True,
    ),
    "pl": Words(
        common="i w na z do jest są nie ma o się że to klient zamówienie zamówienia zamówień obecnie otwartych zostało zostały ale "
        "państwa pana dla po od przez jako mamy tylko było",
        deny=r"nie|nigdy|nikt|nic|żaden|żadn\w+|ani|bez|zamiast|niemożliwe|oprócz|z wyjątkiem|nieprawda|brak",
        near=r"nieznan\w+|nieprawidłow\w+|nieistniejąc\w+",
        after=r"nie|nigdy|nieznan\w+|nieprawidłow\w+|nieprawdziw\w+|błędn\w+|fałszyw\w+",
        idioms=r"nie (?:tylko|jedynie)|bez (?:żadnych |większych )?(?:problem\w+|opóźnie\w+|zakłóceń|wątpienia|błęd\w+|przeszkód|trudności)|nie ma (?:wątpliwości|problemu)|"
        r"żaden problem|bez wątpienia",
        cut=r"ale|lecz|jednak|natomiast|jednakże|chociaż|ponieważ|bo|tylko że|więc|i (?:jest|są|został\w*|ma|\d)|a(?= )",
        that="że|iż|czy|żeby|aby",
        unsure=r"może|być może|możliwe|prawdopodobnie|chyba|mogłoby|nie jestem pew\w+|podobno",
        given=r"jeśli|jeżeli|czy|gdyby|o ile|gdy tylko",
        ask="czy",
        you="pan|pani|państwo|możesz|mogę",
        then=r"(?:w )?(?:zeszłym|ubiegłym|poprzednim) (?:miesiącu|tygodniu|roku|kwartale)|wczoraj|wcześniej|poprzednio|dawniej|\btemu|początkowo|pierwotnie|jutro|"
        r"w przyszłym \w+|mówił\w*",
        now=r"dziś|dzisiaj|teraz|obecnie|aktualnie|w tej chwili|w tym (?:miesiącu|tygodniu|roku)|faktycznie|w rzeczywistości",
        was=r"był|była|było|były|miał\w*",
        yes="tak|zgadza się|owszem",
        no="nie|nieprawda",
        bound_before="ponad|więcej niż|mniej niż|co najmniej|przynajmniej|co najwyżej|prawie|niemal|do",
        bound_after="lub więcej",
        concord=True,
    ),
    "ru": Words(
        common="",
        deny=r"не|нет|ни|никогда|ничего|никто|ничто|нельзя|никак\w*|невозможно|без|вместо|кроме|неправда|неверно|отрица\w+|сомнева\w+",
        near=r"неизвестн\w+|недействительн\w+|несуществующ\w+",
        after=r"не|нет|никогда|отсутству\w+|неизвестн\w+|недействительн\w+|неверн\w+|ошибочн\w+",
        idioms=r"не (?:только|просто)|без (?:каких-либо |всяких |особых )?(?:проблем|задерж\w+|ошибок|сомнени\w+|происшестви\w+|замечаний|затруднений)|нет (?:никаких )?(?:сомнени\w+|проблем)|"
        r"не беспокойтесь|не сомневайтесь|нет причин",
        cut=r"но|а|однако|зато|хотя|потому что|так как|поэтому|и (?:он|она|оно|они|мы|вы|был\w*|\d)",
        that="что|чтобы|будто|ли",
        unsure=r"возможно|может быть|вероятно|наверное|не уверен\w*|якобы|предположительно|мог\w* быть",
        given=r"если|ли|в случае|как только|при условии|был\w* бы",
        ask="разве|неужели|есть ли",
        you="вы|ты|можете|могу|я",
        then=r"в прошлом (?:месяце|году|квартале)|на прошлой неделе|вчера|раньше|ранее|прежде|\bназад|изначально|первоначально|завтра|в следующем \w+|"
        r"на следующей неделе|вы (?:сказали|говорили)|ожидал\w+",
        now=r"сегодня|сейчас|теперь|в настоящее время|на данный момент|ныне|в этом (?:месяце|году)|на этой неделе|на самом деле|фактически",
        was="был|была|было|были",
        yes="да|верно|именно",
        no="нет|неверно|не",
        bound_before="более|больше|менее|меньше|свыше|почти|не менее|не более|до|как минимум|максимум",
        bound_after="или (?:более|больше|менее|меньше)",
        concord=True,
    ),
    "tr": Words(
        common="değilsiniz siz üye üyesiniz en fazla az hiçbiri ve bir bu için ile de da var yok değil sipariş siparişi siparişiniz müşteri açık şu anda olarak adet gönderildi edildi "
        "ama ancak toplam mevcut bulunmaktadır hiçbir sadece",
        deny=r"hiçbir|hiç|asla|hayır",
        near="geçersiz|bilinmeyen|sahte",
        after=r"değil\w*|yok\w*|\w+m[ae](?:d[iı]\w*|m[iı]ş\w*|y[ae]c[ae][kğ]\w*|z|zlar|zler|yen|yan|den|dan|kta|kte)|\w+m[iıuü]yor\w*|bilinmiyor|geçersiz|yanlış",
        idioms=r"(?:sadece|yalnızca|yalnız|bir tek) [^.]{1,40}? değil|sorun(?:u|um|umuz)? yok\w*|şüphe\w* yok|yok denecek kadar az|hiçbir sorun (?:olmadan|yaşanmadan|çıkmadan)|herhangi bir sorun (?:olmadan|yaşanmadan)|"
        r"sorun (?:olmadan|yaşanmadan)",
        cut=r"ama|fakat|ancak|oysa|aksine|lakin|çünkü|bununla birlikte|ve (?:şu|bu|\d)|\w+ değil(?= )",
        unsure=r"belki|olabilir\w*|muhtemelen|sanırım|galiba|herhalde",
        given=r"eğer|şayet",
        asked_after=r"olup olmadığı\w*|(?:m[iıuü])(?=\?| )|ise\b|olsaydı",
        ask="",
        you="siz|sen|mısınız|misiniz",
        then=r"geçen (?:ay|hafta|yıl|sene|çeyrek)|dün|önceki|önceden|eskiden|önce|başlangıçta|yarın|gelecek (?:ay|hafta|yıl)",
        now=r"bugün|şimdi|şu an(?:da)?|artık|güncel|bu (?:ay|hafta|yıl)|aslında|gerçekte",
        was=r"\w*(?:ydi|ydı|idi|vardı)",
        yes="evet|doğru",
        no="hayır|değil|yok|yanlış",
        bound_before="en az|en fazla|neredeyse",
        bound_after=r"'?(?:den|dan|ten|tan) (?:fazla|az|çok)",
        concord=True,
        verb_last=True,
    ),
    "zh": Words(
        common="",
        deny="没有|沒有|没能|未能|无法|無法|不能|不会|不是|并非|並非|而不是|而非|尚未|并未|从未|从来没|没|沒|不|未|无|無|非|否认|拒绝|除了|除|代替",
        near="无效的?|未知的?|不存在的?|错误的?",
        after="不存在|不是|不对|不正确|不准确|有误|未知|无效|不可用|不成立|不属实|失败|没有(?:成功|发生|完成)|并不|并未|尚未|还没|没有$|未(?:能|被)|不(?:可|能|会|被)",
        idioms="不[仅僅但只光单單]是?|没有?任?何?(?:问题|異常|异常|疑问|延误|错误|意外|困难)|毫无(?:疑问|问题|异常)|无疑|无误|不错|不过|不同|不少|差不多|不断|不久|无论|不管|"
        "不论|非常|未来|除非|不得不|不妨|不好意思|不客气|不要紧|不用担心|不必担心|请不要担心|是不是|有没有|不可否认|不容置疑|无一例外|不止|不计",
        cut="也(?=[没不未无])|但是|但|而是|然而|不过|却|只是|反而|可是|因为|所以|并且已|因此|其实|实际上",
        unsure="可能|也许|或许|大概|不确定|似乎|据说|恐怕",
        given="如果|若|是否|假如|要是|倘若|一旦|万一",
        asked_after="吗|与否",
        ask="",
        you="您|你|请问",
        then="上个?(?:月|周|星期|季度|次)|去年|昨天|之前|以前|先前|原来|曾经|曾|此前|最初|起初|明天|下个?(?:月|周|星期)|您说|预计|原先",
        now="今天|现在|目前|当前|如今|眼下|本月|本周|今年|实际|其实|这个月|已经?变|截至今日",
        was="之前|原",
        yes="是的|是|对|有的|没错|正确",
        no="不|否|没有|不是|不对|并没有|错",
        bound_before="超过|多于|少于|不到|至少|最多|将近|接近|不足|高于|低于",
        bound_after="(?:个|件|份|笔|多)?(?:以上|以下|多个|余|多[个件份笔])",
    ),
    "ja": Words(
        common="",
        deny="(?:未|不|非|無)(?=$)",
        near="無効な|不明な|存在しない|誤った",
        after="ません|ない|なかった|なく|ではな|じゃな|無い|なし(?!に)|不明|不可|おらず|られず|れず|せず|できず|わず|間違|誤り|無効|×|違い",
        idioms="だけでは?なく|のみならず|のみでなく|ばかりで(?:は)?なく|にとどまらず|かもしれ(?:ません|ない)|(?:に|は)?(?:間違|違)い(?:は)?(?:な[いく]|ありません)|"
        "(?:問題|異常|遅れ|遅延|支障|トラブル|エラー|不備)(?:は|も|が)?(?:な[いくし]|ありません|なかった|ございません|ありませんでした)|滞りなく|なければなら(?:ない|ません)|なくてはなら\\S{1,3}|"
        "少なくない|すみません|申し訳(?:ない|ありません|ございません)|ないわけではな|ないとは言え|なくはな|疑い(?:は|の余地は?)?(?:な[いく]|ありません)|しかな|しかありません|まもなく|間もなく|なくなり次第",
        cut="[てしがずりばらで]、|ですが|ましたが|ませんが|だが|たが|るが|けれど|けど|しかし|一方|むしろ|ので|ため|ではなく|じゃなく|であり|実際",
        unsure="かもしれ|可能性|おそらく|たぶん|恐らく|多分|らしい|と思われ|でしょう",
        given="もし",
        asked_after="かどうか|か否か|場合|(?:です|ます|ました|でした)か|たら|のであれば|なら",
        ask="",
        you="お客様の|教えて|ください|いただけ",
        then="先月|先週|昨日|去年|昨年|以前|前回|かつて|当初|もともと|これまで|明日|来月|来週|前期|とおっしゃ|予定|見込み",
        now="今日|本日|現在|今は|今では|今月|今週|今年|いま|現時点|実際",
        was="でした|だった|ました",
        yes="はい|ええ|その通り",
        no="いいえ|いえ|ありません|違い",
        bound_before="最大|最低|少なくとも|せいぜい",
        bound_after="(?:件|個|名|人|台|つ)?(?:以上|以下|未満|超|弱|近く|まで)",
        verb_last=True,
    ),
    "ko": Words(
        common="",
        deny="(?:미|불|비)(?=$)|(?:안|못) ?(?=$)",
        near="잘못된|알 수 없는|존재하지 않는|무효한",
        after="않|없|아니|아닙|아닌|못했|못합|못하|못한|불가|안 (?:됩|되|된|됐|했|함)|말고| 전(?:이|입니다|임|$)|틀렸|틀립|잘못|무효|미정|불명",
        idioms="뿐(?:만|만이)? ?아니라|수밖에 ?없|틀림없|(?:문제|이상|지장|지연|차질|오류|하자|어려움)(?:가|이|는|도)? ?없(?:이|습니다|었습니다|고|음)?|다름없|의심의 여지(?:가)? ?없|"
        "걱정하지 않|않으면 안|없지 않|끊임없이|어김없이",
        cut="지만|으나|는데|그러나|하지만|그런데|(?:했|됐|되었|였|었|았|이)고|(?:했|됐|되었|였|이)으?며|때문에|되어(?! ?있)|하여(?! ?있)|해서|므로|니까|반면|오히려|(?:이|가) 아니라|아니고|실제로",
        unsure="수도 있|아마|것 같|듯합|추정|가능성|모릅니다|모르겠",
        given="만약|만일",
        asked_after="는지|인지|었는지|여부|경우|(?:습니|입니|합니)까|나요|면(?= )",
        ask="",
        you="고객님|알려|주시|해 주",
        then="지난 ?(?:달|주|해|분기|번)|어제|작년|이전|예전|과거|당초|처음|원래|내일|다음 ?(?:달|주)|말씀하|예상",
        now="오늘|지금|현재|이번 ?(?:달|주|해)|올해|이제|실제",
        was="이었|였|있었",
        yes="네|예|맞습니다",
        no="아니|아뇨|없습니다|틀",
        bound_before="최대|최소|적어도|거의",
        bound_after="(?:건|개|명|대)?(?: ?)(?:이상|이하|미만|을 넘|를 넘|초과|가까이|남짓)",
        verb_last=True,
    ),
    "ar": Words(
        common="",
        deny=r"[وف]?(?:لا|لم|لن|ليس|ليست|ليسوا|لست|لسنا|غير|بدون|دون|بلا|عدم|ابدا|كلا|بدلا من|باستثناء|انفي|ننفي|اشك|نشك|تعذر|يتعذر|فشل)",
        near="غير معروف|غير صالح|غير موجود",
        after=r"لا|لم|ليس|ليست|غير|لن",
        idioms=r"ليست? فقط|لا (?:شك|يقتصر|مشكلة|توجد مشاكل|توجد مشكلة|داعي|تقلق|تتردد)|(?:بدون|دون|بلا|من دون) (?:اي |ايه |أي |أية )?(?:مشاكل|مشكلة|مشكله|تاخير|اخطاء|شك|عوائق|صعوبات)|غير ان",
        cut=r"[وف]?لكن\w*|بل|الا ان|غير ان|بينما|اما|لان\w*|و(?:قد|تم|هو|هي|هناك|لديك|لدينا|كان|حاليا|الان|اليوم) ?",
        that="ان|انه|انها|بان|ان|اذا|ما اذا",
        unsure=r"ربما|قد (?:يكون|تكون|تم)|من المحتمل|لعل|يحتمل|لست متاكدا|غير متاكد",
        given=r"اذا|ان كان|لو|ما لم|في حال|هل",
        ask="هل",
        you="انت|يمكنك|تستطيع|تزويدي",
        then=r"الشهر الماضي|الاسبوع الماضي|العام الماضي|السنة الماضية|امس|سابقا|قبل|في السابق|في البداية|غدا|الشهر القادم|الشهر المقبل|قلت|من المتوقع",
        now=r"اليوم|الان|حاليا|في الوقت الحالي|هذا (?:الشهر|الاسبوع|العام)|في الواقع|فعليا",
        was="كان|كانت|كانوا",
        yes="نعم|صحيح|اجل",
        no="لا|كلا|ليس|خطا",
        bound_before="اكثر من|اقل من|على الاقل|ما لا يقل عن|ما يقرب من|حتى|يزيد عن",
        bound_after="على الاقل|على الاكثر|او اكثر",
        concord=True,
    ),
    "hi": Words(
        common="",
        deny="नहीं|मत|बिना|कभी नहीं|असंभव|के बजाय|के अलावा|न(?= )|ना(?= )",
        near="अमान्य|अज्ञात|गलत",
        after="नहीं|मत|न(?= )|गलत|अमान्य|अज्ञात|असंभव",
        idioms="न (?:केवल|सिर्फ)|(?:केवल|सिर्फ|सिर्फ़) [^.,]{1,40}? नहीं|ही नहीं|कोई (?:समस्या|शक|संदेह|दिक्कत|देरी|परेशानी) नहीं(?: है| थी| हुई)?|(?:बिना किसी|किसी) (?:समस्या|देरी|परेशानी|त्रुटि|रुकावट|दिक्कत)(?: के बिना| के)?",
        cut="लेकिन|परंतु|परन्तु|किंतु|मगर|बल्कि|क्योंकि|इसलिए|और (?:यह|वह|वे|हम|आप|अब|\\d)",
        that="कि",
        unsure="शायद|हो सकता|संभवतः|सम्भवतः|संभव|पक्का नहीं",
        given="अगर|यदि|क्या",
        asked_after="या नहीं|कि नहीं",
        ask="क्या",
        you="आप|कृपया",
        then="पिछले (?:महीने|हफ्ते|सप्ताह|साल|वर्ष)|पहले|पूर्व में|बीते|अगले (?:महीने|हफ्ते)|आपने कहा|मूल रूप से",
        now="आज|अब|अभी|वर्तमान|फिलहाल|इस (?:महीने|सप्ताह|साल)|वास्तव में",
        was="था|थे|थी|थीं",
        yes="हाँ|हां|जी हाँ|सही",
        no="नहीं|जी नहीं|गलत",
        bound_before="कम से कम|अधिक से अधिक",
        bound_after="(?:ऑर्डर )?से (?:अधिक|ज़्यादा|ज्यादा|कम|ऊपर)",
        concord=True,
        verb_last=True,
    ),
    "th": Words(
        common="",
        deny="ยังไม่|ไม่ได้|ไม่มี|ไม่ใช่|ไม่สามารถ|ไม่เคย|มิได้|ไม่|ปราศจาก|แทนที่|ปฏิเสธ|ยกเว้น",
        near="ไม่ถูกต้อง|ไม่ทราบ",
        after="ไม่ถูกต้อง|ไม่มี|ไม่ใช่|ไม่ได้|ไม่ทราบ|ไม่จริง|ล้มเหลว|ยังไม่",
        idioms="ไม่เพียง(?:แต่|แค่)?|ไม่ใช่(?:แค่|เพียง)|ไม่ได้(?:มี)?แค่|(?:โดย)?ไม่มีปัญหา(?:ใด ?ๆ|ใดๆ)?|ไม่ต้อง(?:กังวล|สงสัย|ห่วง)|ไม่นาน|ไม่มีข้อสงสัย|ไม่ว่า|โดยไม่มีข้อผิดพลาด|โดยไม่ล่าช้า",
        cut="แต่|อย่างไรก็ตาม|กลับ|ในขณะที่|เพราะ|ดังนั้น|และ(?:ได้|ตอนนี้)|และ(?=ไม่|ยังไม่)|ความจริง",
        unsure="อาจ|บางที|น่าจะ|คงจะ|ไม่แน่ใจ|เป็นไปได้",
        given="ถ้า|หาก|หรือไม่|เมื่อใด",
        asked_after="หรือไม่|ไหม|หรือเปล่า",
        ask="",
        you="คุณ|ขอ|กรุณา",
        then="เดือนที่แล้ว|เดือนก่อน|สัปดาห์ที่แล้ว|ปีที่แล้ว|เมื่อวาน|ก่อนหน้านี้|แต่ก่อน|เคย|เดิม|พรุ่งนี้|เดือนหน้า|สัปดาห์หน้า",
        now="วันนี้|ตอนนี้|ปัจจุบัน|ขณะนี้|เดือนนี้|สัปดาห์นี้|ที่จริง|จริงๆ",
        was="เคย",
        yes="ใช่|ถูกต้อง",
        no="ไม่|ไม่ใช่|เปล่า",
        bound_before="มากกว่า|น้อยกว่า|อย่างน้อย|ไม่เกิน|เกือบ|เกิน|สูงสุด",
        bound_after="(?:รายการ|คำสั่งซื้อ)?(?:ขึ้นไป|กว่า)",
    ),
}  # fmt: skip
