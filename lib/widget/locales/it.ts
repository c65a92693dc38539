// Italian. No native speaker has reviewed these texts.
import type { Texts } from './texts.js';

export const it: Texts = {
  page: {
    serviceName: 'Denuncia sinistri',
    newTab: '(si apre in una nuova scheda)',
    errorPrefix: 'Errore:',
    support: 'Assistenza',
    imprint: 'Note legali',
    language: 'Lingua',
  },
  help: {
    title: 'Serve aiuto?',
    text: 'Siamo lieti di rispondere alle sue domande.',
    phone: 'Telefono',
    email: 'E-mail',
    web: 'Sito web',
  },
  steps: {
    policy: { short: 'Polizza', title: 'La sua polizza' },
    incident: { short: 'Sinistro', title: 'Che cosa è successo' },
    contact: { short: 'Contatti', title: 'Come possiamo contattarla' },
    review: { short: 'Verifica', title: 'Verificare e inviare' },
  },
  fields: {
    provider: { label: 'Compagnia assicurativa', missing: 'Inserire la compagnia assicurativa' },
    policyNumber: { label: 'Numero di polizza', missing: 'Inserire il numero di polizza' },
    validFrom: { label: 'Valida dal', missing: 'Inserire il primo giorno di copertura' },
    validTo: { label: 'Valida fino al', missing: 'Inserire l’ultimo giorno di copertura' },
    licensePlate: { label: 'Targa', missing: 'Inserire la targa' },
    incidentDate: { label: 'Data del sinistro', missing: 'Inserire la data del sinistro' },
    description: { label: 'Descrizione', missing: 'Descrivere che cosa è successo' },
    incidentTime: { label: 'Ora, circa', missing: 'Inserire l’ora approssimativa del sinistro' },
    place: { label: 'Luogo', missing: 'Inserire il luogo del sinistro' },
    incidentType: { label: 'Tipo di sinistro', missing: 'Scegliere il tipo di sinistro' },
    injured: { label: 'Qualcuno è rimasto ferito?', missing: 'Indicare se qualcuno è rimasto ferito' },
    policeReference: { label: 'Riferimento della polizia', missing: 'Inserire il riferimento della polizia' },
    otherLicensePlate: { label: 'Targa dell’altro veicolo', missing: 'Inserire la targa dell’altro veicolo' },
    otherInsurer: {
      label: 'Assicuratore dell’altro veicolo',
      missing: 'Inserire l’assicuratore dell’altro veicolo',
    },
    firstName: { label: 'Nome', missing: 'Inserire il nome' },
    lastName: { label: 'Cognome', missing: 'Inserire il cognome' },
    phone: { label: 'Telefono', missing: 'Inserire il numero di telefono' },
    email: { label: 'E-mail', missing: 'Inserire l’indirizzo e-mail' },
    contacts: { label: 'Altre persone che possiamo contattare', missing: 'Aggiungere una persona' },
    notice: {
      label: 'Ho letto l’informativa sulla privacy',
      missing: 'Confermare di aver letto l’informativa sulla privacy',
    },
  },
  problems: {
    answer: '{label}: inserire una risposta',
    contact: 'Inserire un indirizzo e-mail o un numero di telefono',
    time: '{label}: inserire un orario, per esempio 14:30',
    tooLong: '{label}: usare al massimo {max} caratteri',
    date: '{label}: inserire una data esistente, con l’anno in quattro cifre, per esempio 2026-12-31',
    dateParts: '{label}: servono giorno, mese e anno, e il giorno deve esistere',
    email: '{label}: inserire un indirizzo come nome@example.com',
    dateOrder: '{label}: scegliere un giorno non precedente al primo giorno di copertura',
    dateFuture: '{label}: scegliere un giorno non successivo a oggi',
    phoneDigits: '{label}: inserire un numero con almeno tre cifre',
    tooMany: '{label}: indicarne al massimo {max}',
    characters: '{label}: eliminare i caratteri illeggibili',
    other: '{label}: controllare quanto inserito',
    form: 'C’è qualcosa che non va nel modulo. Controllare le risposte e inviarle di nuovo.',
  },
  check: {
    title: 'Confermi che questo link è per Lei',
    lead: 'Prima di mostrare i Suoi dati, ci serve una risposta. Protegge i Suoi dati se il link arriva a un’altra persona.',
    which: 'Si tratta della Sua polizza con noi e di ciò che assicura.',
    phoneHint: 'Bastano le ultime sei cifre.',
    wrong: '{label}: non corrisponde ai nostri dati. Tentativi rimasti: {count}',
    again:
      'Risponda di nuovo a questa domanda e poi invii ancora una volta la denuncia. Quanto ha scritto si trova qui sotto.',
    send: 'Continua',
    cookies:
      'Questo browser non conserva i cookie di questa pagina, quindi la risposta va persa. Consenta i cookie per questa pagina oppure apra il link in un altro browser.',
  },
  decline: {
    summary: 'Non è per me',
    question: 'Qual è il motivo?',
    wrong_person: 'Non sono questa persona',
    nothing_to_report: 'Non ho nulla da denunciare',
    reported_already: 'Ho già fatto la denuncia',
    other: 'Un altro motivo',
    hint: 'Comunichiamo il motivo e chiudiamo il link. Ciò che ha inserito qui non viene inviato.',
    send: 'Chiudi il link',
  },
  form: {
    title: 'Denunciare un sinistro',
    lead: 'Bastano pochi minuti. Ci servono tutte le risposte non contrassegnate come facoltative.',
    optional: '(facoltativo)',
    progress: 'Avanzamento',
    problemsTitle: 'C’è un problema',
    coverPeriod: 'Periodo di copertura',
    incidentHint: 'Ci racconti ciò che sa adesso. Il resto può seguire più tardi.',
    descriptionHint:
      'Dove è successo, chi era coinvolto, che cosa è stato danneggiato. Fino a {max} caratteri.',
    policyHolder: 'Contraente',
    contactsHint:
      'Per esempio un altro conducente, o una persona che gestisce questo sinistro per lei. Per ogni persona ci servono nome, cognome e indirizzo e-mail.',
    contactsHintEither:
      'Per esempio un altro conducente, o una persona che gestisce questo sinistro per lei. Per ogni persona ci servono nome, cognome e un indirizzo e-mail o un numero di telefono.',
    yes: 'Sì',
    no: 'No',
    emergency: 'Se qualcuno è ferito, chiami prima i soccorsi. La denuncia può aspettare.',
    call: 'Chiamare il {phone}',
    done: 'Fatto',
    doneStep: 'Fatto: {step}',
    addPerson: 'Aggiungi persona',
    remove: 'Rimuovi',
    reviewText:
      'Verificare che tutto sia corretto. Una volta inviata, la denuncia non può più essere modificata qui.',
    privacy: 'Come usiamo i suoi dati: {policy}',
    privacyPolicy: 'informativa sulla privacy',
    until: 'Questo link scade in data {time}.',
    untilClock: 'Questo link scade alle {time}.',
    untilAfter: 'Quanto ha scritto resta in questa scheda anche dopo.',
    phone: 'Continui sul telefono',
    phoneHint:
      'Inquadri il codice con la fotocamera del telefono. Ciò che ha inserito qui resta su questo dispositivo.',
    back: 'Indietro',
    next: 'Avanti: {step}',
    send: 'Invia denuncia',
  },
  script: {
    person: 'Persona {number}',
    removePerson: 'Rimuovi persona {number}',
    personRemoved: 'Rimozione effettuata: {person}',
    documentTitle: '{step} (passo {number} di {count})',
    stepOf: 'Passo {number} di {count}',
    change: 'Modifica',
    changeStep: 'Modifica: {step}',
    count: '{count} di {max} caratteri',
    missing: 'Da compilare',
    notGiven: 'Non indicato',
    sending: 'Invio in corso…',
    sendingClaim: 'Stiamo inviando la sua denuncia.',
    slow: 'L’invio richiede più tempo del solito. Lasci aperta questa pagina.',
    sendAgain: 'Invia di nuovo',
    notSent: 'La sua denuncia non è stata inviata.',
    unknown: 'Non sappiamo se la sua denuncia sia arrivata.',
    offline: 'La connessione a internet non sembra attiva.',
    tooLarge: 'Il testo è più lungo di quanto possiamo accettare. Accorciare la descrizione.',
    tooMany: 'Stiamo ricevendo troppe richieste. Riprovi {time}.',
    rejected: 'Si è verificato un problema da parte nostra.',
    sendNow: 'Ora può inviarla di nuovo.',
    nothingLost:
      'Nulla di quanto ha scritto è andato perso. Riprovi: una denuncia non viene mai registrata due volte.',
    copied: 'Copiato',
    deleted: 'Il testo è stato eliminato.',
    continueTo: 'Continua su {host}',
    takenTo: 'Tra poco tornerà su {host}.',
    stayed: 'Rimane su questa pagina. Può continuare quando vuole.',
    redirecting: 'Se non succede nulla, usare il pulsante per continuare.',
    warnings: {
      outsideCover:
        'Questo giorno non rientra nel periodo di copertura. Se la data è corretta, può continuare.',
      emailDomain:
        'L’indirizzo potrebbe essere incompleto: manca un punto dopo il simbolo @. Se è corretto, può continuare.',
    },
  },
  success: {
    title: 'La sua denuncia è stata inviata',
    thanks: 'Grazie. Per ora abbiamo ciò che ci serve e la contatteremo.',
    reference: 'Il suo numero di riferimento',
    sentOn: 'Inviata il',
    note: 'Lo conservi: le servirà per chiederci informazioni su questo sinistro.',
    copy: 'Copia',
    print: 'Stampa',
    answers: 'Che cosa ha inviato',
    continue: 'Continua',
    takenBack: 'Tra poco tornerà all’app di provenienza.',
    secondsLeft: 'Secondi rimanenti:',
    stay: 'Resta su questa pagina',
  },
  changed: {
    title: 'Le sue modifiche non sono state registrate',
    happened:
      'Con questo link è già stata inviata una denuncia in data {time}. Quanto ha inserito ora è diverso e non è stato registrato.',
    advice:
      'Copi il testo qui sotto e ci comunichi che cosa è cambiato. Il nostro numero di telefono e il nostro indirizzo e-mail sono indicati in questa pagina.',
  },
  entered: {
    title: 'Che cosa ha inserito',
    note: 'Questo testo è ancora in questa scheda. Può essere diverso da quanto è stato inviato.',
    copy: 'Copia il testo',
    delete: 'Elimina il testo',
  },
  unavailable: {
    link_not_found: {
      title: 'Questo link non funziona',
      happened:
        'A questo indirizzo non c’è alcun modulo di denuncia. Forse una parte del link è andata persa durante la copia.',
      advice:
        'Apra di nuovo il link completo dal messaggio o dall’app in cui lo ha ricevuto. Se non basta, ne chieda uno nuovo.',
    },
    link_expired: {
      title: 'Questo link è scaduto',
      happened:
        'Per proteggere i suoi dati, un link funziona solo per un tempo limitato. Questo non è più valido.',
      advice: 'Chieda un nuovo link là dove ha ottenuto questo.',
    },
    link_revoked: {
      title: 'Questo link è stato ritirato',
      happened: 'Il link è stato annullato e non apre più alcun modulo di denuncia.',
      advice: 'Chieda un nuovo link là dove ha ottenuto questo.',
    },
    link_submitted: {
      title: 'Questa denuncia è già stata inviata',
      happened: 'Abbiamo ricevuto la denuncia fatta con questo link.',
      advice: 'Non deve fare altro. Per denunciare un altro sinistro, chieda un nuovo link.',
    },
    link_locked: {
      title: 'Questo link è bloccato',
      happened:
        'La risposta alla domanda è stata sbagliata troppe volte. Per proteggere i Suoi dati, questo link non apre più alcun modulo.',
      advice:
        'Chieda alla Sua assicurazione un nuovo link o lo sblocco di questo. I nostri contatti si trovano in questa pagina.',
    },
    declined: {
      title: 'Grazie per averci avvisato',
      happened: 'Non è stata inviata alcuna denuncia e questo link è ora chiuso.',
      advice: 'Se vuole comunque denunciare un sinistro, chieda un nuovo link là dove ha ottenuto questo.',
    },
    renewal: {
      title: 'Ha chiesto un nuovo link',
      happened: 'Abbiamo inoltrato la Sua richiesta. Questo link non è più valido.',
      advice: 'Se non riceve risposta, ci contatti. I nostri contatti si trovano in questa pagina.',
    },
    internal: {
      title: 'Si è verificato un problema da parte nostra',
      happened: 'In questo momento non è stato possibile procedere. Non è colpa sua.',
      advice:
        'Riprovi tra un momento. Se aveva già compilato il modulo, torni prima indietro nel browser: ciò che ha scritto dovrebbe esserci ancora.',
    },
    body_too_large: {
      title: 'Il testo era troppo lungo',
      happened:
        'La sua denuncia non è stata inviata perché il modulo è più lungo di quanto possiamo accettare.',
      advice: 'Torni indietro nel browser, accorci la descrizione e invii di nuovo la denuncia.',
    },
    too_many_requests: {
      title: 'Attenda un momento',
      happened: 'Stiamo ricevendo più richieste di quante possiamo gestirne.',
      advice:
        'Riprovi {time}. Se aveva già compilato il modulo, torni prima indietro nel browser: ciò che ha scritto dovrebbe esserci ancora.',
    },
    other: {
      title: 'Impossibile mostrare questa pagina',
      happened: 'Non abbiamo potuto elaborare la richiesta così come è stata inviata.',
      advice: 'Apra di nuovo il link dal messaggio o dall’app in cui lo ha ricevuto.',
    },
    renew: 'Chiedi un nuovo link',
    retry: 'Riprova',
    reference: 'Riferimento per l’assistenza:',
  },
};
