// Dutch. No native speaker has reviewed these texts.
import type { Texts } from './texts.js';

export const nl: Texts = {
  page: {
    serviceName: 'Schademelding',
    newTab: '(opent in een nieuw tabblad)',
    errorPrefix: 'Fout:',
    support: 'Ondersteuning',
    imprint: 'Juridische informatie',
    language: 'Taal',
  },
  help: {
    title: 'Hulp nodig?',
    text: 'We beantwoorden uw vragen graag.',
    phone: 'Telefoon',
    email: 'E-mail',
    web: 'Website',
  },
  steps: {
    policy: { short: 'Polis', title: 'Uw polis' },
    incident: { short: 'Schade', title: 'Wat er is gebeurd' },
    contact: { short: 'Contact', title: 'Hoe we u bereiken' },
    review: { short: 'Controle', title: 'Controleren en versturen' },
  },
  fields: {
    provider: { label: 'Verzekeraar', missing: 'Vul uw verzekeraar in' },
    policyNumber: { label: 'Polisnummer', missing: 'Vul uw polisnummer in' },
    validFrom: { label: 'Geldig vanaf', missing: 'Vul de eerste dag van uw dekking in' },
    validTo: { label: 'Geldig tot en met', missing: 'Vul de laatste dag van uw dekking in' },
    licensePlate: { label: 'Kenteken', missing: 'Vul uw kenteken in' },
    incidentDate: { label: 'Datum van de schade', missing: 'Vul de datum van de schade in' },
    description: { label: 'Beschrijving', missing: 'Beschrijf wat er is gebeurd' },
    incidentTime: { label: 'Tijd, ongeveer', missing: 'Vul de tijd van de schade ongeveer in' },
    place: { label: 'Plaats', missing: 'Vul de plaats van de schade in' },
    incidentType: { label: 'Soort schade', missing: 'Kies de soort schade' },
    injured: { label: 'Is er iemand gewond geraakt?', missing: 'Geef aan of er iemand gewond is geraakt' },
    policeReference: { label: 'Kenmerk van de politie', missing: 'Vul het kenmerk van de politie in' },
    otherLicensePlate: {
      label: 'Kenteken van het andere voertuig',
      missing: 'Vul het kenteken van het andere voertuig in',
    },
    otherInsurer: {
      label: 'Verzekeraar van het andere voertuig',
      missing: 'Vul de verzekeraar van het andere voertuig in',
    },
    firstName: { label: 'Voornaam', missing: 'Vul de voornaam in' },
    lastName: { label: 'Achternaam', missing: 'Vul de achternaam in' },
    phone: { label: 'Telefoon', missing: 'Vul het telefoonnummer in' },
    email: { label: 'E-mail', missing: 'Vul het e-mailadres in' },
    contacts: { label: 'Andere personen met wie we contact mogen opnemen', missing: 'Voeg een persoon toe' },
    notice: {
      label: 'Ik heb de privacyverklaring gelezen',
      missing: 'Bevestig dat u de privacyverklaring hebt gelezen',
    },
  },
  problems: {
    answer: '{label}: vul een antwoord in',
    contact: 'Vul een e-mailadres of een telefoonnummer in',
    time: '{label}: vul een tijd in, zoals 14:30',
    tooLong: '{label}: gebruik maximaal {max} tekens',
    date: '{label}: vul een bestaande datum in, met een jaar van vier cijfers, bijvoorbeeld 2026-12-31',
    email: '{label}: vul een adres in zoals naam@example.com',
    dateOrder: '{label}: kies een dag die niet vóór de eerste dag van uw dekking ligt',
    dateFuture: '{label}: kies een dag die niet na vandaag ligt',
    phoneDigits: '{label}: vul een nummer met minstens drie cijfers in',
    tooMany: '{label}: vul er maximaal {max} in',
    characters: '{label}: verwijder de onleesbare tekens',
    other: '{label}: controleer wat u hebt ingevuld',
    form: 'Er klopt iets niet in het formulier. Controleer uw antwoorden en verstuur ze opnieuw.',
  },
  check: {
    title: 'Bevestig dat deze link voor u is',
    lead: 'Voordat wij uw gegevens tonen, hebben wij één antwoord nodig. Zo blijven uw gegevens veilig als de link bij iemand anders terechtkomt.',
    phoneHint: 'De laatste zes cijfers zijn genoeg.',
    wrong: '{label}: dit komt niet overeen met onze gegevens. Resterende pogingen: {count}',
    again:
      'Beantwoord deze vraag nog een keer en verstuur uw melding daarna opnieuw. Wat u hebt ingevuld, staat hieronder.',
    send: 'Doorgaan',
    cookies:
      'Deze browser bewaart geen cookies van deze pagina, waardoor uw antwoord verloren gaat. Sta cookies toe voor deze pagina of open de link in een andere browser.',
  },
  decline: {
    summary: 'Dit is niet voor mij',
    question: 'Wat is de reden?',
    wrong_person: 'Ik ben deze persoon niet',
    nothing_to_report: 'Ik heb niets te melden',
    reported_already: 'Ik heb het al gemeld',
    other: 'Een andere reden',
    hint: 'Wij geven de reden door en sluiten de link. Wat u hier hebt ingevuld, wordt niet verstuurd.',
    send: 'Link sluiten',
  },
  form: {
    title: 'Schade melden',
    lead: 'Het duurt een paar minuten. We hebben alle antwoorden nodig waar geen ‘optioneel’ bij staat.',
    optional: '(optioneel)',
    progress: 'Voortgang',
    problemsTitle: 'Er is een probleem',
    coverPeriod: 'Verzekerde periode',
    incidentHint: 'Vertel ons wat u nu weet. De rest kan later volgen.',
    descriptionHint: 'Waar het was, wie erbij betrokken was, wat er beschadigd is. Maximaal {max} tekens.',
    policyHolder: 'Verzekeringnemer',
    contactsHint:
      'Bijvoorbeeld een andere bestuurder, of iemand die deze schade voor u afhandelt. Van elke persoon hebben we de voornaam, de achternaam en het e-mailadres nodig.',
    contactsHintEither:
      'Bijvoorbeeld een andere bestuurder, of iemand die deze schade voor u afhandelt. Van elke persoon hebben we de voornaam, de achternaam en een e-mailadres of telefoonnummer nodig.',
    yes: 'Ja',
    no: 'Nee',
    emergency: 'Is er iemand gewond? Bel dan eerst om hulp. Uw melding kan wachten.',
    call: 'Bel {phone}',
    addPerson: 'Persoon toevoegen',
    remove: 'Verwijderen',
    reviewText: 'Controleer of alles klopt. Na het versturen kunt u de melding hier niet meer wijzigen.',
    privacy: 'Hoe we uw gegevens gebruiken: {policy}',
    privacyPolicy: 'privacyverklaring',
    until: 'Deze link werkt tot {time}.',
    phone: 'Verdergaan op uw telefoon',
    phoneHint:
      'Scan de code met de camera van uw telefoon. Wat u hier hebt ingevuld, blijft op dit apparaat.',
    back: 'Vorige',
    next: 'Volgende: {step}',
    send: 'Melding versturen',
  },
  script: {
    person: 'Persoon {number}',
    removePerson: 'Persoon {number} verwijderen',
    personRemoved: 'Verwijderd: {person}',
    documentTitle: '{step} (stap {number} van {count})',
    stepOf: 'Stap {number} van {count}',
    change: 'Wijzigen',
    changeStep: 'Wijzigen: {step}',
    count: '{count} van {max} tekens',
    missing: 'Ontbreekt',
    notGiven: 'Niet ingevuld',
    sending: 'Versturen…',
    sendingClaim: 'Uw melding wordt verstuurd.',
    slow: 'Dit duurt langer dan normaal. Houd deze pagina open.',
    sendAgain: 'Opnieuw versturen',
    notSent: 'Uw melding is niet verstuurd.',
    unknown: 'We weten niet of uw melding is aangekomen.',
    offline: 'U lijkt offline te zijn.',
    tooLarge: 'De tekst is langer dan we kunnen verwerken. Maak de beschrijving korter.',
    tooMany: 'We krijgen te veel aanvragen. Probeer het {time} opnieuw.',
    rejected: 'Er ging bij ons iets mis.',
    nothingLost:
      'Wat u hebt ingevuld, is niet verloren. Probeer het opnieuw: een melding wordt nooit dubbel verwerkt.',
    copied: 'Gekopieerd',
    deleted: 'De tekst is verwijderd.',
    continueTo: 'Verder naar {host}',
    takenTo: 'U gaat terug naar {host}.',
    stayed: 'U blijft op deze pagina. Ga verder wanneer u wilt.',
    redirecting: 'Gebeurt er niets? Gebruik dan de knop om verder te gaan.',
    warnings: {
      outsideCover: 'Deze dag valt buiten uw verzekerde periode. Als de datum klopt, kunt u verdergaan.',
      emailDomain:
        'Dit adres is misschien niet volledig: er staat geen punt na de @. Als het klopt, kunt u verdergaan.',
    },
  },
  success: {
    title: 'Uw melding is verstuurd',
    thanks: 'Bedankt. We hebben voorlopig wat we nodig hebben en nemen contact met u op.',
    reference: 'Uw referentienummer',
    sentOn: 'Verzonden op',
    note: 'Bewaar het goed: u hebt het nodig als u ons iets vraagt over deze schade.',
    copy: 'Kopiëren',
    print: 'Afdrukken',
    answers: 'Wat u hebt verstuurd',
    continue: 'Verder',
    takenBack: 'U gaat terug naar de app waar u vandaan kwam.',
    secondsLeft: 'Resterende seconden:',
    stay: 'Op deze pagina blijven',
  },
  changed: {
    title: 'Uw wijzigingen zijn niet verwerkt',
    happened:
      'Met deze link is al een melding verstuurd op {time}. Wat u nu hebt ingevuld, wijkt daarvan af en is niet verwerkt.',
    advice:
      'Kopieer de tekst hieronder en laat ons weten wat er is veranderd. Ons telefoonnummer en e-mailadres staan op deze pagina.',
  },
  entered: {
    title: 'Wat u hebt ingevuld',
    note: 'Deze tekst staat nog in dit tabblad. De tekst kan afwijken van wat er is verstuurd.',
    copy: 'Tekst kopiëren',
    delete: 'Tekst verwijderen',
  },
  unavailable: {
    link_not_found: {
      title: 'Deze link werkt niet',
      happened:
        'Er is geen schadeformulier op dit adres. Misschien is bij het kopiëren een deel van de link weggevallen.',
      advice:
        'Open de hele link opnieuw vanuit het bericht of de app waarin u hem kreeg. Helpt dat niet, vraag dan een nieuwe aan.',
    },
    link_expired: {
      title: 'Deze link is verlopen',
      happened:
        'Om uw gegevens te beschermen werkt een link maar een beperkte tijd. Deze is niet meer geldig.',
      advice: 'Vraag een nieuwe link aan op de plek waar u deze hebt gekregen.',
    },
    link_revoked: {
      title: 'Deze link is ingetrokken',
      happened: 'De link is geannuleerd en opent geen schadeformulier meer.',
      advice: 'Vraag een nieuwe link aan op de plek waar u deze hebt gekregen.',
    },
    link_submitted: {
      title: 'Deze melding is al verstuurd',
      happened: 'We hebben de melding ontvangen die met deze link is gedaan.',
      advice: 'U hoeft niets meer te doen. Wilt u nog een schade melden, vraag dan een nieuwe link aan.',
    },
    link_locked: {
      title: 'Deze link is geblokkeerd',
      happened:
        'De vraag is te vaak verkeerd beantwoord. Om uw gegevens te beschermen, opent deze link geen formulier meer.',
      advice:
        'Vraag uw verzekeraar om een nieuwe link of om deze te deblokkeren. Onze contactgegevens staan op deze pagina.',
    },
    declined: {
      title: 'Bedankt voor uw bericht',
      happened: 'Er is geen melding verstuurd en deze link is nu gesloten.',
      advice:
        'Wilt u toch een schade melden, vraag dan een nieuwe link aan op de plek waar u deze hebt gekregen.',
    },
    renewal: {
      title: 'U hebt een nieuwe link aangevraagd',
      happened: 'We hebben uw verzoek doorgegeven. Deze link is niet meer geldig.',
      advice: 'Hoort u niets, neem dan contact met ons op. Onze contactgegevens staan op deze pagina.',
    },
    internal: {
      title: 'Er ging bij ons iets mis',
      happened: 'Dat lukte nu even niet. Het ligt niet aan u.',
      advice:
        'Probeer het zo meteen opnieuw. Had u het formulier al ingevuld, ga dan eerst terug in uw browser: wat u hebt ingevuld, hoort er nog te staan.',
    },
    body_too_large: {
      title: 'Dat was te veel tekst',
      happened: 'Uw melding is niet verstuurd, omdat het formulier langer is dan we kunnen verwerken.',
      advice: 'Ga terug in uw browser, maak de beschrijving korter en verstuur de melding opnieuw.',
    },
    too_many_requests: {
      title: 'Een ogenblik geduld',
      happened: 'We krijgen meer aanvragen dan we kunnen beantwoorden.',
      advice:
        'Probeer het {time} opnieuw. Had u het formulier al ingevuld, ga dan eerst terug in uw browser: wat u hebt ingevuld, hoort er nog te staan.',
    },
    other: {
      title: 'Deze pagina kan niet worden getoond',
      happened: 'We konden de aanvraag niet verwerken zoals die is verstuurd.',
      advice: 'Open de link opnieuw vanuit het bericht of de app waarin u hem kreeg.',
    },
    renew: 'Nieuwe link aanvragen',
    retry: 'Opnieuw proberen',
    reference: 'Referentie voor de helpdesk:',
  },
};
