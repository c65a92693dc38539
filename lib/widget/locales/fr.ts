// French. No native speaker has reviewed these texts.
import type { Texts } from './texts.js';

export const fr: Texts = {
  page: {
    serviceName: 'Déclaration de sinistre',
    newTab: '(s’ouvre dans un nouvel onglet)',
    errorPrefix: 'Erreur\u202f:',
    support: 'Assistance',
    imprint: 'Mentions légales',
    language: 'Langue',
  },
  help: {
    title: 'Besoin d’aide\u202f?',
    text: 'Nous répondons volontiers à vos questions.',
    phone: 'Téléphone',
    email: 'E-mail',
    web: 'Site web',
  },
  steps: {
    policy: { short: 'Contrat', title: 'Votre contrat' },
    incident: { short: 'Sinistre', title: 'Ce qui s’est passé' },
    contact: { short: 'Contact', title: 'Comment vous joindre' },
    review: { short: 'Envoi', title: 'Vérifier et envoyer' },
  },
  fields: {
    provider: { label: 'Assureur', missing: 'Indiquez votre assureur' },
    policyNumber: { label: 'Numéro de contrat', missing: 'Indiquez votre numéro de contrat' },
    validFrom: { label: 'Valable à partir du', missing: 'Indiquez le premier jour de votre garantie' },
    validTo: { label: 'Valable jusqu’au', missing: 'Indiquez le dernier jour de votre garantie' },
    licensePlate: { label: 'Plaque d’immatriculation', missing: 'Indiquez votre plaque d’immatriculation' },
    incidentDate: { label: 'Date du sinistre', missing: 'Indiquez la date du sinistre' },
    description: { label: 'Description', missing: 'Décrivez ce qui s’est passé' },
    incidentTime: { label: 'Heure approximative', missing: 'Indiquez l’heure approximative du sinistre' },
    place: { label: 'Lieu', missing: 'Indiquez le lieu du sinistre' },
    incidentType: { label: 'Type de sinistre', missing: 'Choisissez le type de sinistre' },
    injured: {
      label: 'Une personne a-t-elle été blessée\u202f?',
      missing: 'Indiquez si une personne a été blessée',
    },
    policeReference: { label: 'Référence de la police', missing: 'Indiquez la référence de la police' },
    otherLicensePlate: {
      label: 'Plaque d’immatriculation de l’autre véhicule',
      missing: 'Indiquez la plaque d’immatriculation de l’autre véhicule',
    },
    otherInsurer: {
      label: 'Assureur de l’autre véhicule',
      missing: 'Indiquez l’assureur de l’autre véhicule',
    },
    firstName: { label: 'Prénom', missing: 'Indiquez le prénom' },
    lastName: { label: 'Nom', missing: 'Indiquez le nom' },
    phone: { label: 'Téléphone', missing: 'Indiquez le numéro de téléphone' },
    email: { label: 'E-mail', missing: 'Indiquez l’adresse e-mail' },
    contacts: { label: 'Autres personnes que nous pouvons contacter', missing: 'Ajoutez une personne' },
    notice: {
      label: 'J’ai lu la politique de confidentialité',
      missing: 'Confirmez que vous avez lu la politique de confidentialité',
    },
  },
  problems: {
    answer: '{label}\u202f: indiquez une réponse',
    contact: 'Indiquez une adresse e-mail ou un numéro de téléphone',
    time: '{label}\u202f: indiquez une heure, par exemple 14:30',
    tooLong: '{label}\u202f: utilisez au maximum {max} caractères',
    date: '{label}\u202f: indiquez une date qui existe, avec l’année en quatre chiffres',
    dateParts: '{label}\u202f: le jour, le mois et l’année sont tous nécessaires, et le jour doit exister',
    email: '{label}\u202f: indiquez une adresse du type nom@example.com',
    dateOrder: '{label}\u202f: choisissez un jour qui ne précède pas le premier jour de votre garantie',
    dateFuture: '{label}\u202f: choisissez un jour qui n’est pas après aujourd’hui',
    phoneDigits: '{label}\u202f: indiquez un numéro d’au moins trois chiffres',
    tooMany: '{label}\u202f: {max} au maximum',
    characters: '{label}\u202f: supprimez les caractères illisibles',
    other: '{label}\u202f: vérifiez votre saisie',
    form: 'Quelque chose ne va pas dans le formulaire. Vérifiez vos réponses et envoyez-les à nouveau.',
  },
  check: {
    title: 'Veuillez confirmer que ce lien vous est destiné',
    lead: 'Avant d’afficher vos données, nous avons besoin d’une réponse. Elle protège vos données si le lien parvient à une autre personne.',
    phoneHint: 'Les six derniers chiffres suffisent.',
    wrong: '{label} : cela ne correspond pas à nos données. Essais restants : {count}',
    again:
      'Répondez encore une fois à cette question, puis renvoyez votre déclaration. Votre saisie se trouve ci-dessous.',
    send: 'Continuer',
    cookies:
      'Ce navigateur ne conserve pas les cookies de cette page : votre réponse est perdue. Autorisez les cookies pour cette page ou ouvrez le lien dans un autre navigateur.',
  },
  decline: {
    summary: 'Cela ne me concerne pas',
    question: 'Quelle est la raison\u202f?',
    wrong_person: 'Je ne suis pas cette personne',
    nothing_to_report: 'Je n’ai rien à déclarer',
    reported_already: 'Je l’ai déjà déclaré',
    other: 'Une autre raison',
    missing: 'Choisissez une raison',
    hint: 'Nous notons la raison et fermons le lien. Ce que vous avez saisi ici n’est pas envoyé.',
    send: 'Fermer le lien',
  },
  form: {
    title: 'Déclarer un sinistre',
    lead: 'Cela prend quelques minutes. Toutes les réponses sont nécessaires, sauf celles marquées comme facultatives.',
    optional: '(facultatif)',
    progress: 'Progression',
    problemsTitle: 'Il y a un problème',
    coverPeriod: 'Période de garantie',
    incidentHint: 'Dites-nous ce que vous savez maintenant. Vous pourrez compléter plus tard.',
    descriptionHint:
      'Où cela s’est passé, qui était impliqué, ce qui a été endommagé. Jusqu’à {max} caractères.',
    policyHolder: 'Titulaire du contrat',
    contactsHint:
      'Par exemple un autre conducteur, ou une personne qui s’occupe de ce sinistre pour vous. Pour chaque personne, il nous faut le prénom, le nom et l’adresse e-mail.',
    contactsHintEither:
      'Par exemple un autre conducteur, ou une personne qui s’occupe de ce sinistre pour vous. Pour chaque personne, il nous faut le prénom, le nom, et une adresse e-mail ou un numéro de téléphone.',
    yes: 'Oui',
    no: 'Non',
    emergency: 'En cas de blessé, appelez d’abord les secours. Votre déclaration peut attendre.',
    call: 'Appeler le {phone}',
    done: 'Terminé',
    doneStep: 'Terminé\u202f: {step}',
    addPerson: 'Ajouter une personne',
    remove: 'Supprimer',
    reviewText:
      'Vérifiez que tout est exact. Une fois envoyée, la déclaration ne peut plus être modifiée ici.',
    privacy: 'Comment nous utilisons vos données\u202f: {policy}',
    privacyPolicy: 'politique de confidentialité',
    until: 'Ce lien fonctionne jusqu’au {time}.',
    untilClock: 'Ce lien fonctionne jusqu’à {time}.',
    untilAfter: 'Ensuite, ce que vous avez saisi reste dans cet onglet.',
    phone: 'Continuer sur votre téléphone',
    phoneHint:
      'Scannez le code avec l’appareil photo de votre téléphone. Ce que vous avez saisi ici reste sur cet appareil.',
    back: 'Retour',
    next: 'Suivant\u202f: {step}',
    send: 'Envoyer la déclaration',
  },
  script: {
    person: 'Personne {number}',
    removePerson: 'Supprimer la personne {number}',
    personRemoved: 'Suppression effectuée\u202f: {person}',
    documentTitle: '{step} (étape {number} sur {count})',
    stepOf: 'Étape {number} sur {count}',
    change: 'Modifier',
    changeStep: 'Modifier\u202f: {step}',
    count: '{count} caractères sur {max}',
    missing: 'À compléter',
    notGiven: 'Non renseigné',
    askLater: 'Nous vous poserons la question.',
    sending: 'Envoi…',
    sendingClaim: 'Envoi de votre déclaration en cours.',
    slow: 'L’envoi prend plus de temps que d’habitude. Veuillez garder cette page ouverte.',
    sendAgain: 'Envoyer à nouveau',
    notSent: 'Votre déclaration n’a pas été envoyée.',
    unknown: 'Nous ne savons pas si votre déclaration nous est parvenue.',
    offline: 'Vous semblez être hors ligne.',
    tooLarge: 'Le texte est trop long pour nous. Raccourcissez la description.',
    tooMany: 'Nous recevons trop de demandes. Réessayez {time}.',
    rejected: 'Un problème est survenu de notre côté.',
    sendNow: 'Vous pouvez la renvoyer maintenant.',
    nothingLost:
      'Rien de ce que vous avez saisi n’est perdu. Réessayez\u202f: une déclaration n’est jamais enregistrée deux fois.',
    changedNow: 'Ce que vous modifiez maintenant ne sera peut-être pas enregistré.',
    copied: 'Copié',
    deleted: 'Le texte a été supprimé.',
    continueTo: 'Continuer vers {host}',
    takenTo: 'Vous allez revenir sur {host}.',
    stayed: 'Vous restez sur cette page. Continuez quand vous le souhaitez.',
    redirecting: 'Si rien ne se passe, utilisez le bouton pour continuer.',
    warnings: {
      outsideCover:
        'Ce jour n’est pas compris dans votre période de garantie. Si la date est exacte, vous pouvez continuer.',
      emailDomain:
        'L’adresse est peut-être incomplète\u202f: il n’y a pas de point après le signe @. Si elle est exacte, vous pouvez continuer.',
    },
  },
  success: {
    title: 'Votre déclaration a été envoyée',
    thanks: 'Merci. Nous avons ce qu’il nous faut pour l’instant et nous vous recontacterons.',
    askAbout: 'Merci. Nous vous recontacterons et vous demanderons\u202f: {topics}.',
    reference: 'Votre référence',
    sentOn: 'Envoyée le',
    note: 'Conservez bien votre référence\u202f: elle vous sera demandée pour toute question sur ce sinistre.',
    add: 'Quelque chose à ajouter\u202f?',
    copy: 'Copier',
    print: 'Imprimer',
    answers: 'Ce que vous avez envoyé',
    continue: 'Continuer',
    takenBack: 'Vous allez revenir à l’application d’où vous venez.',
    secondsLeft: 'Secondes restantes\u202f:',
    stay: 'Rester sur cette page',
  },
  changed: {
    title: 'Vos modifications n’ont pas été enregistrées',
    happened:
      'Une déclaration a déjà été envoyée avec ce lien le {time}. Ce que vous venez de saisir est différent et n’a pas été enregistré.',
    advice:
      'Copiez le texte ci-dessous et dites-nous ce qui a changé. Notre numéro de téléphone et notre adresse e-mail figurent sur cette page.',
    differences: 'Différences avec la déclaration enregistrée',
  },
  entered: {
    title: 'Ce que vous avez saisi',
    note: 'Ce texte se trouve encore dans cet onglet. Il peut différer de ce qui a été envoyé.',
    unsent: 'Ce texte se trouve encore dans cet onglet. Il n’a pas été envoyé.',
    copy: 'Copier le texte',
    delete: 'Supprimer le texte',
  },
  unavailable: {
    link_not_found: {
      title: 'Ce lien ne fonctionne pas',
      happened:
        'Il n’y a pas de formulaire de déclaration à cette adresse. Une partie du lien a peut-être été perdue lors de la copie.',
      advice:
        'Ouvrez à nouveau le lien complet depuis le message ou l’application où vous l’avez reçu. Si cela ne suffit pas, demandez-en un nouveau.',
    },
    link_expired: {
      title: 'Ce lien a expiré',
      happened:
        'Pour protéger vos données, un lien ne fonctionne que pendant une durée limitée. Celui-ci n’est plus valable.',
      advice: 'Demandez-nous un nouveau lien, téléphone {phone}.',
    },
    link_revoked: {
      title: 'Ce lien a été retiré',
      happened: 'Nous avons annulé ce lien. Il n’ouvre plus de formulaire de déclaration.',
      advice: 'Demandez-nous un nouveau lien, téléphone {phone}.',
    },
    link_submitted: {
      title: 'Cette déclaration a déjà été envoyée',
      happened: 'Nous avons bien reçu la déclaration faite avec ce lien.',
      advice: 'Vous n’avez rien d’autre à faire. Pour déclarer un autre sinistre, demandez un nouveau lien.',
    },
    link_locked: {
      title: 'Ce lien est bloqué',
      happened:
        'Trop de réponses à la question étaient fausses. Pour protéger vos données, ce lien n’ouvre plus de formulaire.',
      advice: 'Demandez-nous un nouveau lien ou le déblocage de celui-ci, téléphone {phone}.',
    },
    declined: {
      title: 'Merci de nous avoir prévenus',
      happened: 'Aucune déclaration n’a été envoyée et ce lien est maintenant fermé.',
      advice:
        'Si vous souhaitez tout de même déclarer un sinistre, demandez-nous un nouveau lien, téléphone {phone}.',
    },
    renewal: {
      title: 'Vous avez demandé un nouveau lien',
      happened: 'Nous avons reçu votre demande. Ce lien n’est plus valable.',
      advice: 'Si vous n’avez pas de réponse, contactez-nous. Nos coordonnées se trouvent sur cette page.',
    },
    internal: {
      title: 'Un problème est survenu de notre côté',
      happened: 'Nous n’avons pas pu traiter votre demande pour le moment. Vous n’y êtes pour rien.',
      advice:
        'Réessayez dans un instant. Si vous aviez rempli le formulaire, revenez d’abord en arrière dans votre navigateur\u202f: ce que vous avez saisi devrait encore s’y trouver.',
    },
    body_too_large: {
      title: 'Le texte était trop long',
      happened: 'Votre déclaration n’a pas été envoyée, car le formulaire est trop long pour nous.',
      advice:
        'Revenez en arrière dans votre navigateur, raccourcissez la description et envoyez à nouveau la déclaration.',
    },
    too_many_requests: {
      title: 'Veuillez patienter un instant',
      happened: 'Nous recevons plus de demandes que nous ne pouvons en traiter.',
      advice:
        'Réessayez {time}. Si vous aviez rempli le formulaire, revenez d’abord en arrière dans votre navigateur\u202f: ce que vous avez saisi devrait encore s’y trouver.',
    },
    other: {
      title: 'Cette page ne peut pas être affichée',
      happened: 'Nous n’avons pas pu traiter la demande telle qu’elle a été envoyée.',
      advice: 'Ouvrez à nouveau le lien depuis le message ou l’application où vous l’avez reçu.',
    },
    renew: 'Demander un nouveau lien',
    retry: 'Réessayer',
    reference: 'Référence pour l’assistance :',
  },
};
