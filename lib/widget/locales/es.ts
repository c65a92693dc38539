// Spanish. No native speaker has reviewed these texts.
import type { Texts } from './texts.js';

export const es: Texts = {
  page: {
    serviceName: 'Declaración de siniestros',
    newTab: '(se abre en una pestaña nueva)',
    errorPrefix: 'Error:',
    support: 'Asistencia',
    imprint: 'Aviso legal',
    language: 'Idioma',
  },
  help: {
    title: '¿Necesita ayuda?',
    text: 'Estaremos encantados de responder a sus preguntas.',
    phone: 'Teléfono',
    email: 'Correo electrónico',
    web: 'Web',
  },
  steps: {
    policy: { short: 'Póliza', title: 'Su póliza' },
    incident: { short: 'Siniestro', title: 'Qué ha ocurrido' },
    contact: { short: 'Contacto', title: 'Cómo contactar con usted' },
    review: { short: 'Revisión', title: 'Revisar y enviar' },
  },
  fields: {
    provider: { label: 'Compañía aseguradora', missing: 'Introduzca su compañía aseguradora' },
    policyNumber: { label: 'Número de póliza', missing: 'Introduzca su número de póliza' },
    validFrom: { label: 'Válida desde', missing: 'Introduzca el primer día de su cobertura' },
    validTo: { label: 'Válida hasta', missing: 'Introduzca el último día de su cobertura' },
    licensePlate: { label: 'Matrícula', missing: 'Introduzca su matrícula' },
    incidentDate: { label: 'Fecha del siniestro', missing: 'Introduzca la fecha del siniestro' },
    description: { label: 'Descripción', missing: 'Describa qué ha ocurrido' },
    incidentTime: { label: 'Hora aproximada', missing: 'Introduzca la hora aproximada del siniestro' },
    place: { label: 'Lugar', missing: 'Introduzca el lugar del siniestro' },
    incidentType: { label: 'Tipo de siniestro', missing: 'Elija el tipo de siniestro' },
    injured: { label: '¿Hubo algún herido?', missing: 'Indique si hubo algún herido' },
    policeReference: { label: 'Referencia de la policía', missing: 'Introduzca la referencia de la policía' },
    otherLicensePlate: {
      label: 'Matrícula del otro vehículo',
      missing: 'Introduzca la matrícula del otro vehículo',
    },
    otherInsurer: {
      label: 'Aseguradora del otro vehículo',
      missing: 'Introduzca la aseguradora del otro vehículo',
    },
    firstName: { label: 'Nombre', missing: 'Introduzca el nombre' },
    lastName: { label: 'Apellidos', missing: 'Introduzca los apellidos' },
    phone: { label: 'Teléfono', missing: 'Introduzca el número de teléfono' },
    email: { label: 'Correo electrónico', missing: 'Introduzca la dirección de correo electrónico' },
    contacts: { label: 'Otras personas con las que podemos contactar', missing: 'Añada una persona' },
    notice: {
      label: 'He leído la política de privacidad',
      missing: 'Confirme que ha leído la política de privacidad',
    },
  },
  problems: {
    answer: '{label}: introduzca una respuesta',
    contact: 'Introduzca una dirección de correo electrónico o un número de teléfono',
    time: '{label}: introduzca una hora, por ejemplo 14:30',
    tooLong: '{label}: utilice como máximo {max} caracteres',
    date: '{label}: introduzca una fecha que exista, con el año en cuatro cifras, por ejemplo 2026-12-31',
    dateParts: '{label}: hacen falta el día, el mes y el año, y el día debe existir',
    email: '{label}: introduzca una dirección como nombre@example.com',
    dateOrder: '{label}: elija un día que no sea anterior al primer día de su cobertura',
    dateFuture: '{label}: elija un día que no sea posterior a hoy',
    phoneDigits: '{label}: introduzca un número con al menos tres cifras',
    tooMany: '{label}: indique {max} como máximo',
    characters: '{label}: elimine los caracteres ilegibles',
    other: '{label}: revise lo que ha introducido',
    form: 'Hay algo en el formulario que no es correcto. Revise sus respuestas y envíelas de nuevo.',
  },
  check: {
    title: 'Confirme que este enlace es para usted',
    lead: 'Antes de mostrar sus datos, necesitamos una respuesta. Protege sus datos si el enlace llega a otra persona.',
    which: 'Nos referimos a su propia póliza con nosotros y a lo que asegura.',
    phoneHint: 'Bastan las seis últimas cifras.',
    wrong: '{label}: no coincide con nuestros datos. Intentos restantes: {count}',
    again:
      'Responda de nuevo a esta pregunta y después vuelva a enviar su parte. Lo que escribió está más abajo.',
    send: 'Continuar',
    cookies:
      'Este navegador no guarda las cookies de esta página, por lo que su respuesta se pierde. Permita las cookies en esta página o abra el enlace en otro navegador.',
  },
  decline: {
    summary: 'Esto no es para mí',
    question: '¿Cuál es el motivo?',
    wrong_person: 'No soy esta persona',
    nothing_to_report: 'No tengo nada que declarar',
    reported_already: 'Ya lo he declarado',
    other: 'Otro motivo',
    hint: 'Comunicaremos el motivo y cerraremos el enlace. Lo que ha introducido aquí no se enviará.',
    send: 'Cerrar el enlace',
  },
  form: {
    title: 'Declarar un siniestro',
    lead: 'Solo le llevará unos minutos. Necesitamos todas las respuestas que no estén marcadas como opcionales.',
    optional: '(opcional)',
    progress: 'Progreso',
    problemsTitle: 'Hay un problema',
    coverPeriod: 'Período de cobertura',
    incidentHint: 'Cuéntenos lo que sepa ahora. Podrá completar el resto más adelante.',
    descriptionHint: 'Dónde ocurrió, quién estuvo implicado, qué daños hubo. Hasta {max} caracteres.',
    policyHolder: 'Tomador del seguro',
    contactsHint:
      'Por ejemplo, otro conductor o una persona que se ocupa de este siniestro por usted. De cada persona necesitamos el nombre, los apellidos y la dirección de correo electrónico.',
    contactsHintEither:
      'Por ejemplo, otro conductor o una persona que se ocupa de este siniestro por usted. De cada persona necesitamos el nombre, los apellidos y una dirección de correo electrónico o un número de teléfono.',
    yes: 'Sí',
    no: 'No',
    emergency: 'Si hay algún herido, pida ayuda primero. Su declaración puede esperar.',
    call: 'Llamar al {phone}',
    done: 'Listo',
    doneStep: 'Listo: {step}',
    addPerson: 'Añadir persona',
    remove: 'Eliminar',
    reviewText: 'Compruebe que todo es correcto. Una vez enviada, la declaración no se puede modificar aquí.',
    privacy: 'Cómo utilizamos sus datos: {policy}',
    privacyPolicy: 'política de privacidad',
    until: 'Este enlace funciona hasta el {time}.',
    untilClock: 'Este enlace funciona hasta las {time}.',
    untilAfter: 'Después, lo que ha escrito sigue en esta pestaña.',
    phone: 'Continuar en el móvil',
    phoneHint:
      'Escanee el código con la cámara de su móvil. Lo que ha introducido aquí se queda en este dispositivo.',
    back: 'Atrás',
    next: 'Siguiente: {step}',
    send: 'Enviar declaración',
  },
  script: {
    person: 'Persona {number}',
    removePerson: 'Eliminar persona {number}',
    personRemoved: 'Se ha eliminado: {person}',
    documentTitle: '{step} (paso {number} de {count})',
    stepOf: 'Paso {number} de {count}',
    change: 'Modificar',
    changeStep: 'Modificar: {step}',
    count: '{count} de {max} caracteres',
    missing: 'Falta',
    notGiven: 'Sin indicar',
    sending: 'Enviando…',
    sendingClaim: 'Estamos enviando su declaración.',
    slow: 'Está tardando más de lo habitual. Por favor, mantenga abierta esta página.',
    sendAgain: 'Enviar de nuevo',
    notSent: 'Su declaración no se ha enviado.',
    unknown: 'No sabemos si hemos recibido su declaración.',
    offline: 'Parece que no tiene conexión a internet.',
    tooLarge: 'El texto es más largo de lo que podemos aceptar. Acorte la descripción.',
    tooMany: 'Estamos recibiendo demasiadas solicitudes. Inténtelo de nuevo {time}.',
    rejected: 'Ha habido un problema por nuestra parte.',
    sendNow: 'Ya puede volver a enviarla.',
    nothingLost:
      'No se ha perdido nada de lo que ha escrito. Inténtelo de nuevo: una declaración nunca se registra dos veces.',
    copied: 'Copiado',
    deleted: 'El texto se ha eliminado.',
    continueTo: 'Continuar a {host}',
    takenTo: 'Volverá a {host}.',
    stayed: 'Permanece en esta página. Continúe cuando quiera.',
    redirecting: 'Si no ocurre nada, utilice el botón para continuar.',
    warnings: {
      outsideCover:
        'Este día está fuera de su período de cobertura. Si la fecha es correcta, puede continuar.',
      emailDomain:
        'Es posible que la dirección esté incompleta: falta un punto después de la @. Si es correcta, puede continuar.',
    },
  },
  success: {
    title: 'Su declaración se ha enviado',
    thanks: 'Gracias. Por ahora tenemos lo que necesitamos y nos pondremos en contacto con usted.',
    reference: 'Su referencia',
    sentOn: 'Enviada el',
    note: 'Consérvela, por favor: la necesitará cuando nos consulte sobre este siniestro.',
    copy: 'Copiar',
    print: 'Imprimir',
    answers: 'Lo que ha enviado',
    continue: 'Continuar',
    takenBack: 'Volverá a la aplicación desde la que ha venido.',
    secondsLeft: 'Segundos restantes:',
    stay: 'Permanecer en esta página',
  },
  changed: {
    title: 'Sus cambios no se han registrado',
    happened:
      'Ya se envió una declaración con este enlace el {time}. Lo que ha introducido ahora es distinto y no se ha registrado.',
    advice:
      'Copie el texto que aparece más abajo e infórmenos de lo que ha cambiado. Nuestro número de teléfono y nuestra dirección de correo electrónico figuran en esta página.',
  },
  entered: {
    title: 'Lo que ha introducido',
    note: 'Este texto sigue en esta pestaña. Puede ser distinto de lo que se envió.',
    copy: 'Copiar el texto',
    delete: 'Eliminar el texto',
  },
  unavailable: {
    link_not_found: {
      title: 'Este enlace no funciona',
      happened:
        'No hay ningún formulario de siniestro en esta dirección. Quizá se perdió una parte del enlace al copiarlo.',
      advice:
        'Abra de nuevo el enlace completo desde el mensaje o la aplicación donde lo recibió. Si no funciona, pida uno nuevo.',
    },
    link_expired: {
      title: 'Este enlace ha caducado',
      happened:
        'Para proteger sus datos, un enlace solo funciona durante un tiempo limitado. Este ya no es válido.',
      advice: 'Pida un enlace nuevo en el mismo sitio donde obtuvo este.',
    },
    link_revoked: {
      title: 'Este enlace se ha retirado',
      happened: 'El enlace se ha anulado y ya no abre ningún formulario de siniestro.',
      advice: 'Pida un enlace nuevo en el mismo sitio donde obtuvo este.',
    },
    link_submitted: {
      title: 'Esta declaración ya se ha enviado',
      happened: 'Hemos recibido la declaración que se hizo con este enlace.',
      advice: 'No tiene que hacer nada más. Para declarar otro siniestro, pida un enlace nuevo.',
    },
    link_locked: {
      title: 'Este enlace está bloqueado',
      happened:
        'Se respondió mal a la pregunta demasiadas veces. Para proteger sus datos, este enlace ya no abre ningún formulario.',
      advice:
        'Pida a su aseguradora un enlace nuevo o que desbloquee este. Nuestros datos de contacto están en esta página.',
    },
    declined: {
      title: 'Gracias por avisarnos',
      happened: 'No se ha enviado ninguna declaración y este enlace está cerrado.',
      advice:
        'Si al final quiere declarar un siniestro, pida un enlace nuevo en el mismo sitio donde obtuvo este.',
    },
    renewal: {
      title: 'Ha pedido un enlace nuevo',
      happened: 'Hemos transmitido su petición. Este enlace ya no es válido.',
      advice:
        'Si no recibe respuesta, póngase en contacto con nosotros. Nuestros datos de contacto están en esta página.',
    },
    internal: {
      title: 'Ha habido un problema por nuestra parte',
      happened: 'No hemos podido hacerlo en este momento. No es culpa suya.',
      advice:
        'Inténtelo de nuevo dentro de un momento. Si ya había rellenado el formulario, vuelva primero atrás en el navegador: lo que escribió debería seguir ahí.',
    },
    body_too_large: {
      title: 'El texto era demasiado largo',
      happened:
        'Su declaración no se ha enviado porque el formulario es más largo de lo que podemos aceptar.',
      advice: 'Vuelva atrás en el navegador, acorte la descripción y envíe de nuevo la declaración.',
    },
    too_many_requests: {
      title: 'Espere un momento, por favor',
      happened: 'Estamos recibiendo más solicitudes de las que podemos atender.',
      advice:
        'Inténtelo de nuevo {time}. Si ya había rellenado el formulario, vuelva primero atrás en el navegador: lo que escribió debería seguir ahí.',
    },
    other: {
      title: 'Esta página no se puede mostrar',
      happened: 'No hemos podido procesar la solicitud tal como se envió.',
      advice: 'Abra de nuevo el enlace desde el mensaje o la aplicación donde lo recibió.',
    },
    renew: 'Pedir un enlace nuevo',
    retry: 'Intentar de nuevo',
    reference: 'Referencia para soporte:',
  },
};
