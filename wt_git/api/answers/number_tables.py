"""Words around numbers, by language: data for the tokenizer of numbers.

All are `normalised`. Libraries for dates and locale data were tried: they parse a date without its
place in the text, or load for a fifth of a second, which is more than scoring takes.
"""

# ruff: noqa: RUF001 - other scripts have letters that look like Latin ones

from __future__ import annotations

from typing import Final

from wt_git.api.answers.normalise import normalised


def words(text: str) -> frozenset[str]:
    """Return the words of `text`, which are separated by bars or line breaks."""
    parts = (part.strip() for part in text.replace("\n", "|").split("|"))
    return frozenset(normalised(part) for part in parts if part)


MONTHS_BEFORE_DAYS: Final = words("""
january|february|march|april|may|june|july|august|september|october|november|december
jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec
""")
MONTHS: Final = MONTHS_BEFORE_DAYS | words("""
januar|jänner|februar|märz|mai|juni|juli|oktober|dezember|okt|dez
janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|janv|févr|avr|juil|déc
enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|ene|abr|dic
gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre|gen|mag|giu|lug
janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|novembro|dezembro|fev|out
januari|februari|maart|mei|augustus
stycznia|lutego|marca|kwietnia|maja|czerwca|lipca|sierpnia|września|października|listopada|grudnia
января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря
ocak|şubat|mart|nisan|mayıs|haziran|temmuz|ağustos|eylül|ekim|kasım|aralık
يناير|فبراير|مارس|أبريل|ابريل|مايو|يونيو|يوليو|أغسطس|سبتمبر|أكتوبر|نوفمبر|ديسمبر
जनवरी|फ़रवरी|फरवरी|मार्च|अप्रैल|मई|जून|जुलाई|अगस्त|सितंबर|अक्टूबर|नवंबर|दिसंबर
มกราคม|กุมภาพันธ์|มีนาคม|เมษายน|พฤษภาคม|มิถุนายน|กรกฎาคม|สิงหาคม|กันยายน|ตุลาคม|พฤศจิกายน|ธันวาคม
""")

YEAR_BEFORE: Final = words(
    "in|since|of|year|fy|by|until|from|im|jahr|seit|en|depuis|année|desde|año|nel|dal|dall'anno|anno|em|ano|"
    "sinds|jaar|w|od|roku|в|с|году|yılı|عام|سنة|منذ|सन|वर्ष|ปี"
)

SCALES: Final = {
    word: factor
    for factor, listed in {
        100: "hundred|hundreds|cien|百|백|सौ|ร้อย",
        1000: "k|thousand|thousands|tausend|tsd|mille|millier|milliers|mil|mila|duizend|tysiąc|tysiące|tysięcy|tys|"
        "тысяча|тысячи|тысяч|тыс|bin|千|천|ألف|آلاف|हज़ार|हजार|พัน",
        10_000: "万|萬|만|หมื่น",
        100_000: "lakh|lakhs|लाख|แสน",
        10
        ** 6: "million|millions|mn|mln|mio|millionen|millón|millones|milione|milioni|milhão|milhões|miljoen|milion|"
        "miliony|milionów|миллион|миллиона|миллионов|млн|milyon|مليون|ملايين|ล้าน",
        10**7: "crore|crores|करोड़",
        10**8: "亿|億|억",
        10
        ** 9: "bn|billion|billions|milliarde|milliarden|mrd|milliard|milliards|miliardo|miliardi|miliard|miliardy|"
        "miliardów|miljard|mld|миллиард|миллиарда|миллиардов|млрд|milyar|مليار|अरब",
    }.items()
    for word in words(listed)
}

PERCENT: Final = words(
    "%|percent|per cent|pct|prozent|pour cent|pour-cent|por ciento|per cento|por cento|procent|procenta|процент|"
    "процента|процентов|yüzde|パーセント|퍼센트|프로|بالمئة|بالمائة|في المئة|في المائة|प्रतिशत|เปอร์เซ็นต์|百分之"
)

_MONEY = {
    "usd": "$|usd|us$|dollar|dollars|dólares|dolares|dollari|доллар|доллара|долларов|dolar|美元|ドル|달러|دولار|डॉलर|ดอลลาร์",
    "eur": "€|eur|euro|euros|евро|avro|欧元|ユーロ|유로|يورو|यूरो|ยูโร",
    "gbp": "£|gbp|pound sterling|quid|livres sterling|pfund|фунтов|英镑",
    "jpy": "¥|jpy|yen|円|엔|日元",
    "cny": "cny|rmb|yuan|元|人民币|위안|块",
    "krw": "₩|krw|원",
    "inr": "₹|inr|rs|rupee|rupees|रुपये|रुपए|रुपया",
    "rub": "₽|rub|руб|рубль|рубля|рублей",
    "try": "₺|try|tl|lira",
    "pln": "pln|zł|złoty|złote|złotych",
    "brl": "r$|brl|reais|real",
    "chf": "chf|franken|fr.",
    "thb": "฿|thb|baht|บาท",
    "sek": "sek|nok|dkk|kr|kronor|kroner",
    "other": "cad|aud|mxn|aed|sar|ريال|درهم|جنيه|pesos|peso",
}
CURRENCY_SYMBOLS: Final = "$€£¥₩₹₽₺฿"

