// The same service as an app of its own on Express 5, with ajv.
import { Ajv } from 'ajv';
import express from 'express';
import { createClaims, DATA_HEADERS, linkSchema, Problem } from './by-hand.mjs';
import { host, port } from './listen.mjs';

const claims = await createClaims();
const validateLink = new Ajv({ removeAdditional: true, coerceTypes: true, useDefaults: true }).compile(
  linkSchema,
);
const app = express();
app.disable('x-powered-by');
// Nothing of this may be stored, so an ETag would be made for nobody.
app.disable('etag');

/** Before the body is read. */
function authenticate(req, res, next) {
  res.locals.client = claims.authenticate(req.get('x-api-key'), req.params.clientId);
  next();
}

app.get('/:clientId/sessions/:userId', authenticate, (req, res) => {
  res.set(DATA_HEADERS).json(claims.listSessions(res.locals.client.clientId, req.params.userId));
});

app.post('/:clientId/link', authenticate, express.json({ limit: 65_536 }), (req, res) => {
  if (!validateLink(req.body)) {
    const [{ instancePath, message }] = validateLink.errors;
    throw new Problem(400, 'request_invalid', 'The request is not valid', `${instancePath} ${message}`);
  }
  res.set(DATA_HEADERS).json(claims.createLink(res.locals.client, req.body));
});

app.get('/verify/:accessCode', (req, res) => {
  const { headers, html } = claims.openPage(req.params.accessCode, req.query.token);
  res.set(headers).send(html);
});

app.use((error, _req, res, _next) => {
  const problem =
    error instanceof Problem
      ? error
      : new Problem(500, 'internal', 'Something went wrong on our side', 'Try again in a moment.');
  if (problem.status === 500) console.error(error);
  res.status(problem.status).set(problem.headers).send(JSON.stringify(problem.body));
});

app.listen(port, host);
