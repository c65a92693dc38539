// Maps a submission to the request that opens a claim: the first notice of loss (FNOL).

/** The incident types of the client's form. Their keys are codes of the typelist LossCause, so no mapping is needed. */
export const INCIDENT_TYPES = [
  { key: 'vehcollision', texts: { en: 'Collision', de: 'Zusammenstoß' } },
  { key: 'glassbreakage', texts: { en: 'Broken glass', de: 'Glasbruch' } },
  { key: 'theftentire', texts: { en: 'Theft', de: 'Diebstahl' } },
];

// biome-ignore lint/suspicious/noTemplateCurlyInString: the API fills in the variable.
const CLAIM = '/claim/v1/claims/${claimId}';

/**
 * Returns the body of a composite request: a draft, its reporter, and the step that makes the draft a claim. All of it is one
 * transaction. With a request for each step, an attempt that ends after the first one would leave a draft for good: the
 * next attempt cannot repeat a transaction id. Names with `_Ext` are extension fields of the insurer.
 */
export function toFnol({ session }) {
  const { reference, date, selectedPolicy: policy, incident, link } = session;
  const { holder } = policy;
  const draft = {
    policyNumber: policy.number,
    // The form requires the day and the type. Noon in UTC is the same day from UTC-12 to UTC+11.
    lossDate: `${incident.date}T12:00:00.000Z`,
    lossCause: { code: incident.type },
    description: incident.description,
    reportedDate: date.toISOString(),
    portalReference_Ext: reference,
    portalCaseNumber_Ext: link?.extra?.caseNumber,
    licensePlate_Ext: policy.vehicle.licensePlate,
  };
  const reporter = {
    contactSubtype: 'Person',
    firstName: holder.firstName,
    lastName: holder.lastName,
    emailAddress1: holder.email,
    cellPhone: { number: holder.phone },
    roles: [{ role: { code: 'reporter' } }],
  };
  return {
    requests: [
      {
        method: 'post',
        uri: '/claim/v1/claims',
        body: { data: { attributes: draft } },
        vars: [{ name: 'claimId', path: '$.data.attributes.id' }],
      },
      { method: 'post', uri: `${CLAIM}/contacts`, body: { data: { attributes: reporter } } },
      { method: 'post', uri: `${CLAIM}/submit` },
    ],
  };
}
