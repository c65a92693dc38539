// Swedish. No native speaker has reviewed these texts.
import type { Texts } from './texts.js';

export const sv: Texts = {
  page: {
    serviceName: 'Skadeanmälan',
    newTab: '(öppnas i en ny flik)',
    errorPrefix: 'Fel:',
    support: 'Hjälp och kontakt',
    imprint: 'Juridisk information',
  },
  help: {
    title: 'Behöver du hjälp?',
    text: 'Vi svarar gärna på dina frågor.',
    phone: 'Telefon',
    email: 'E-post',
    web: 'Webb',
  },
  steps: {
    policy: { short: 'Försäkring', title: 'Din försäkring' },
    incident: { short: 'Händelse', title: 'Vad som hände' },
    contact: { short: 'Kontakt', title: 'Hur vi når dig' },
    review: { short: 'Granska', title: 'Granska och skicka' },
  },
  fields: {
    provider: { label: 'Försäkringsbolag', missing: 'Ange ditt försäkringsbolag' },
    policyNumber: { label: 'Försäkringsnummer', missing: 'Ange ditt försäkringsnummer' },
    validFrom: { label: 'Gäller från och med', missing: 'Ange den första dagen som försäkringen gäller' },
    validTo: { label: 'Gäller till och med', missing: 'Ange den sista dagen som försäkringen gäller' },
    licensePlate: { label: 'Registreringsnummer', missing: 'Ange ditt registreringsnummer' },
    incidentDate: { label: 'Datum för händelsen', missing: 'Ange datum för händelsen' },
    description: { label: 'Beskrivning', missing: 'Beskriv vad som hände' },
    incidentTime: { label: 'Tid, ungefär', missing: 'Ange ungefär när händelsen inträffade' },
    place: { label: 'Plats', missing: 'Ange platsen för händelsen' },
    incidentType: { label: 'Typ av händelse', missing: 'Välj typ av händelse' },
    injured: { label: 'Skadades någon?', missing: 'Ange om någon skadades' },
    policeReference: { label: 'Polisens ärendenummer', missing: 'Ange polisens ärendenummer' },
    otherLicensePlate: {
      label: 'Det andra fordonets registreringsnummer',
      missing: 'Ange det andra fordonets registreringsnummer',
    },
    otherInsurer: {
      label: 'Det andra fordonets försäkringsbolag',
      missing: 'Ange det andra fordonets försäkringsbolag',
    },
    firstName: { label: 'Förnamn', missing: 'Ange förnamn' },
    lastName: { label: 'Efternamn', missing: 'Ange efternamn' },
    phone: { label: 'Telefon', missing: 'Ange telefonnummer' },
    email: { label: 'E-post', missing: 'Ange e-postadress' },
    contacts: { label: 'Andra personer som vi får kontakta', missing: 'Lägg till en person' },
    notice: {
      label: 'Jag har läst integritetspolicyn',
      missing: 'Bekräfta att du har läst integritetspolicyn',
    },
  },
  problems: {
    answer: '{label}: ange ett svar',
    contact: 'Ange en e-postadress eller ett telefonnummer',
    time: '{label}: ange en tid, till exempel 14:30',
    tooLong: '{label}: använd högst {max} tecken',
    date: '{label}: ange ett datum som finns, med år, månad och dag, till exempel 2026-12-31',
    email: '{label}: ange en adress som namn@example.com',
    dateOrder: '{label}: välj en dag som inte är före den första dagen som försäkringen gäller',
    dateFuture: '{label}: välj en dag som inte är efter i dag',
    phoneDigits: '{label}: ange ett nummer med minst tre siffror',
    tooMany: '{label}: ange högst {max}',
    characters: '{label}: ta bort de tecken som inte går att läsa',
    other: '{label}: kontrollera det du har angett',
    form: 'Något i formuläret stämmer inte. Kontrollera dina svar och skicka dem igen.',
  },
  check: {
    title: 'Bekräfta att länken är till dig',
    lead: 'Innan vi visar dina uppgifter behöver vi ett svar. Det skyddar dina uppgifter om länken hamnar hos någon annan.',
    phoneHint: 'De sista sex siffrorna räcker.',
    wrong: '{label}: det stämmer inte med våra uppgifter. Försök kvar: {count}',
    again: 'Svara på frågan igen och skicka sedan din anmälan en gång till. Det du skrev finns nedan.',
    send: 'Fortsätt',
  },
  form: {
    title: 'Anmäl en skada',
    lead: 'Det tar några minuter. Vi behöver alla svar som inte är markerade som valfria.',
    optional: '(valfritt)',
    progress: 'Förlopp',
    problemsTitle: 'Något stämmer inte',
    coverPeriod: 'Försäkringsperiod',
    incidentHint: 'Berätta det du vet nu. Resten kan komma senare.',
    descriptionHint: 'Var det var, vilka som var inblandade, vad som skadades. Högst 4000 tecken.',
    policyHolder: 'Försäkringstagare',
    contactsHint:
      'Till exempel en annan förare eller någon som sköter det här skadeärendet åt dig. För varje person behöver vi förnamn, efternamn och e-postadress.',
    contactsHintEither:
      'Till exempel en annan förare eller någon som sköter det här skadeärendet åt dig. För varje person behöver vi förnamn, efternamn och en e-postadress eller ett telefonnummer.',
    yes: 'Ja',
    no: 'Nej',
    addPerson: 'Lägg till person',
    remove: 'Ta bort',
    reviewText: 'Kontrollera att allt stämmer. När anmälan är skickad går den inte att ändra här.',
    privacy: 'Så använder vi dina uppgifter: {policy}',
    privacyPolicy: 'integritetspolicy',
    until: 'Den här länken fungerar till den {time}.',
    back: 'Tillbaka',
    next: 'Nästa: {step}',
    send: 'Skicka anmälan',
  },
  script: {
    person: 'Person {number}',
    removePerson: 'Ta bort person {number}',
    personRemoved: 'Borttagen: {person}',
    documentTitle: '{step} (steg {number} av {count})',
    stepOf: 'Steg {number} av {count}',
    change: 'Ändra',
    changeStep: 'Ändra: {step}',
    missing: 'Saknas',
    notGiven: 'Inte angivet',
    sending: 'Skickar…',
    sendingClaim: 'Din anmälan skickas.',
    slow: 'Det tar längre tid än vanligt. Låt den här sidan vara öppen.',
    sendAgain: 'Skicka igen',
    notSent: 'Din anmälan skickades inte.',
    unknown: 'Vi vet inte om din anmälan har kommit fram.',
    offline: 'Du verkar inte vara uppkopplad.',
    tooLarge: 'Texten är längre än vi kan ta emot. Korta ner beskrivningen.',
    tooMany: 'Vi får för många förfrågningar. Försök igen {time}.',
    rejected: 'Något gick fel hos oss.',
    nothingLost:
      'Inget av det du skrev har försvunnit. Försök igen: en anmälan registreras aldrig två gånger.',
    copied: 'Kopierat',
    deleted: 'Texten har tagits bort.',
    continueTo: 'Fortsätt till {host}',
    takenTo: 'Du skickas tillbaka till {host}.',
    stayed: 'Du stannar på den här sidan. Fortsätt när du är klar.',
    redirecting: 'Om inget händer kan du använda knappen för att fortsätta.',
    warnings: {
      outsideCover:
        'Den här dagen ligger utanför din försäkringsperiod. Om datumet stämmer kan du fortsätta.',
      emailDomain:
        'Adressen kan vara ofullständig: det saknas en punkt efter @. Om den stämmer kan du fortsätta.',
    },
  },
  success: {
    title: 'Din anmälan har skickats',
    thanks: 'Tack. Vi har det vi behöver för tillfället och hör av oss.',
    reference: 'Ditt referensnummer',
    sentOn: 'Skickad',
    note: 'Spara det: du behöver det när du frågar oss om den här skadan.',
    copy: 'Kopiera',
    print: 'Skriv ut',
    answers: 'Det här skickade du',
    continue: 'Fortsätt',
    takenBack: 'Du skickas tillbaka till appen som du kom från.',
    secondsLeft: 'Sekunder kvar:',
    stay: 'Stanna på den här sidan',
  },
  changed: {
    title: 'Dina ändringar har inte registrerats',
    happened:
      'En anmälan skickades redan med den här länken den {time}. Det du angav nu skiljer sig från den och har inte registrerats.',
    advice:
      'Kopiera texten nedan och berätta för oss vad som har ändrats. Vårt telefonnummer och vår e-postadress finns på den här sidan.',
  },
  entered: {
    title: 'Det här angav du',
    note: 'Den här texten finns kvar i den här fliken. Den kan skilja sig från det som skickades.',
    copy: 'Kopiera texten',
    delete: 'Ta bort texten',
  },
  unavailable: {
    link_not_found: {
      title: 'Den här länken fungerar inte',
      happened:
        'Det finns inget formulär för skadeanmälan på den här adressen. Kanske försvann en del av länken när den kopierades.',
      advice:
        'Öppna hela länken en gång till från meddelandet eller appen där du fick den. Be om en ny om det inte hjälper.',
    },
    link_expired: {
      title: 'Den här länken har gått ut',
      happened:
        'För att skydda dina uppgifter fungerar en länk bara under en begränsad tid. Den här gäller inte längre.',
      advice: 'Be om en ny länk där du fick den här.',
    },
    link_revoked: {
      title: 'Den här länken har dragits tillbaka',
      happened: 'Länken har spärrats och öppnar inte längre något formulär för skadeanmälan.',
      advice: 'Be om en ny länk där du fick den här.',
    },
    link_submitted: {
      title: 'Den här anmälan har redan skickats',
      happened: 'Vi har fått den anmälan som gjordes med den här länken.',
      advice: 'Du behöver inte göra något mer. Be om en ny länk om du vill anmäla en annan skada.',
    },
    link_locked: {
      title: 'Länken är låst',
      happened:
        'Frågan har besvarats fel för många gånger. För att skydda dina uppgifter öppnar länken inte längre något formulär.',
      advice:
        'Be ditt försäkringsbolag om en ny länk eller att låsa upp den här. Våra kontaktuppgifter finns på den här sidan.',
    },
    internal: {
      title: 'Något gick fel hos oss',
      happened: 'Vi kunde inte göra det just nu. Det är inte ditt fel.',
      advice:
        'Försök igen om en stund. Om du redan hade fyllt i formuläret, gå först tillbaka i webbläsaren: det du skrev bör finnas kvar.',
    },
    body_too_large: {
      title: 'Det var för mycket text',
      happened: 'Din anmälan skickades inte, eftersom formuläret är längre än vi kan ta emot.',
      advice: 'Gå tillbaka i webbläsaren, korta ner beskrivningen och skicka anmälan igen.',
    },
    too_many_requests: {
      title: 'Vänta en stund',
      happened: 'Vi får fler förfrågningar än vi kan besvara.',
      advice:
        'Försök igen {time}. Om du redan hade fyllt i formuläret, gå först tillbaka i webbläsaren: det du skrev bör finnas kvar.',
    },
    other: {
      title: 'Den här sidan kan inte visas',
      happened: 'Vi kunde inte hantera begäran så som den skickades.',
      advice: 'Öppna länken en gång till från meddelandet eller appen där du fick den.',
    },
    retry: 'Försök igen',
    reference: 'Referens till supporten:',
  },
};
