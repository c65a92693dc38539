// Danish. No native speaker has reviewed these texts.
import type { Texts } from './texts.js';

export const da: Texts = {
  page: {
    serviceName: 'Skadeanmeldelse',
    newTab: '(åbner i en ny fane)',
    errorPrefix: 'Fejl:',
    support: 'Hjælp og kontakt',
    imprint: 'Juridisk information',
    language: 'Sprog',
  },
  help: {
    title: 'Har du brug for hjælp?',
    text: 'Vi svarer gerne på dine spørgsmål.',
    phone: 'Telefon',
    email: 'E-mail',
    web: 'Hjemmeside',
  },
  steps: {
    policy: { short: 'Forsikring', title: 'Din forsikring' },
    incident: { short: 'Skade', title: 'Hvad der skete' },
    contact: { short: 'Kontakt', title: 'Sådan kontakter vi dig' },
    review: { short: 'Tjek', title: 'Tjek og send' },
  },
  fields: {
    provider: { label: 'Forsikringsselskab', missing: 'Angiv dit forsikringsselskab' },
    policyNumber: { label: 'Policenummer', missing: 'Angiv dit policenummer' },
    validFrom: { label: 'Gælder fra og med', missing: 'Angiv den første dag, forsikringen dækker' },
    validTo: { label: 'Gælder til og med', missing: 'Angiv den sidste dag, forsikringen dækker' },
    licensePlate: { label: 'Registreringsnummer', missing: 'Angiv dit registreringsnummer' },
    incidentDate: { label: 'Dato for skaden', missing: 'Angiv datoen for skaden' },
    description: { label: 'Beskrivelse', missing: 'Beskriv, hvad der skete' },
    incidentTime: { label: 'Klokkeslæt, cirka', missing: 'Angiv cirka, hvornår skaden skete' },
    place: { label: 'Sted', missing: 'Angiv stedet for skaden' },
    incidentType: { label: 'Skadetype', missing: 'Vælg skadetypen' },
    injured: { label: 'Kom nogen til skade?', missing: 'Angiv, om nogen kom til skade' },
    policeReference: { label: 'Politiets sagsnummer', missing: 'Angiv politiets sagsnummer' },
    otherLicensePlate: {
      label: 'Det andet køretøjs registreringsnummer',
      missing: 'Angiv det andet køretøjs registreringsnummer',
    },
    otherInsurer: {
      label: 'Det andet køretøjs forsikringsselskab',
      missing: 'Angiv det andet køretøjs forsikringsselskab',
    },
    firstName: { label: 'Fornavn', missing: 'Angiv fornavnet' },
    lastName: { label: 'Efternavn', missing: 'Angiv efternavnet' },
    phone: { label: 'Telefon', missing: 'Angiv telefonnummeret' },
    email: { label: 'E-mail', missing: 'Angiv e-mailadressen' },
    contacts: { label: 'Andre personer, vi må kontakte', missing: 'Tilføj en person' },
    notice: {
      label: 'Jeg har læst privatlivspolitikken',
      missing: 'Bekræft, at du har læst privatlivspolitikken',
    },
  },
  problems: {
    answer: '{label}: angiv et svar',
    contact: 'Angiv en e-mailadresse eller et telefonnummer',
    time: '{label}: angiv et klokkeslæt, for eksempel 14:30',
    tooLong: '{label}: brug højst {max} tegn',
    date: '{label}: angiv en dato, der findes, med år, måned og dag, for eksempel 2026-12-31',
    email: '{label}: angiv en adresse som navn@example.com',
    dateOrder: '{label}: vælg en dag, der ikke ligger før den første dag, forsikringen dækker',
    dateFuture: '{label}: vælg en dag, der ikke ligger efter i dag',
    phoneDigits: '{label}: angiv et nummer med mindst tre cifre',
    tooMany: '{label}: angiv højst {max}',
    characters: '{label}: fjern de tegn, der ikke kan læses',
    other: '{label}: tjek det, du har angivet',
    form: 'Noget i formularen er ikke rigtigt. Tjek dine svar, og send dem igen.',
  },
  check: {
    title: 'Bekræft venligst, at linket er til dig',
    lead: 'Før vi viser dine oplysninger, har vi brug for ét svar. Det beskytter dine oplysninger, hvis linket når frem til en anden.',
    phoneHint: 'De sidste seks cifre er nok.',
    wrong: '{label}: det passer ikke med vores oplysninger. Forsøg tilbage: {count}',
    again:
      'Besvar spørgsmålet igen, og send derefter din anmeldelse endnu en gang. Det, du har skrevet, står nedenfor.',
    send: 'Fortsæt',
  },
  form: {
    title: 'Anmeld en skade',
    lead: 'Det tager et par minutter. Vi skal bruge alle svar, der ikke er markeret som valgfrie.',
    optional: '(valgfrit)',
    progress: 'Fremdrift',
    problemsTitle: 'Der er et problem',
    coverPeriod: 'Forsikringsperiode',
    incidentHint: 'Fortæl os, hvad du ved nu. Resten kan komme senere.',
    descriptionHint: 'Hvor det skete, hvem der var involveret, hvad der blev beskadiget. Højst 4000 tegn.',
    policyHolder: 'Forsikringstager',
    contactsHint:
      'For eksempel en anden fører eller en person, der tager sig af skaden for dig. For hver person skal vi bruge fornavn, efternavn og e-mailadresse.',
    contactsHintEither:
      'For eksempel en anden fører eller en person, der tager sig af skaden for dig. For hver person skal vi bruge fornavn, efternavn og en e-mailadresse eller et telefonnummer.',
    yes: 'Ja',
    no: 'Nej',
    addPerson: 'Tilføj person',
    remove: 'Fjern',
    reviewText: 'Tjek, at alt er rigtigt. Når anmeldelsen er sendt, kan den ikke ændres her.',
    privacy: 'Sådan bruger vi dine oplysninger: {policy}',
    privacyPolicy: 'privatlivspolitik',
    until: 'Dette link virker til den {time}.',
    phone: 'Fortsæt på din telefon',
    phoneHint: 'Scan koden med telefonens kamera. Det, du har indtastet her, bliver på denne enhed.',
    back: 'Tilbage',
    next: 'Næste: {step}',
    send: 'Send anmeldelse',
  },
  script: {
    person: 'Person {number}',
    removePerson: 'Fjern person {number}',
    personRemoved: 'Fjernet: {person}',
    documentTitle: '{step} (trin {number} af {count})',
    stepOf: 'Trin {number} af {count}',
    change: 'Ret',
    changeStep: 'Ret: {step}',
    missing: 'Mangler',
    notGiven: 'Ikke angivet',
    sending: 'Sender…',
    sendingClaim: 'Din anmeldelse bliver sendt.',
    slow: 'Det tager længere tid end normalt. Lad denne side være åben.',
    sendAgain: 'Send igen',
    notSent: 'Din anmeldelse blev ikke sendt.',
    unknown: 'Vi ved ikke, om din anmeldelse er nået frem.',
    offline: 'Du ser ud til at være offline.',
    tooLarge: 'Teksten er længere, end vi kan modtage. Gør beskrivelsen kortere.',
    tooMany: 'Vi får for mange forespørgsler. Prøv igen {time}.',
    rejected: 'Noget gik galt hos os.',
    nothingLost:
      'Intet af det, du har skrevet, er gået tabt. Prøv igen: en anmeldelse bliver aldrig registreret to gange.',
    copied: 'Kopieret',
    deleted: 'Teksten er slettet.',
    continueTo: 'Fortsæt til {host}',
    takenTo: 'Du bliver sendt tilbage til {host}.',
    stayed: 'Du bliver på denne side. Fortsæt, når du er klar.',
    redirecting: 'Hvis der ikke sker noget, kan du bruge knappen til at fortsætte.',
    warnings: {
      outsideCover:
        'Denne dag ligger uden for din forsikringsperiode. Hvis datoen er rigtig, kan du fortsætte.',
      emailDomain:
        'Adressen er måske ikke fuldstændig: der mangler et punktum efter @. Hvis den er rigtig, kan du fortsætte.',
    },
  },
  success: {
    title: 'Din anmeldelse er sendt',
    thanks: 'Tak. Vi har det, vi har brug for lige nu, og vender tilbage til dig.',
    reference: 'Dit referencenummer',
    sentOn: 'Sendt',
    note: 'Gem det: du skal bruge det, når du spørger os om denne skade.',
    copy: 'Kopiér',
    print: 'Udskriv',
    answers: 'Det har du sendt',
    continue: 'Fortsæt',
    takenBack: 'Du bliver sendt tilbage til den app, du kom fra.',
    secondsLeft: 'Sekunder tilbage:',
    stay: 'Bliv på denne side',
  },
  changed: {
    title: 'Dine ændringer er ikke registreret',
    happened:
      'Der blev allerede sendt en anmeldelse med dette link den {time}. Det, du har angivet nu, er anderledes og er ikke registreret.',
    advice:
      'Kopiér teksten nedenfor, og fortæl os, hvad der er ændret. Vores telefonnummer og e-mailadresse står på denne side.',
  },
  entered: {
    title: 'Det har du angivet',
    note: 'Denne tekst ligger stadig i denne fane. Den kan være anderledes end det, der blev sendt.',
    copy: 'Kopiér teksten',
    delete: 'Slet teksten',
  },
  unavailable: {
    link_not_found: {
      title: 'Dette link virker ikke',
      happened:
        'Der er ingen skadeformular på denne adresse. Måske gik en del af linket tabt, da det blev kopieret.',
      advice:
        'Åbn hele linket igen fra den besked eller app, du fik det fra. Hvis det ikke hjælper, så bed om et nyt.',
    },
    link_expired: {
      title: 'Dette link er udløbet',
      happened:
        'For at beskytte dine oplysninger virker et link kun i en begrænset periode. Dette gælder ikke længere.',
      advice: 'Bed om et nyt link dér, hvor du fik dette.',
    },
    link_revoked: {
      title: 'Dette link er trukket tilbage',
      happened: 'Linket er blevet annulleret og åbner ikke længere en skadeformular.',
      advice: 'Bed om et nyt link dér, hvor du fik dette.',
    },
    link_submitted: {
      title: 'Denne anmeldelse er allerede sendt',
      happened: 'Vi har modtaget den anmeldelse, der blev lavet med dette link.',
      advice: 'Du skal ikke gøre mere. Hvis du vil anmelde en anden skade, så bed om et nyt link.',
    },
    link_locked: {
      title: 'Linket er låst',
      happened:
        'Spørgsmålet er besvaret forkert for mange gange. For at beskytte dine oplysninger åbner linket ikke længere en formular.',
      advice:
        'Bed dit forsikringsselskab om et nyt link eller om at låse dette op. Vores kontaktoplysninger står på denne side.',
    },
    internal: {
      title: 'Noget gik galt hos os',
      happened: 'Det kunne vi ikke lige nu. Det er ikke din skyld.',
      advice:
        'Prøv igen om lidt. Hvis du allerede havde udfyldt formularen, så gå først tilbage i din browser: det, du skrev, bør stadig være der.',
    },
    body_too_large: {
      title: 'Det var for meget tekst',
      happened: 'Din anmeldelse blev ikke sendt, fordi formularen er længere, end vi kan modtage.',
      advice: 'Gå tilbage i din browser, gør beskrivelsen kortere, og send anmeldelsen igen.',
    },
    too_many_requests: {
      title: 'Vent et øjeblik',
      happened: 'Vi får flere forespørgsler, end vi kan besvare.',
      advice:
        'Prøv igen {time}. Hvis du allerede havde udfyldt formularen, så gå først tilbage i din browser: det, du skrev, bør stadig være der.',
    },
    other: {
      title: 'Denne side kan ikke vises',
      happened: 'Vi kunne ikke behandle anmodningen, som den blev sendt.',
      advice: 'Åbn linket igen fra den besked eller app, du fik det fra.',
    },
    retry: 'Prøv igen',
    reference: 'Reference til support:',
  },
};