_MEASURES = {
    "%": "|".join(PERCENT),
    "gram": "g|gr|gram|grams|gramm|grammes|gramos|grammi|gramas|г|грамм|克|グラム|그램",
    "kilogram": "kg|kgs|kilo|kilos|kilogram|kilograms|kilogramm|kilogrammes|kilogramos|кг|килограмм|килограммов|公斤|千克|"
    "キロ|キログラム|킬로그램|킬로|كيلو|كجم|कि.ग्रा|किलो|किलोग्राम|กก|กิโลกรัม|กิโล",
    "tonne": "t|ton|tons|tonne|tonnes|tonnen|toneladas|tonnellate|ton|тонн|тонны|吨|トン|톤|طن|टन|ตัน",
    "pound": "lb|lbs|pounds",
    "ounce": "oz|ounces",
    "metre": "m|metre|metres|meter|meters|mètres|metros|metri|м|метров|метра|米|メートル|미터|متر|मीटर|เมตร",
    "kilometre": "km|kms|kilometers|kilometres|kilometer|kilomètres|kilómetros|chilometri|quilômetros|км|公里|キロメートル|킬로미터|كم|किमी|กม",
    "centimetre": "cm|centimeters|zentimeter|centimètres|см|厘米|センチ|센티미터",
    "millimetre": "mm|millimeters|millimeter|мм|毫米|ミリ",
    "mile": "mi|mile|miles|meilen|millas",
    "foot": "ft|feet|inch|inches",
    "litre": "l|litre|litres|liter|liters|litros|litri|л|литров|升|リットル|리터|لتر|लीटर|ลิตร",
    "millilitre": "ml|毫升|мл",
    "byte": "kb|mb|gb|tb|kib|mib|gib|bytes|мб|гб",
    "watt": "w|kw|kwh|watts|watt|volt|volts|v|mah",
    "degree": "°c|°f|°|degrees|grad|degrés|grados|gradi|graus|градусов|derece|度|도|درجة|डिग्री|องศา",
    "second": "s|sec|secs|second|seconds|ms|milliseconds|sekunden|sekunde|secondes|segundos|secondi|seconden|sekund|"
    "секунд|секунды|saniye|秒|초|ثانية|सेकंड|วินาที",
    "minute": "min|mins|minute|minutes|minuten|minutos|minuti|minuut|minut|минут|минуты|мин|dakika|分|分钟|분|دقيقة|دقائق|मिनट|นาที",
    "hour": "h|hr|hrs|hour|hours|stunde|stunden|std|heure|heures|hora|horas|ora|ore|uur|uren|godzin|godziny|godz|"
    "час|часа|часов|ч|saat|小时|時間|시간|ساعة|ساعات|घंटे|ชั่วโมง",
    "day": "day|days|tag|tage|tagen|jour|jours|día|días|giorno|giorni|dia|dias|dag|dagen|dzień|dni|день|дня|дней|gün|"
    "天|日|日間|일|يوم|أيام|दिन|วัน",
    "week": "week|weeks|woche|wochen|semaine|semaines|semana|semanas|settimana|settimane|weken|tydzień|tygodni|tygodnie|"
    "неделя|недели|недель|hafta|周|星期|週|週間|주|أسبوع|أسابيع|सप्ताह|हफ्ते|สัปดาห์",
    "month": "month|months|monat|monate|monaten|mois|mes|meses|mese|mesi|mês|maand|maanden|miesiąc|miesiące|miesięcy|"
    "месяц|месяца|месяцев|个月|か月|ヶ月|カ月|개월|شهر|أشهر|महीने|เดือน",
    "year": "year|years|yr|yrs|jahr|jahre|jahren|an|ans|année|années|año|años|anno|anni|ano|anos|jaar|rok|lata|lat|"
    "год|года|лет|yıl|年|년|سنة|سنوات|साल|वर्ष|ปี",
}
MONEY: Final = {word: name for name, listed in _MONEY.items() for word in words(listed)}
MEASURES: Final = {
    word: name for name, listed in _MEASURES.items() for word in words(listed)
} | MONEY
UNIT_NAMES: Final = frozenset(_MEASURES)

