// English: the source of all other languages.
// A name in braces is a placeholder, for example {label}. Every language has the same ones.

/** The texts of the pages in English. */
export const en = {
  page: {
    serviceName: 'Insurance claims',
    newTab: '(opens in a new tab)',
    errorPrefix: 'Error:',
    support: 'Support',
    imprint: 'Legal notice',
    language: 'Language',
  },
  help: {
    title: 'Need help?',
    text: 'We are happy to answer your questions.',
    phone: 'Phone',
    email: 'Email',
    web: 'Web',
  },
  /** The steps of the form: short in the progress bar, long in the heading. */
  steps: {
    policy: { short: 'Policy', title: 'Your policy' },
    incident: { short: 'Incident', title: 'What happened' },
    contact: { short: 'Contact', title: 'How we reach you' },
    review: { short: 'Review', title: 'Check and send' },
  },
  /** The labels of the fields, and what to do if a required field is empty. */
  fields: {
    provider: { label: 'Insurance provider', missing: 'Enter your insurance provider' },
    policyNumber: { label: 'Policy number', missing: 'Enter your policy number' },
    validFrom: { label: 'Valid from', missing: 'Enter the first day of your cover' },
    validTo: { label: 'Valid to', missing: 'Enter the last day of your cover' },
    licensePlate: { label: 'Licence plate', missing: 'Enter your licence plate' },
    incidentDate: { label: 'Date of the incident', missing: 'Enter the date of the incident' },
    description: { label: 'Description', missing: 'Describe what happened' },
    incidentTime: { label: 'About what time?', missing: 'Enter about what time it happened' },
    place: { label: 'Place', missing: 'Enter the place of the incident' },
    incidentType: { label: 'Kind of incident', missing: 'Choose the kind of incident' },
    injured: { label: 'Was anyone injured?', missing: 'Tell us whether anyone was injured' },
    policeReference: { label: 'Police reference', missing: 'Enter the police reference' },
    otherLicensePlate: {
      label: 'Licence plate of the other vehicle',
      missing: 'Enter the licence plate of the other vehicle',
    },
    otherInsurer: {
      label: 'Insurer of the other vehicle',
      missing: 'Enter the insurer of the other vehicle',
    },
    firstName: { label: 'First name', missing: 'Enter the first name' },
    lastName: { label: 'Last name', missing: 'Enter the last name' },
    phone: { label: 'Phone', missing: 'Enter the phone number' },
    email: { label: 'Email', missing: 'Enter the email address' },
    contacts: { label: 'People we may also contact', missing: 'Add a person' },
    notice: {
      label: 'I have read the privacy policy',
      missing: 'Confirm that you have read the privacy policy',
    },
  },
  /** Instructions for a value that breaks a rule. */
  problems: {
    answer: '{label}: enter an answer',
    contact: 'Enter an email address or a phone number',
    time: '{label}: enter a time such as 14:30',
    tooLong: '{label}: use at most {max} characters',
    /** Without an example: each browser shows a date in an order of its own. */
    date: '{label}: enter a date that exists, with four digits of the year',
    dateParts: '{label}: day, month and year are all needed, and the day must exist',
    email: '{label}: enter an address such as name@example.com',
    dateOrder: '{label}: choose a day that is not before the first day of your cover',
    dateFuture: '{label}: choose a day that is not after today',
    phoneDigits: '{label}: enter a number with at least three digits',
    tooMany: '{label}: enter at most {max}',
    characters: '{label}: remove the characters that cannot be read',
    other: '{label}: check what you entered',
    /** The problem belongs to no field. */
    form: 'Something in the form is not right. Check your answers and send them again.',
  },
  /** The question to the recipient of a link, before anything personal is shown. */
  check: {
    title: 'Please confirm that this link is for you',
    lead: 'Before we show your data, we need one answer. It keeps your data safe if the link reaches another person.',
    phoneHint: 'The last six digits are enough.',
    /** {label} is the name of the field. */
    wrong: '{label}: this does not match what we have. Tries left: {count}',
    /** After a claim that was sent without an answer; it follows `notSent`. */
    again: 'Please answer this question again, and then send your claim once more. What you typed is below.',
    send: 'Continue',
    /** To a browser that keeps no cookies, if the form of the widget has no proof. */
    cookies:
      'This browser keeps no cookies of this page, so your answer is lost. Allow cookies for this page, or open the link in another browser.',
  },
  /** The form of a recipient who does not report the claim: the reasons by their names in the event. */
  decline: {
    summary: 'This is not for me',
    question: 'What is the reason?',
    wrong_person: 'I am not this person',
    nothing_to_report: 'I have nothing to report',
    reported_already: 'I have reported it already',
    other: 'Another reason',
    missing: 'Choose a reason',
    hint: 'We note the reason and close the link. What you entered here is not sent.',
    send: 'Close the link',
  },
  form: {
    title: 'Report a claim',
    lead: 'It takes a few minutes. We need every answer that is not marked as optional.',
    optional: '(optional)',
    progress: 'Progress',
    problemsTitle: 'There is a problem',
    coverPeriod: 'Period of cover',
    incidentHint: 'Tell us what you know now. The rest can follow later.',
    descriptionHint: 'Where it was, who was involved, what was damaged. Up to {max} characters.',
    policyHolder: 'Policy holder',
    contactsHint:
      'For example another driver, or a person who handles this claim for you. For each person we need the first name, last name and email address.',
    contactsHintEither:
      'For example another driver, or a person who handles this claim for you. For each person we need the first name, last name, and an email address or a phone number.',
    yes: 'Yes',
    no: 'No',
    /** An option of a choice that needs no answer. */
    noAnswer: 'No answer',
    /** After the answer that a person was injured. */
    emergency: 'If anyone is injured, call for help first. Your claim can wait.',
    /** {phone} is a number. */
    call: 'Call {phone}',
    /** The button `change` while the fields are shown. */
    done: 'Done',
    doneStep: 'Done: {step}',
    /** A button. {email} is an address with a common domain. */
    suggestion: 'Did you mean {email}?',
    addPerson: 'Add a person',
    remove: 'Remove',
    reviewText: 'Please check that everything is right. Once it is sent, the claim cannot be changed here.',
    /** {policy} is the link with the text `privacyPolicy`. */
    privacy: 'How we use your data: {policy}',
    privacyPolicy: 'privacy policy',
    /** {time} is a date and a time. */
    until: 'This link works until {time}.',
    /** In its last two hours: {time} is a time, near the end with a duration such as "in 10 minutes". */
    untilClock: 'This link works until {time}.',
    /** Near its end: what becomes of the text. */
    untilAfter: 'What you have typed stays in this tab after that.',
    phone: 'Continue on your phone',
    phoneHint:
      'Scan the code with the camera of your phone. What you have entered here stays on this device.',
    back: 'Back',
    /** {step} is the short name of the next step. */
    next: 'Next: {step}',
    send: 'Send claim',
  },
  /** The texts that the scripts write into the page. */
  script: {
    person: 'Person {number}',
    removePerson: 'Remove person {number}',
    personRemoved: 'Removed: {person}',
    documentTitle: '{step} (step {number} of {count})',
    stepOf: 'Step {number} of {count}',
    change: 'Change',
    changeStep: 'Change: {step}',
    /** Near the limit of a field. */
    count: '{count} of {max} characters',
    missing: 'Missing',
    notGiven: 'Not given',
    /** In the review, for the date and the description: the claim can be sent without them. */
    askLater: 'We will ask you about this.',
    sending: 'Sending…',
    sendingClaim: 'Sending your claim.',
    slow: 'This takes longer than usual. Please keep this page open.',
    sendAgain: 'Send again',
    /** The message about an attempt: whether the claim arrived, the reason, and what to do. */
    notSent: 'Your claim was not sent.',
    unknown: 'We do not know whether your claim arrived.',
    offline: 'You seem to be offline.',
    tooLarge: 'The text is longer than we can take. Shorten the description.',
    /** {time} is a duration, such as "in 30 seconds". */
    tooMany: 'We are getting too many requests. Try again {time}.',
    rejected: 'Something went wrong on our side.',
    /** After the wait of a 429. */
    sendNow: 'You can send it again now.',
    nothingLost: 'Nothing you typed is lost. Try again: a claim is never taken twice.',
    /** After it, if an attempt may have stored a claim. */
    changedNow: 'Changes that you make now may not be saved.',
    copied: 'Copied',
    deleted: 'The text was deleted.',
    /** {host} is a domain name. */
    continueTo: 'Continue to {host}',
    takenTo: 'You will be taken back to {host}.',
    stayed: 'You stay on this page. Continue when you are ready.',
    redirecting: 'If nothing happens, use the button to continue.',
    /** Notes about a value that the service accepts. */
    warnings: {
      outsideCover: 'This day is outside your period of cover. If the date is right, you can go on.',
      /** The domain of the address has no dot. */
      emailDomain:
        'This address may be incomplete: there is no dot after the @. If it is right, you can go on.',
    },
  },
  success: {
    title: 'Your claim has been sent',
    thanks: 'Thank you. We have what we need for now and will be in touch.',
    /** In its place, if the claim lacks the date or the description. {topics} are the names of these. */
    askAbout: 'Thank you. We will be in touch. We will ask you about: {topics}.',
    reference: 'Your reference',
    sentOn: 'Sent on',
    note: 'Please keep your reference: you need it when you ask us about this claim.',
    /** Above the phone number and the mail address. */
    add: 'Something to add?',
    copy: 'Copy',
    print: 'Print',
    /** The button is there where the browser can share. */
    share: 'Share',
    /** The browser could not share: Copy is beside the button. */
    shareFailed: 'Sharing did not work. Please copy the reference.',
    answers: 'What you sent',
    /** Label of their names, or of their number. */
    photos: 'Photos',
    /** The target is an app, which has no domain name. */
    continue: 'Continue',
    takenBack: 'You will be taken back to the app that you came from.',
    secondsLeft: 'Seconds left:',
    stay: 'Stay on this page',
  },
  /** After a claim that differs from the one that was sent before. {time} is a date and a time. */
  changed: {
    title: 'Your changes were not saved',
    happened:
      'A claim was already sent with this link on {time}. What you entered now differs from it and has not been saved.',
    advice:
      'Copy the text below and tell us what has changed. Our phone number and email address are on this page.',
    /** To the browser that sent the stored claim. */
    differences: 'What differs from the claim that we have',
  },
  /** The text that was typed and is not part of a claim. */
  entered: {
    title: 'What you entered',
    note: 'This text is still in this tab. It may differ from what was sent.',
    /** In its place, if the link has taken no claim. */
    unsent: 'This text is still in this tab. It was not sent.',
    copy: 'Copy the text',
    delete: 'Delete the text',
  },
  /** The photos of the damage, in the form of a client that asks for them. */
  photos: {
    label: 'Photos of the damage',
    missing: 'Add a photo of the damage',
    /** {count} is a number. */
    most: 'Up to {count} photos.',
    add: 'Add photos',
    /** Name of a photo that has none. */
    photo: 'Photo {number}',
    show: 'Show',
    sent: 'Sent',
    /** Beside a photo that the browser has written anew. */
    noPlace: 'without location data',
    /** Without JavaScript. */
    place: 'A photo may contain the place and the time where it was taken.',
    unreadable: 'This file cannot be read as a photo. Choose a JPEG or PNG, or take a photo.',
    full: 'There is no room for another photo. Remove one first.',
    large: 'This photo is too large.',
    busy: 'Too many photos at once. Try again.',
    /** The claim was sent before the photo arrived. */
    ended: 'This photo is not part of the claim.',
    wait: 'We send your claim as soon as the photos have arrived.',
    /** Before the claim is sent. {names} are those of photos. */
    lost: 'Not sent: {names}. Go back to try again, or send the claim without.',
    /** After a reload, beside a photo that was chosen before. */
    unsent: 'Not sent. Choose it again.',
    /** In place of the list, while the store of photos does not answer. */
    unshown: 'The photos cannot be shown now.',
  },
  /** The text that the form keeps on the device. */
  device: {
    note: 'Your text stays on this device.',
    remove: 'Remove from this device',
    newer: 'Another tab has newer text.',
    showNewer: 'Show the newer text',
    keepThis: 'Keep this text',
    showEarlier: 'Show the text of the earlier link',
  },
  /** The pages instead of the form, by the code of the error. {phone} is the phone number of the contact. */
  unavailable: {
    link_not_found: {
      title: 'This link does not work',
      happened:
        'There is no claim form at this address. Perhaps a part of the link got lost when it was copied.',
      advice:
        'Open the whole link once more from the message or app that you got it from. If that does not help, ask for a new one.',
    },
    link_expired: {
      title: 'This link has expired',
      happened: 'To keep your data safe, a link works for a limited time only. This one is no longer valid.',
      advice: 'Ask us for a new link, phone {phone}.',
    },
    link_revoked: {
      title: 'This link has been withdrawn',
      happened: 'We have withdrawn this link. It no longer opens a claim form.',
      advice: 'Ask us for a new link, phone {phone}.',
    },
    link_submitted: {
      title: 'This claim has been sent already',
      happened: 'We have got the claim that was made with this link.',
      advice: 'There is nothing more to do. To report another claim, ask for a new link.',
    },
    link_locked: {
      title: 'This link is locked',
      happened:
        'The question was answered wrongly too many times. To keep your data safe, this link now opens no claim form.',
      advice: 'Ask us for a new link, or to unlock this one, phone {phone}.',
    },
    /** After the recipient has declined the link. */
    declined: {
      title: 'Thank you for telling us',
      happened: 'No claim was sent, and this link is now closed.',
      advice: 'To report a claim after all, ask us for a new link, phone {phone}.',
    },
    /** After the request for another link. */
    renewal: {
      title: 'You have asked for a new link',
      happened: 'We have received your request. This link is no longer valid.',
      advice: 'If you hear nothing, contact us. Our contact details are on this page.',
    },
    internal: {
      title: 'Something went wrong on our side',
      happened: 'We could not do that just now. It is not your fault.',
      advice:
        'Try again in a moment. If you had filled in the form, go back in your browser first: what you typed should still be there.',
    },
    body_too_large: {
      title: 'That was too much text',
      happened: 'Your claim was not sent, because the form is longer than we can take.',
      advice: 'Go back in your browser, shorten the description and send the claim again.',
    },
    too_many_requests: {
      title: 'Please wait a moment',
      happened: 'We are getting more requests than we can answer.',
      /** {time} is a duration, such as "in 30 seconds". */
      advice:
        'Try again {time}. If you had filled in the form, go back in your browser first: what you typed should still be there.',
    },
    other: {
      title: 'This page cannot be shown',
      happened: 'We could not handle the request as it was sent.',
      advice: 'Open the link once more from the message or app that you got it from.',
    },
    /** The button of an expired link. */
    renew: 'Ask for a new link',
    retry: 'Try again',
    reference: 'Reference for support:',
  },
};
