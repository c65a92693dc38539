// Names, insurers and numbers of seeded data by country. The numbers belong to no person.

/**
 * The data of one country. In patterns `#` is a digit, `%` a digit from 1 to 9, `?` a capital letter.
 * Phone numbers are from ranges that the country's regulator reserves for fiction.
 */
export interface Country {
  firstNames: readonly string[];
  lastNames: readonly string[];
  /** Fictional insurers, each with the pattern of its policy numbers. */
  insurers: readonly { name: string; policyNumber: string }[];
  phones: readonly string[];
  licensePlates: readonly string[];
}

/** The parts of a text, which commas separate. */
const list = (text: string): readonly string[] => text.split(', ');

/**
 * Each client has one of these countries: the United Kingdom, Germany, France, Sweden, Ireland. The order is part of the seed:
 * append, don't sort.
 */
export const COUNTRIES: readonly Country[] = [
  {
    firstNames: list('Siân, Oluwaseun, Harriet, Callum, Priya, Zoë, Gethin, Bartholomew, Anna-Maria'),
    lastNames: list(
      "O'Rahilly, Featherington-Ashcombe, Adébáyọ̀, Thistlewood, Patel, Llywelyn, Wu, St. Clement, Cholmondeley-Winterbourne-Hargreaves",
    ),
    insurers: [
      { name: 'Thornbury Mutual', policyNumber: 'TM########' },
      { name: 'Larkspur & Vale Insurance', policyNumber: 'LV-???-#####' },
      { name: 'Pennywhistle Motor', policyNumber: '%###-####-####' },
      { name: 'Severn Lantern Assurance', policyNumber: 'SLA/%#####' },
    ],
    phones: list('+44 7700 900###, +44 20 7946 0###, +44 113 496 0###, +44 161 496 0###, +44 29 2018 0###'),
    licensePlates: list('??%# ???, ?? 2# ???, ?%## ???'),
  },
  {
    firstNames: list('Jürgen, Zoë, Annegret, Björn, Käthe, Lukas, Mia, Emre, Maximiliane-Henriette'),
    lastNames: list(
      'Groß, Möller, Öztürk, Hallstein, Weißenborn, Krähwinkel, Tannhuber, Nguyen, von der Hohenwarth-Lindenthal zu Oberstetten',
    ),
    insurers: [
      { name: 'Lindenquell Versicherung AG', policyNumber: 'LQ-####-######' },
      { name: 'Hafenstern Versicherungsverein a. G.', policyNumber: '%#.######.#' },
      { name: 'Silberpfad Direkt', policyNumber: 'KFZ%#########' },
      { name: 'Märkische Feldbogen', policyNumber: 'MF/####/#####-?' },
    ],
    phones: list('+49 30 23125 ###, +49 40 66969 ###, +49 69 90009 ###, +49 89 99998 ###'),
    licensePlates: list('B-?? %###, M-?? %##, HH-?? %###, K-? %###, LÖ-?? %##, DD-?? %###'),
  },
  {
    firstNames: list('Éloïse, Gaël, Maëlys, Hyacinthe, Noémie, Théo, Aïcha, Jean-Barthélemy, Inès'),
    lastNames: list(
      "Lefèvre-Beaurepaire, d'Aubépine, Châtelmont, Benyahia, Garçonnet, Le Goff, Thévenaud, Rœderic, de la Villardière-Montcourtois",
    ),
    insurers: [
      { name: 'Mutuelle du Chêne Vert', policyNumber: 'MCV%########' },
      { name: 'Assurances Clairvallon', policyNumber: '%## ### ###' },
      { name: 'La Brise Prévoyance', policyNumber: 'BP-##-??-#####' },
    ],
    phones: list('+33 1 99 00 ## ##, +33 2 61 91 ## ##, +33 3 53 01 ## ##, +33 6 39 98 ## ##'),
    licensePlates: list('??-%##-??, ??-###-??'),
  },
  {
    firstNames: list('Åsa, Björn, Märta, Östen, Linnéa, Yusuf, Ingegärd, Kajsa, Carl-Johan'),
    lastNames: list(
      'Ångquist, Sjöhammar, Björkvall, Östlundh, Hägglöv, Al-Najjar, Lindstråle, Ek, Gyllenstierna af Fågelåkra',
    ),
    insurers: [
      { name: 'Norrsken Försäkring', policyNumber: 'NF %######-#' },
      { name: 'Björkö Ömsesidiga', policyNumber: '%###-######' },
      { name: 'Tallkotten Sakförsäkring', policyNumber: 'TK??######' },
    ],
    phones: list('+46 8 465 004 ##, +46 31 390 06 ##, +46 40 628 04 ##, +46 70 174 06 ##'),
    licensePlates: list('??? ###, ??? ##?'),
  },
  {
    firstNames: list('Síofra, Pádraig, Niamh, Oisín, Caoimhe, Tomasz, Sadhbh, Fionnbharr, Mary-Kate'),
    lastNames: list(
      "Ó Súilleabháin-O'Hanrahan, Ní Dhuibhir, Kilbrannagh, Mac Giolla Phádraig, Kowalczyk, O'Tuohy, Ryan, Carrowmore, Fitzmaurice-Ballinacurragh",
    ),
    insurers: [
      { name: 'Shamrock Hill General', policyNumber: 'SHG-########' },
      { name: 'Liffey Lantern Insurance DAC', policyNumber: 'LL%######?' },
      { name: 'Inishglas Mutual', policyNumber: '%##/####/##' },
    ],
    phones: list('+353 20 91# ####'),
    licensePlates: list('231-D-%####, 191-C-%###, 242-G-%###, 12-KK-%###, 161-L-%###'),
  },
];