# Things that an answer counts. Two words of one row are the same thing, in any language.
_THINGS = {
    "order": "order|orders|bestellung|bestellungen|auftrag|aufträge|aufträgen|commande|commandes|pedido|pedidos|"
    "orden|órdenes|ordine|ordini|encomenda|encomendas|bestelling|bestellingen|zamówienie|zamówienia|zamówień|"
    "заказ|заказа|заказов|заказы|sipariş|siparişi|siparişler|订单|訂單|注文|주문|طلب|طلبات|طلبا|طلبية|ऑर्डर|आदेश|คำสั่งซื้อ|ออเดอร์",
    "customer": "customer|customers|client|clients|kunde|kunden|klient|klienten|cliente|clientes|clienti|klant|klanten|"
    "klienci|klientów|клиент|клиента|клиентов|müşteri|客户|顾客|客戶|顧客|お客様|고객|عميل|عميلا|عملاء|عملا|ग्राहक|ग्राहकों|ลูกค้า",
    "invoice": "invoice|invoices|rechnung|rechnungen|facture|factures|factura|facturas|fattura|fatture|fatura|faturas|"
    "factuur|facturen|faktura|faktury|faktur|счет|счета|счетов|счёт|发票|請求書|송장|فاتورة|فواتير|चालान|ใบแจ้งหนี้",
    "product": "product|products|produkt|produkte|produit|produits|producto|productos|prodotto|prodotti|produto|produtos|"
    "producten|produkty|produktów|товар|товара|товаров|продуктов|ürün|产品|商品|상품|제품|منتج|منتجات|उत्पाद|สินค้า",
    "ticket": "ticket|tickets|tickets|тикет|тикетов|工单|チケット|티켓|تذكرة|تذاكر|टिकट|ตั๋ว",
    "shipment": "shipment|shipments|delivery|deliveries|package|packages|parcel|parcels|lieferung|lieferungen|paket|pakete|"
    "livraison|livraisons|colis|envío|envíos|paquete|paquetes|spedizione|spedizioni|pacco|pacchi|entrega|entregas|"
    "zending|zendingen|przesyłka|przesyłek|paczek|посылка|посылок|поставок|kargo|gönderi|包裹|配送|荷物|배송|شحنة|شحنات|पार्सल|พัสดุ",
    "person": "user|users|employee|employees|people|persons|mitarbeiter|personen|nutzer|benutzer|employés|utilisateurs|"
    "personnes|empleados|usuarios|personas|dipendenti|utenti|persone|funcionários|usuários|pessoas|medewerkers|"
    "gebruikers|pracowników|użytkowników|osób|сотрудников|пользователей|человек|çalışan|kullanıcı|kişi|员工|用户|人|"
    "社員|ユーザー|명|직원|사용자|موظف|موظفين|مستخدم|कर्मचारी|लोग|उपयोगकर्ता|พนักงาน|ผู้ใช้|คน",
    "return": "return|returns|refund|refunds|retoure|retouren|rückgaben|erstattungen|retours|remboursements|devoluciones|"
    "reembolsos|resi|rimborsi|devoluções|retouren|zwrotów|возвратов|iade|退货|退款|返品|반품|환불|مرتجعات",
    "store": "warehouse|warehouses|store|stores|lager|filialen|entrepôts|magasins|almacenes|tiendas|magazzini|negozi|"
    "armazéns|lojas|magazijnen|winkels|magazynów|sklepów|складов|магазинов|depo|mağaza|仓库|门店|倉庫|店舗|창고|매장",
    "supplier": "supplier|suppliers|vendor|vendors|lieferanten|fournisseurs|proveedores|fornitori|fornecedores|"
    "leveranciers|dostawców|поставщиков|tedarikçi|供应商|仕入先|공급업체|موردين",
}
THINGS: Final = {word: name for name, listed in _THINGS.items() for word in words(listed)}

