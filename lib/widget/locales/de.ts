// German. No native speaker has reviewed these texts.
import type { Texts } from './texts.js';

export const de: Texts = {
  page: {
    serviceName: 'Schadenmeldung',
    newTab: '(öffnet sich in einem neuen Tab)',
    errorPrefix: 'Fehler:',
    support: 'Hilfe und Kontakt',
    imprint: 'Impressum',
    language: 'Sprache',
  },
  help: {
    title: 'Brauchen Sie Hilfe?',
    text: 'Wir beantworten gern Ihre Fragen.',
    phone: 'Telefon',
    email: 'E-Mail',
    web: 'Website',
  },
  steps: {
    policy: { short: 'Vertrag', title: 'Ihr Vertrag' },
    incident: { short: 'Schaden', title: 'Was passiert ist' },
    contact: { short: 'Kontakt', title: 'So erreichen wir Sie' },
    review: { short: 'Prüfen', title: 'Prüfen und absenden' },
  },
  fields: {
    provider: { label: 'Versicherungsgesellschaft', missing: 'Geben Sie Ihre Versicherungsgesellschaft ein' },
    policyNumber: { label: 'Versicherungsnummer', missing: 'Geben Sie Ihre Versicherungsnummer ein' },
    validFrom: { label: 'Gültig ab', missing: 'Geben Sie den ersten Tag Ihres Versicherungsschutzes ein' },
    validTo: { label: 'Gültig bis', missing: 'Geben Sie den letzten Tag Ihres Versicherungsschutzes ein' },
    licensePlate: { label: 'Amtliches Kennzeichen', missing: 'Geben Sie Ihr amtliches Kennzeichen ein' },
    incidentDate: { label: 'Datum des Schadens', missing: 'Geben Sie das Datum des Schadens ein' },
    description: { label: 'Beschreibung', missing: 'Beschreiben Sie, was passiert ist' },
    incidentTime: { label: 'Ungefähre Uhrzeit', missing: 'Geben Sie die ungefähre Uhrzeit des Schadens ein' },
    place: { label: 'Ort', missing: 'Geben Sie den Ort des Schadens ein' },
    incidentType: { label: 'Art des Schadens', missing: 'Wählen Sie die Art des Schadens' },
    injured: { label: 'Wurde jemand verletzt?', missing: 'Geben Sie an, ob jemand verletzt wurde' },
    policeReference: {
      label: 'Aktenzeichen der Polizei',
      missing: 'Geben Sie das Aktenzeichen der Polizei ein',
    },
    otherLicensePlate: {
      label: 'Kennzeichen des anderen Fahrzeugs',
      missing: 'Geben Sie das Kennzeichen des anderen Fahrzeugs ein',
    },
    otherInsurer: {
      label: 'Versicherer des anderen Fahrzeugs',
      missing: 'Geben Sie den Versicherer des anderen Fahrzeugs ein',
    },
    firstName: { label: 'Vorname', missing: 'Geben Sie den Vornamen ein' },
    lastName: { label: 'Nachname', missing: 'Geben Sie den Nachnamen ein' },
    phone: { label: 'Telefon', missing: 'Geben Sie die Telefonnummer ein' },
    email: { label: 'E-Mail', missing: 'Geben Sie die E-Mail-Adresse ein' },
    contacts: {
      label: 'Personen, die wir ebenfalls kontaktieren dürfen',
      missing: 'Fügen Sie eine Person hinzu',
    },
    notice: {
      label: 'Ich habe die Datenschutzerklärung gelesen',
      missing: 'Bestätigen Sie, dass Sie die Datenschutzerklärung gelesen haben',
    },
  },
  problems: {
    answer: '{label}: Geben Sie eine Antwort ein',
    contact: 'Geben Sie eine E-Mail-Adresse oder eine Telefonnummer ein',
    time: '{label}: Geben Sie eine Uhrzeit wie 14:30 ein',
    tooLong: '{label}: Verwenden Sie höchstens {max} Zeichen',
    date: '{label}: Geben Sie ein gültiges Datum mit vierstelligem Jahr ein',
    dateParts: '{label}: Tag, Monat und Jahr werden alle benötigt, und den Tag muss es geben',
    email: '{label}: Geben Sie eine Adresse wie name@example.com ein',
    dateOrder:
      '{label}: Wählen Sie einen Tag, der nicht vor dem ersten Tag Ihres Versicherungsschutzes liegt',
    dateFuture: '{label}: Wählen Sie einen Tag, der nicht nach dem heutigen liegt',
    phoneDigits: '{label}: Geben Sie eine Nummer mit mindestens drei Ziffern ein',
    tooMany: '{label}: Geben Sie höchstens {max} an',
    characters: '{label}: Entfernen Sie die nicht lesbaren Zeichen',
    other: '{label}: Prüfen Sie Ihre Eingabe',
    form: 'Etwas im Formular stimmt nicht. Prüfen Sie Ihre Angaben und senden Sie sie noch einmal ab.',
  },
  check: {
    title: 'Bitte bestätigen Sie, dass dieser Link für Sie ist',
    lead: 'Bevor wir Ihre Daten zeigen, brauchen wir eine Antwort. So bleiben Ihre Daten geschützt, wenn der Link in fremde Hände gerät.',
    phoneHint: 'Die letzten sechs Ziffern genügen.',
    wrong: '{label}: Das stimmt nicht mit unseren Angaben überein. Verbleibende Versuche: {count}',
    again:
      'Bitte beantworten Sie diese Frage noch einmal und senden Sie Ihre Meldung danach erneut. Ihre Eingaben stehen unten.',
    send: 'Weiter',
    cookies:
      'Dieser Browser speichert keine Cookies dieser Seite, deshalb geht Ihre Antwort verloren. Erlauben Sie Cookies für diese Seite, oder öffnen Sie den Link in einem anderen Browser.',
  },
  decline: {
    summary: 'Das ist nicht für mich bestimmt',
    question: 'Was ist der Grund?',
    wrong_person: 'Ich bin nicht diese Person',
    nothing_to_report: 'Ich habe nichts zu melden',
    reported_already: 'Ich habe den Schaden schon gemeldet',
    other: 'Ein anderer Grund',
    missing: 'Wählen Sie einen Grund',
    hint: 'Wir vermerken den Grund und machen den Link ungültig. Ihre Eingaben werden nicht gesendet.',
    send: 'Link ungültig machen',
  },
  form: {
    title: 'Schaden melden',
    lead: 'Das dauert nur wenige Minuten. Wir brauchen alle Angaben, die nicht als freiwillig gekennzeichnet sind.',
    optional: '(freiwillig)',
    progress: 'Fortschritt',
    problemsTitle: 'Es gibt ein Problem',
    coverPeriod: 'Versicherungszeitraum',
    incidentHint: 'Schreiben Sie uns, was Sie jetzt wissen. Den Rest können Sie später ergänzen.',
    descriptionHint: 'Wo es passiert ist, wer beteiligt war, was beschädigt wurde. Bis zu {max} Zeichen.',
    policyHolder: 'Versicherungsnehmer/-in',
    contactsHint:
      'Zum Beispiel ein anderer Fahrer oder eine Person, die sich für Sie um diesen Schaden kümmert. Von jeder Person brauchen wir Vorname, Nachname und E-Mail-Adresse.',
    contactsHintEither:
      'Zum Beispiel ein anderer Fahrer oder eine Person, die sich für Sie um diesen Schaden kümmert. Von jeder Person brauchen wir Vorname, Nachname und eine E-Mail-Adresse oder Telefonnummer.',
    yes: 'Ja',
    no: 'Nein',
    noAnswer: 'Keine Angabe',
    emergency: 'Wenn jemand verletzt ist, rufen Sie zuerst Hilfe. Ihre Meldung kann warten.',
    call: '{phone} anrufen',
    done: 'Fertig',
    doneStep: 'Fertig: {step}',
    suggestion: 'Meinten Sie {email}?',
    addPerson: 'Person hinzufügen',
    remove: 'Entfernen',
    reviewText:
      'Bitte prüfen Sie, ob alles stimmt. Nach dem Absenden können Sie die Meldung hier nicht mehr ändern.',
    privacy: 'So verwenden wir Ihre Daten: {policy}',
    privacyPolicy: 'Datenschutzerklärung',
    until: 'Dieser Link gilt bis zum {time}.',
    untilClock: 'Dieser Link gilt bis {time}.',
    untilAfter: 'Ihre Eingaben bleiben auch danach in diesem Tab.',
    phone: 'Auf dem Handy fortfahren',
    phoneHint:
      'Scannen Sie den Code mit der Kamera Ihres Handys. Was Sie hier eingegeben haben, bleibt auf diesem Gerät.',
    back: 'Zurück',
    next: 'Weiter: {step}',
    send: 'Meldung absenden',
  },
  script: {
    person: 'Person {number}',
    removePerson: 'Person {number} entfernen',
    personRemoved: 'Entfernt: {person}',
    documentTitle: '{step} (Schritt {number} von {count})',
    stepOf: 'Schritt {number} von {count}',
    change: 'Ändern',
    changeStep: 'Ändern: {step}',
    count: '{count} von {max} Zeichen',
    missing: 'Fehlt',
    notGiven: 'Keine Angabe',
    askLater: 'Wir werden Sie danach fragen.',
    sending: 'Wird gesendet…',
    sendingClaim: 'Ihre Meldung wird gesendet.',
    slow: 'Das dauert länger als sonst. Bitte lassen Sie diese Seite geöffnet.',
    sendAgain: 'Noch einmal absenden',
    notSent: 'Ihre Meldung wurde nicht gesendet.',
    unknown: 'Wir wissen nicht, ob Ihre Meldung angekommen ist.',
    offline: 'Sie sind offenbar offline.',
    tooLarge: 'Der Text ist länger, als wir annehmen können. Kürzen Sie die Beschreibung.',
    tooMany: 'Wir erhalten gerade zu viele Anfragen. Versuchen Sie es {time} noch einmal.',
    rejected: 'Bei uns ist etwas schiefgegangen.',
    sendNow: 'Sie können sie jetzt noch einmal senden.',
    nothingLost:
      'Ihre Eingaben sind nicht verloren. Versuchen Sie es noch einmal: Eine Meldung wird nie doppelt erfasst.',
    changedNow: 'Was Sie jetzt ändern, wird vielleicht nicht gespeichert.',
    copied: 'Kopiert',
    deleted: 'Der Text wurde gelöscht.',
    continueTo: 'Weiter zu {host}',
    takenTo: 'Sie werden zu {host} zurückgeleitet.',
    stayed: 'Sie bleiben auf dieser Seite. Fahren Sie fort, wenn Sie so weit sind.',
    redirecting: 'Wenn nichts passiert, klicken Sie auf die Schaltfläche, um fortzufahren.',
    warnings: {
      outsideCover:
        'Dieser Tag liegt außerhalb Ihres Versicherungszeitraums. Wenn das Datum stimmt, können Sie fortfahren.',
      emailDomain:
        'Diese Adresse ist vielleicht unvollständig: Nach dem @ fehlt ein Punkt. Wenn sie stimmt, können Sie fortfahren.',
    },
  },
  success: {
    title: 'Ihre Meldung wurde gesendet',
    thanks: 'Vielen Dank. Wir haben vorerst alles, was wir brauchen, und melden uns bei Ihnen.',
    askAbout: 'Vielen Dank. Wir melden uns bei Ihnen und klären dann noch: {topics}.',
    reference: 'Ihre Referenznummer',
    sentOn: 'Gesendet am',
    note: 'Bitte bewahren Sie Ihre Referenznummer auf: Sie brauchen sie, wenn Sie uns nach diesem Schaden fragen.',
    add: 'Möchten Sie etwas ergänzen?',
    copy: 'Kopieren',
    print: 'Drucken',
    share: 'Teilen',
    shareFailed: 'Das Teilen ging nicht. Bitte kopieren Sie die Referenznummer.',
    answers: 'Das haben Sie gesendet',
    continue: 'Weiter',
    takenBack: 'Sie werden zu der App zurückgeleitet, aus der Sie gekommen sind.',
    secondsLeft: 'Verbleibende Sekunden:',
    stay: 'Auf dieser Seite bleiben',
  },
  changed: {
    title: 'Ihre Änderungen wurden nicht gespeichert',
    happened:
      'Über diesen Link wurde bereits am {time} eine Meldung gesendet. Ihre jetzigen Eingaben weichen davon ab und wurden nicht gespeichert.',
    advice:
      'Kopieren Sie den Text unten und teilen Sie uns mit, was sich geändert hat. Unsere Telefonnummer und E-Mail-Adresse finden Sie auf dieser Seite.',
    differences: 'Das weicht von der gespeicherten Meldung ab',
  },
  entered: {
    title: 'Das haben Sie eingegeben',
    note: 'Dieser Text ist noch in diesem Tab. Er kann von dem abweichen, was gesendet wurde.',
    unsent: 'Dieser Text ist noch in diesem Tab. Er wurde nicht gesendet.',
    copy: 'Text kopieren',
    delete: 'Text löschen',
  },
  device: {
    note: 'Ihre Eingaben bleiben auf diesem Gerät.',
    remove: 'Von diesem Gerät entfernen',
    newer: 'Ein anderer Tab hat neueren Text.',
    showNewer: 'Neueren Text zeigen',
    keepThis: 'Diesen Text behalten',
    showEarlier: 'Text des früheren Links zeigen',
  },
  unavailable: {
    link_not_found: {
      title: 'Dieser Link funktioniert nicht',
      happened:
        'Unter dieser Adresse gibt es kein Schadenformular. Vielleicht ging beim Kopieren ein Teil des Links verloren.',
      advice:
        'Öffnen Sie den ganzen Link noch einmal aus der Nachricht oder der App, aus der Sie ihn haben. Wenn das nicht hilft, bitten Sie um einen neuen.',
    },
    link_expired: {
      title: 'Dieser Link ist abgelaufen',
      happened:
        'Damit Ihre Daten geschützt bleiben, gilt ein Link nur für begrenzte Zeit. Dieser ist nicht mehr gültig.',
      advice: 'Bitten Sie bei uns, Telefon {phone}, um einen neuen Link.',
    },
    link_revoked: {
      title: 'Dieser Link wurde zurückgezogen',
      happened: 'Wir haben diesen Link gesperrt. Er öffnet kein Schadenformular mehr.',
      advice: 'Bitten Sie bei uns, Telefon {phone}, um einen neuen Link.',
    },
    link_submitted: {
      title: 'Dieser Schaden wurde bereits gemeldet',
      happened: 'Die Meldung, die über diesen Link gemacht wurde, ist bei uns eingegangen.',
      advice:
        'Sie müssen nichts weiter tun. Wenn Sie einen weiteren Schaden melden möchten, bitten Sie um einen neuen Link.',
    },
    link_locked: {
      title: 'Dieser Link ist gesperrt',
      happened:
        'Die Frage wurde zu oft falsch beantwortet. Zum Schutz Ihrer Daten öffnet dieser Link jetzt kein Formular mehr.',
      advice: 'Bitten Sie bei uns, Telefon {phone}, um einen neuen Link oder darum, diesen zu entsperren.',
    },
    declined: {
      title: 'Danke für Ihre Rückmeldung',
      happened: 'Es wurde keine Meldung gesendet, und dieser Link ist jetzt ungültig.',
      advice:
        'Wenn Sie doch einen Schaden melden möchten, bitten Sie bei uns, Telefon {phone}, um einen neuen Link.',
    },
    renewal: {
      title: 'Sie haben um einen neuen Link gebeten',
      happened: 'Wir haben Ihre Bitte erhalten. Dieser Link ist nicht mehr gültig.',
      advice: 'Wenn Sie nichts hören, wenden Sie sich an uns. Unsere Kontaktdaten stehen auf dieser Seite.',
    },
    internal: {
      title: 'Bei uns ist etwas schiefgegangen',
      happened: 'Das hat gerade nicht geklappt. Es liegt nicht an Ihnen.',
      advice:
        'Versuchen Sie es gleich noch einmal. Wenn Sie das Formular schon ausgefüllt hatten, gehen Sie zuerst in Ihrem Browser zurück: Ihre Eingaben sollten noch da sein.',
    },
    body_too_large: {
      title: 'Das war zu viel Text',
      happened: 'Ihre Meldung wurde nicht gesendet, weil das Formular länger ist, als wir annehmen können.',
      advice:
        'Gehen Sie in Ihrem Browser zurück, kürzen Sie die Beschreibung und senden Sie die Meldung noch einmal ab.',
    },
    too_many_requests: {
      title: 'Bitte warten Sie einen Moment',
      happened: 'Wir erhalten gerade mehr Anfragen, als wir beantworten können.',
      advice:
        'Versuchen Sie es {time} noch einmal. Wenn Sie das Formular schon ausgefüllt hatten, gehen Sie zuerst in Ihrem Browser zurück: Ihre Eingaben sollten noch da sein.',
    },
    other: {
      title: 'Diese Seite kann nicht angezeigt werden',
      happened: 'Wir konnten die Anfrage so, wie sie gesendet wurde, nicht verarbeiten.',
      advice: 'Öffnen Sie den Link noch einmal aus der Nachricht oder der App, aus der Sie ihn haben.',
    },
    renew: 'Um einen neuen Link bitten',
    retry: 'Noch einmal versuchen',
    reference: 'Kennung für Rückfragen:',
  },
};
