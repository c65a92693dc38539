// European Portuguese. No native speaker has reviewed these texts.
import type { Texts } from './texts.js';

export const pt: Texts = {
  page: {
    serviceName: 'Participação de sinistros',
    newTab: '(abre num novo separador)',
    errorPrefix: 'Erro:',
    support: 'Apoio',
    imprint: 'Informações legais',
    language: 'Idioma',
  },
  help: {
    title: 'Precisa de ajuda?',
    text: 'Teremos todo o gosto em responder às suas perguntas.',
    phone: 'Telefone',
    email: 'E-mail',
    web: 'Site',
  },
  steps: {
    policy: { short: 'Apólice', title: 'A sua apólice' },
    incident: { short: 'Sinistro', title: 'O que aconteceu' },
    contact: { short: 'Contacto', title: 'Como entrar em contacto consigo' },
    review: { short: 'Revisão', title: 'Verificar e enviar' },
  },
  fields: {
    provider: { label: 'Seguradora', missing: 'Indique a sua seguradora' },
    policyNumber: { label: 'Número da apólice', missing: 'Indique o número da sua apólice' },
    validFrom: { label: 'Válida desde', missing: 'Indique o primeiro dia da sua cobertura' },
    validTo: { label: 'Válida até', missing: 'Indique o último dia da sua cobertura' },
    licensePlate: { label: 'Matrícula', missing: 'Indique a sua matrícula' },
    incidentDate: { label: 'Data do sinistro', missing: 'Indique a data do sinistro' },
    description: { label: 'Descrição', missing: 'Descreva o que aconteceu' },
    incidentTime: { label: 'Hora aproximada', missing: 'Indique a hora aproximada do sinistro' },
    place: { label: 'Local', missing: 'Indique o local do sinistro' },
    incidentType: { label: 'Tipo de sinistro', missing: 'Escolha o tipo de sinistro' },
    injured: { label: 'Houve feridos?', missing: 'Indique se houve feridos' },
    policeReference: { label: 'Referência da polícia', missing: 'Indique a referência da polícia' },
    otherLicensePlate: {
      label: 'Matrícula do outro veículo',
      missing: 'Indique a matrícula do outro veículo',
    },
    otherInsurer: { label: 'Seguradora do outro veículo', missing: 'Indique a seguradora do outro veículo' },
    firstName: { label: 'Nome próprio', missing: 'Indique o nome próprio' },
    lastName: { label: 'Apelido', missing: 'Indique o apelido' },
    phone: { label: 'Telefone', missing: 'Indique o número de telefone' },
    email: { label: 'E-mail', missing: 'Indique o endereço de e-mail' },
    contacts: { label: 'Outras pessoas que podemos contactar', missing: 'Adicione uma pessoa' },
    notice: { label: 'Li a política de privacidade', missing: 'Confirme que leu a política de privacidade' },
  },
  problems: {
    answer: '{label}: indique uma resposta',
    contact: 'Indique um endereço de e-mail ou um número de telefone',
    time: '{label}: indique uma hora, por exemplo 14:30',
    tooLong: '{label}: utilize, no máximo, {max} caracteres',
    date: '{label}: indique uma data que exista, com ano, mês e dia, por exemplo 2026-12-31',
    email: '{label}: indique um endereço como nome@example.com',
    dateOrder: '{label}: escolha um dia que não seja anterior ao primeiro dia da sua cobertura',
    dateFuture: '{label}: escolha um dia que não seja posterior a hoje',
    phoneDigits: '{label}: indique um número com pelo menos três algarismos',
    tooMany: '{label}: indique, no máximo, {max}',
    characters: '{label}: retire os caracteres ilegíveis',
    other: '{label}: verifique o que introduziu',
    form: 'Há algo no formulário que não está correto. Verifique as suas respostas e envie-as novamente.',
  },
  check: {
    title: 'Confirme que este link é para si',
    lead: 'Antes de mostrarmos os seus dados, precisamos de uma resposta. Protege os seus dados se o link chegar a outra pessoa.',
    phoneHint: 'Bastam os últimos seis algarismos.',
    wrong: '{label}: não corresponde aos nossos dados. Tentativas restantes: {count}',
    again:
      'Responda novamente a esta pergunta e depois envie outra vez a participação. O que escreveu está mais abaixo.',
    send: 'Continuar',
  },
  form: {
    title: 'Participar um sinistro',
    lead: 'Demora apenas alguns minutos. Precisamos de todas as respostas que não estejam assinaladas como opcionais.',
    optional: '(opcional)',
    progress: 'Progresso',
    problemsTitle: 'Há um problema',
    coverPeriod: 'Período de cobertura',
    incidentHint: 'Conte-nos o que sabe agora. O resto pode seguir mais tarde.',
    descriptionHint: 'Onde foi, quem esteve envolvido, o que ficou danificado. Até 4000 caracteres.',
    policyHolder: 'Tomador do seguro',
    contactsHint:
      'Por exemplo, outro condutor ou uma pessoa que trate deste sinistro por si. De cada pessoa precisamos do nome próprio, do apelido e do endereço de e-mail.',
    contactsHintEither:
      'Por exemplo, outro condutor ou uma pessoa que trate deste sinistro por si. De cada pessoa precisamos do nome próprio, do apelido e de um endereço de e-mail ou número de telefone.',
    yes: 'Sim',
    no: 'Não',
    addPerson: 'Adicionar pessoa',
    remove: 'Remover',
    reviewText:
      'Verifique se está tudo correto. Depois de enviada, a participação não pode ser alterada aqui.',
    privacy: 'Como utilizamos os seus dados: {policy}',
    privacyPolicy: 'política de privacidade',
    until: 'Este link funciona até {time}.',
    phone: 'Continuar no telemóvel',
    phoneHint: 'Leia o código com a câmara do seu telemóvel. O que introduziu aqui fica neste dispositivo.',
    back: 'Voltar',
    next: 'Seguinte: {step}',
    send: 'Enviar participação',
  },
  script: {
    person: 'Pessoa {number}',
    removePerson: 'Remover pessoa {number}',
    personRemoved: 'Remoção efetuada: {person}',
    documentTitle: '{step} (passo {number} de {count})',
    stepOf: 'Passo {number} de {count}',
    change: 'Alterar',
    changeStep: 'Alterar: {step}',
    missing: 'Em falta',
    notGiven: 'Não indicado',
    sending: 'A enviar…',
    sendingClaim: 'A enviar a sua participação.',
    slow: 'Está a demorar mais do que o habitual. Mantenha esta página aberta.',
    sendAgain: 'Enviar novamente',
    notSent: 'A sua participação não foi enviada.',
    unknown: 'Não sabemos se a sua participação chegou até nós.',
    offline: 'Parece que não tem ligação à internet.',
    tooLarge: 'O texto é mais longo do que podemos aceitar. Encurte a descrição.',
    tooMany: 'Estamos a receber demasiados pedidos. Tente novamente {time}.',
    rejected: 'Ocorreu um problema do nosso lado.',
    nothingLost:
      'Nada do que escreveu se perdeu. Tente novamente: uma participação nunca é registada duas vezes.',
    copied: 'Copiado',
    deleted: 'O texto foi eliminado.',
    continueTo: 'Continuar para {host}',
    takenTo: 'Vai voltar a {host}.',
    stayed: 'Permanece nesta página. Continue quando quiser.',
    redirecting: 'Se nada acontecer, utilize o botão para continuar.',
    warnings: {
      outsideCover:
        'Este dia está fora do seu período de cobertura. Se a data estiver correta, pode continuar.',
      emailDomain:
        'Este endereço pode estar incompleto: falta um ponto depois do símbolo @. Se estiver correto, pode continuar.',
    },
  },
  success: {
    title: 'A sua participação foi enviada',
    thanks: 'Agradecemos. Por agora temos o que precisamos e entraremos em contacto consigo.',
    reference: 'A sua referência',
    sentOn: 'Enviada em',
    note: 'Guarde esta referência: vai precisar dela quando nos contactar sobre este sinistro.',
    copy: 'Copiar',
    print: 'Imprimir',
    answers: 'O que enviou',
    continue: 'Continuar',
    takenBack: 'Vai voltar à aplicação de onde veio.',
    secondsLeft: 'Segundos restantes:',
    stay: 'Ficar nesta página',
  },
  changed: {
    title: 'As suas alterações não foram registadas',
    happened:
      'Já foi enviada uma participação através deste link em {time}. O que introduziu agora é diferente e não foi registado.',
    advice:
      'Copie o texto abaixo e diga-nos o que mudou. O nosso número de telefone e o nosso endereço de e-mail encontram-se nesta página.',
  },
  entered: {
    title: 'O que introduziu',
    note: 'Este texto ainda está neste separador. Pode ser diferente do que foi enviado.',
    copy: 'Copiar o texto',
    delete: 'Eliminar o texto',
  },
  unavailable: {
    link_not_found: {
      title: 'Este link não funciona',
      happened:
        'Não existe nenhum formulário de participação neste endereço. Talvez uma parte do link se tenha perdido ao ser copiado.',
      advice:
        'Abra novamente o link completo a partir da mensagem ou da aplicação onde o recebeu. Se não resultar, peça um novo.',
    },
    link_expired: {
      title: 'Este link expirou',
      happened:
        'Para proteger os seus dados, um link só funciona durante um período limitado. Este já não é válido.',
      advice: 'Peça um novo link no local onde obteve este.',
    },
    link_revoked: {
      title: 'Este link foi retirado',
      happened: 'O link foi anulado e já não abre nenhum formulário de participação.',
      advice: 'Peça um novo link no local onde obteve este.',
    },
    link_submitted: {
      title: 'Esta participação já foi enviada',
      happened: 'Recebemos a participação feita através deste link.',
      advice: 'Não precisa de fazer mais nada. Para participar outro sinistro, peça um novo link.',
    },
    link_locked: {
      title: 'Este link está bloqueado',
      happened:
        'A pergunta foi respondida de forma errada demasiadas vezes. Para proteger os seus dados, este link já não abre nenhum formulário.',
      advice:
        'Peça à sua seguradora um novo link ou que desbloqueie este. Os nossos contactos estão nesta página.',
    },
    internal: {
      title: 'Ocorreu um problema do nosso lado',
      happened: 'Não conseguimos fazer isso neste momento. A culpa não é sua.',
      advice:
        'Tente novamente dentro de momentos. Se já tinha preenchido o formulário, volte primeiro atrás no navegador: o que escreveu ainda lá deverá estar.',
    },
    body_too_large: {
      title: 'O texto era demasiado longo',
      happened: 'A sua participação não foi enviada porque o formulário é mais longo do que podemos aceitar.',
      advice: 'Volte atrás no navegador, encurte a descrição e envie novamente a participação.',
    },
    too_many_requests: {
      title: 'Aguarde um momento',
      happened: 'Estamos a receber mais pedidos do que conseguimos tratar.',
      advice:
        'Tente novamente {time}. Se já tinha preenchido o formulário, volte primeiro atrás no navegador: o que escreveu ainda lá deverá estar.',
    },
    other: {
      title: 'Não é possível mostrar esta página',
      happened: 'Não conseguimos tratar o pedido tal como foi enviado.',
      advice: 'Abra novamente o link a partir da mensagem ou da aplicação onde o recebeu.',
    },
    retry: 'Tentar novamente',
    reference: 'Referência para o suporte:',
  },
};