# A number right after one of these is a name of the thing, not a count of it.
NUMBERED: Final = words("""
order|ticket|invoice|case|client|customer|account|item|product|sku|id|ids|no|nr|num|ref|reference|page|step|
section|chapter|room|version|release|line|row|level|tier|phase|option|example|figure|table|question|issue|
batch|lot|gate|flight|bus|route|highway|building|floor|suite|apartment|apt|port|error|code|status|rule|article|
week|day|quarter|q|part|volume|grade|class|group|model|lane|dock|aisle|shelf|bin|po|rma|pr|bug|appendix|track|python|java|windows|iphone|android|http|gpt|claude|llama|node|
bestellung|auftrag|rechnung|kunde|kundin|artikel|seite|schritt|kapitel|zimmer|zeile|nummer|fall|vorgang|bestellnummer|
auftragsnummer|rechnungsnummer|kundennummer|position|kw|raum|
commande|facture|étape|chapitre|chambre|ligne|numéro|référence|dossier|salle|
pedido|factura|página|paso|capítulo|habitación|línea|número|caso|orden|
ordine|fattura|pagina|passo|capitolo|camera|riga|numero|stanza|
fatura|etapa|linha|quarto|encomenda|
bestelling|factuur|stap|hoofdstuk|kamer|regel|bladzijde|
zamówienie|faktura|strona|krok|rozdział|pokój|numer|zgłoszenie|sprawa|
заказ|счет|счёт|страница|шаг|глава|номер|комната|строка|
sipariş numarası|fatura numarası|sayfa|adım|oda|numara|no'su|
订单号|编号|工单号|发票号|页码|单号|订单编号|客户编号|號|
注文番号|番号|ページ|部屋|請求書番号|
주문번호|번호|송장번호|
رقم|الطلب رقم|صفحة|
क्रमांक|संख्या क्रमांक|नंबर|पृष्ठ|
หมายเลข|เลขที่|หน้า|
""")
# Those of them whose number may come after a colon or a verb.
LABELS: Final = words(
    "id|ids|ref|reference|sku|code|order number|ticket number|invoice number|case number|customer number|"
    "account number|tracking number|reference number|serial number|phone|order no|order id|order nr|bestellnummer|"
    "auftragsnummer|rechnungsnummer|kundennummer|numéro de commande|número de pedido|numero d'ordine|numero ordine|"
    "número do pedido|bestelnummer|ordernummer|numer zamówienia|номер заказа|sipariş numarası|sipariş no|订单号|订单编号|编号|"
    "单号|注文番号|番号|주문번호|주문 번호|번호|رقم الطلب|ऑर्डर नंबर|ऑर्डर संख्या|หมายเลขคำสั่งซื้อ|เลขที่คำสั่งซื้อ"
)
NUMBER_WORD: Final = words("number|numbers")

ORDINAL_SUFFIXES: Final = words(
    "st|nd|rd|th|er|re|e|ème|eme|ième|ieme|ers|res|a|o|ª|º|te|ter|tes|ten|de|ste|inci|ıncı|uncu|üncü|nci|ncı|й|я|е|го|ый|ая|ое|му"
)
ORDINAL_BEFORE: Final = ("第", "ลำดับที่", "ครั้งที่", "อันดับที่")
ORDINAL_AFTER: Final = (
    "番目",
    "件目",
    "個目",
    "回目",
    "人目",
    "つ目",
    "번째",
    "位",
    "号",
    "號",
    "番",
    "호",
    "위",
    "वें",
    "वां",
    "वीं",
    "वाँ",
)
# Before `75.` they make it an ordinal.
ORDINAL_ARTICLES: Final = words(
    "der|die|das|dem|den|des|zur|zum|am|im|vom|beim|unser|unsere|ihre|ihr|jede|jeder|jedes"
)

CLOCK_WORDS: Final = words(
    "am|pm|a.m|p.m|uhr|o'clock|時|点|點|点钟|點鐘|시|horas|часов|часа|بجे|बजे|น|โมง"
)
STRICT_CLOCK_WORDS: Final = words("am|pm|a.m|p.m|uhr|o'clock|時|点|點|点钟|點鐘|시|बजे|โมง")

RANGE_JOINS: Final = words(
    "to|-|–|bis|à|a|al|até|tot|do|до|~|through|thru|から|到|至|에서|부터|ile|إلى|الى|से|ถึง|or|oder"
)
BETWEEN: Final = words(
    "between|zwischen|entre|tra|fra|tussen|między|pomiędzy|между|بين|के बीच|ระหว่าง|介于"
)
BETWEEN_JOINS: Final = words("and|und|et|y|e|en|i|oraz|и|ve|و|और|และ|和|と|과|와")
CHANGES: Final = words(
    "rose|risen|grew|grown|increased|increase|went|jumped|climbed|fell|fallen|dropped|decreased|declined|changed|moved|"
    "shrank|up|down|gestiegen|stieg|gesunken|sank|gewachsen|passé|passée|passées|passés|augmenté|baissé|subió|subieron|"
    "aumentó|aumentaron|bajó|pasó|pasaron|salito|saliti|aumentato|sceso|passati|subiu|subiram|aumentou|aumentaram|caiu|passou|gestegen|"
    "gedaald|wzrosła|wzrósł|wzrosło|spadła|spadło|выросло|вырос|увеличилось|снизилось|yükseldi|arttı|düştü|增加|上升|减少|下降|增|"
    "増加|増え|減少|減っ|증가|늘|감소|줄|ارتفع|انخفض|बढ़|घट|เพิ่ม|ลด"
)
MINUS_WORDS: Final = words(
    "minus|moins|menos|meno|min|минус|eksi|负|零下|マイナス|마이너스|سالب|माइनस|ลบ"
)

COUNTERS: Final = "个個件份笔筆单單位名台張张本枚つ通箇건개명大小รายการชิ้น"
"""Characters of counting words, between a number and its thing."""
