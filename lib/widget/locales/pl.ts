// Polish. No native speaker has reviewed these texts.
import type { Texts } from './texts.js';

export const pl: Texts = {
  page: {
    serviceName: 'Zgłaszanie szkód',
    newTab: '(otwiera się w nowej karcie)',
    errorPrefix: 'Błąd:',
    support: 'Wsparcie',
    imprint: 'Informacje prawne',
    language: 'Język',
  },
  help: {
    title: 'Potrzebna pomoc?',
    text: 'Chętnie odpowiemy na pytania.',
    phone: 'Telefon',
    email: 'E-mail',
    web: 'Strona internetowa',
  },
  steps: {
    policy: { short: 'Polisa', title: 'Dane polisy' },
    incident: { short: 'Zdarzenie', title: 'Co się stało' },
    contact: { short: 'Kontakt', title: 'Dane kontaktowe' },
    review: { short: 'Sprawdzenie', title: 'Sprawdzenie i wysłanie' },
  },
  fields: {
    provider: { label: 'Ubezpieczyciel', missing: 'Podaj ubezpieczyciela' },
    policyNumber: { label: 'Numer polisy', missing: 'Podaj numer polisy' },
    validFrom: { label: 'Początek ochrony', missing: 'Podaj pierwszy dzień ochrony ubezpieczeniowej' },
    validTo: { label: 'Koniec ochrony', missing: 'Podaj ostatni dzień ochrony ubezpieczeniowej' },
    licensePlate: { label: 'Numer rejestracyjny', missing: 'Podaj numer rejestracyjny' },
    incidentDate: { label: 'Data zdarzenia', missing: 'Podaj datę zdarzenia' },
    description: { label: 'Opis', missing: 'Opisz, co się stało' },
    incidentTime: { label: 'Godzina, w przybliżeniu', missing: 'Podaj przybliżoną godzinę zdarzenia' },
    place: { label: 'Miejsce', missing: 'Podaj miejsce zdarzenia' },
    incidentType: { label: 'Rodzaj zdarzenia', missing: 'Wybierz rodzaj zdarzenia' },
    injured: { label: 'Czy ktoś został ranny?', missing: 'Podaj, czy ktoś został ranny' },
    policeReference: { label: 'Numer sprawy na policji', missing: 'Podaj numer sprawy na policji' },
    otherLicensePlate: {
      label: 'Numer rejestracyjny drugiego pojazdu',
      missing: 'Podaj numer rejestracyjny drugiego pojazdu',
    },
    otherInsurer: {
      label: 'Ubezpieczyciel drugiego pojazdu',
      missing: 'Podaj ubezpieczyciela drugiego pojazdu',
    },
    firstName: { label: 'Imię', missing: 'Podaj imię' },
    lastName: { label: 'Nazwisko', missing: 'Podaj nazwisko' },
    phone: { label: 'Telefon', missing: 'Podaj numer telefonu' },
    email: { label: 'E-mail', missing: 'Podaj adres e-mail' },
    contacts: { label: 'Inne osoby, z którymi możemy się skontaktować', missing: 'Dodaj osobę' },
    notice: {
      label: 'Znam treść polityki prywatności',
      missing: 'Potwierdź, że znasz treść polityki prywatności',
    },
  },
  problems: {
    answer: '{label}: podaj odpowiedź',
    contact: 'Podaj adres e-mail lub numer telefonu',
    time: '{label}: podaj godzinę, na przykład 14:30',
    tooLong: '{label}: skróć tekst do {max} znaków',
    date: '{label}: podaj istniejącą datę z rokiem, miesiącem i dniem, na przykład 2026-12-31',
    email: '{label}: podaj adres w postaci nazwa@example.com',
    dateOrder: '{label}: wybierz dzień nie wcześniejszy niż pierwszy dzień ochrony ubezpieczeniowej',
    dateFuture: '{label}: wybierz dzień nie późniejszy niż dzisiejszy',
    phoneDigits: '{label}: podaj numer z co najmniej trzema cyframi',
    tooMany: '{label}: podaj najwyżej {max}',
    characters: '{label}: usuń nieczytelne znaki',
    other: '{label}: sprawdź wpisane dane',
    form: 'Coś w formularzu się nie zgadza. Sprawdź odpowiedzi i wyślij je ponownie.',
  },
  check: {
    title: 'Potwierdź, że ten link jest dla Ciebie',
    lead: 'Zanim pokażemy Twoje dane, potrzebujemy jednej odpowiedzi. Chroni ona Twoje dane, jeśli link trafi do innej osoby.',
    phoneHint: 'Wystarczy sześć ostatnich cyfr.',
    wrong: '{label}: to nie zgadza się z naszymi danymi. Pozostałe próby: {count}',
    again:
      'Odpowiedz ponownie na to pytanie, a potem wyślij zgłoszenie jeszcze raz. Wpisany tekst znajduje się poniżej.',
    send: 'Dalej',
  },
  form: {
    title: 'Zgłoś szkodę',
    lead: 'To zajmie kilka minut. Potrzebujemy wszystkich odpowiedzi, które nie są oznaczone jako opcjonalne.',
    optional: '(opcjonalnie)',
    progress: 'Postęp',
    problemsTitle: 'Wystąpił problem',
    coverPeriod: 'Okres ubezpieczenia',
    incidentHint: 'Napisz, co już wiadomo. Resztę można uzupełnić później.',
    descriptionHint: 'Gdzie to się stało, kto brał udział, co zostało uszkodzone. Do 4000 znaków.',
    policyHolder: 'Ubezpieczający',
    contactsHint:
      'Na przykład inny kierowca lub osoba, która zajmuje się tą szkodą w imieniu ubezpieczającego. Potrzebujemy imienia, nazwiska i adresu e-mail każdej osoby.',
    contactsHintEither:
      'Na przykład inny kierowca lub osoba, która zajmuje się tą szkodą w imieniu ubezpieczającego. Potrzebujemy imienia, nazwiska oraz adresu e-mail lub numeru telefonu każdej osoby.',
    yes: 'Tak',
    no: 'Nie',
    addPerson: 'Dodaj osobę',
    remove: 'Usuń',
    reviewText: 'Sprawdź, czy wszystko się zgadza. Po wysłaniu zgłoszenia nie można go już tutaj zmienić.',
    privacy: 'Jak wykorzystujemy dane: {policy}',
    privacyPolicy: 'polityka prywatności',
    until: 'Ten link działa do {time}.',
    phone: 'Kontynuuj na telefonie',
    phoneHint: 'Zeskanuj kod aparatem telefonu. To, co tu wpisano, pozostanie na tym urządzeniu.',
    back: 'Wstecz',
    next: 'Dalej: {step}',
    send: 'Wyślij zgłoszenie',
  },
  script: {
    person: 'Osoba {number}',
    removePerson: 'Usuń osobę {number}',
    personRemoved: 'Usunięto: {person}',
    documentTitle: '{step} (krok {number} z {count})',
    stepOf: 'Krok {number} z {count}',
    change: 'Zmień',
    changeStep: 'Zmień: {step}',
    missing: 'Brak',
    notGiven: 'Nie podano',
    sending: 'Wysyłanie…',
    sendingClaim: 'Trwa wysyłanie zgłoszenia.',
    slow: 'To trwa dłużej niż zwykle. Prosimy nie zamykać tej strony.',
    sendAgain: 'Wyślij ponownie',
    notSent: 'Zgłoszenie nie zostało wysłane.',
    unknown: 'Nie wiemy, czy zgłoszenie do nas dotarło.',
    offline: 'Wygląda na to, że nie ma połączenia z internetem.',
    tooLarge: 'Tekst jest dłuższy, niż możemy przyjąć. Skróć opis.',
    tooMany: 'Otrzymujemy zbyt wiele żądań. Spróbuj ponownie {time}.',
    rejected: 'Wystąpił błąd po naszej stronie.',
    nothingLost:
      'Wpisane dane nie przepadły. Spróbuj ponownie: żadne zgłoszenie nie zostanie przyjęte dwa razy.',
    copied: 'Skopiowano',
    deleted: 'Tekst został usunięty.',
    continueTo: 'Przejdź do {host}',
    takenTo: 'Za chwilę nastąpi powrót do {host}.',
    stayed: 'Ta strona pozostanie otwarta. Można przejść dalej w dowolnej chwili.',
    redirecting: 'Jeśli nic się nie dzieje, użyj przycisku, aby przejść dalej.',
    warnings: {
      outsideCover:
        'Ten dzień nie mieści się w okresie ubezpieczenia. Jeśli data jest prawidłowa, można przejść dalej.',
      emailDomain:
        'Adres może być niepełny: po znaku @ brakuje kropki. Jeśli jest prawidłowy, można przejść dalej.',
    },
  },
  success: {
    title: 'Zgłoszenie zostało wysłane',
    thanks: 'Dziękujemy. Na razie mamy wszystko, czego potrzebujemy. Skontaktujemy się w tej sprawie.',
    reference: 'Numer referencyjny',
    sentOn: 'Wysłano',
    note: 'Prosimy go zachować: będzie potrzebny przy pytaniach o tę szkodę.',
    copy: 'Kopiuj',
    print: 'Drukuj',
    answers: 'Wysłane dane',
    continue: 'Dalej',
    takenBack: 'Za chwilę nastąpi powrót do poprzedniej aplikacji.',
    secondsLeft: 'Pozostało sekund:',
    stay: 'Zostań na tej stronie',
  },
  changed: {
    title: 'Zmiany nie zostały przyjęte',
    happened:
      'Za pomocą tego linku wysłano już zgłoszenie {time}. Dane wpisane teraz różnią się od niego i nie zostały przyjęte.',
    advice:
      'Skopiuj poniższy tekst i powiadom nas, co się zmieniło. Nasz numer telefonu i adres e-mail są podane na tej stronie.',
  },
  entered: {
    title: 'Wpisane dane',
    note: 'Ten tekst nadal znajduje się w tej karcie. Może się różnić od tego, co zostało wysłane.',
    copy: 'Kopiuj tekst',
    delete: 'Usuń tekst',
  },
  unavailable: {
    link_not_found: {
      title: 'Ten link nie działa',
      happened:
        'Pod tym adresem nie ma formularza zgłoszenia szkody. Być może przy kopiowaniu zgubiła się część linku.',
      advice:
        'Otwórz jeszcze raz cały link z wiadomości lub aplikacji, z której pochodzi. Jeśli to nie pomoże, poproś o nowy.',
    },
    link_expired: {
      title: 'Ten link wygasł',
      happened:
        'Ze względu na bezpieczeństwo danych link działa tylko przez ograniczony czas. Ten nie jest już ważny.',
      advice: 'Poproś o nowy link tam, skąd pochodzi ten.',
    },
    link_revoked: {
      title: 'Ten link został wycofany',
      happened: 'Link został unieważniony i nie otwiera już formularza zgłoszenia szkody.',
      advice: 'Poproś o nowy link tam, skąd pochodzi ten.',
    },
    link_submitted: {
      title: 'To zgłoszenie zostało już wysłane',
      happened: 'Otrzymaliśmy zgłoszenie złożone za pomocą tego linku.',
      advice: 'Nie trzeba robić nic więcej. Aby zgłosić kolejną szkodę, poproś o nowy link.',
    },
    link_locked: {
      title: 'Ten link jest zablokowany',
      happened:
        'Na pytanie zbyt wiele razy odpowiedziano błędnie. Aby chronić Twoje dane, link nie otwiera już formularza.',
      advice:
        'Poproś ubezpieczyciela o nowy link lub o odblokowanie tego. Nasze dane kontaktowe są na tej stronie.',
    },
    internal: {
      title: 'Wystąpił błąd po naszej stronie',
      happened: 'Nie udało się tego teraz zrobić. To nie Państwa wina.',
      advice:
        'Spróbuj ponownie za chwilę. Jeśli formularz był już wypełniony, najpierw wróć do niego w przeglądarce: wpisane dane powinny nadal tam być.',
    },
    body_too_large: {
      title: 'Tekst był za długi',
      happened: 'Zgłoszenie nie zostało wysłane, ponieważ formularz jest dłuższy, niż możemy przyjąć.',
      advice: 'Wróć do formularza w przeglądarce, skróć opis i wyślij zgłoszenie ponownie.',
    },
    too_many_requests: {
      title: 'Prosimy chwilę poczekać',
      happened: 'Otrzymujemy więcej żądań, niż możemy obsłużyć.',
      advice:
        'Spróbuj ponownie {time}. Jeśli formularz był już wypełniony, najpierw wróć do niego w przeglądarce: wpisane dane powinny nadal tam być.',
    },
    other: {
      title: 'Nie można wyświetlić tej strony',
      happened: 'Nie mogliśmy obsłużyć żądania w takiej postaci, w jakiej zostało wysłane.',
      advice: 'Otwórz link jeszcze raz z wiadomości lub aplikacji, z której pochodzi.',
    },
    retry: 'Spróbuj ponownie',
    reference: 'Numer dla pomocy technicznej:',
  },
};
