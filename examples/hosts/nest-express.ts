// A NestJS host on Express with claimlink below /claims. Run: npx tsx nest-express.ts
// tsx compiles decorators because tsconfig.json has "experimentalDecorators". In your project, nest build does.
import { randomBytes } from 'node:crypto';
import 'reflect-metadata';
import { Body, Controller, Get, HttpCode, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createClaimlink, createLinkSigner, createMemoryStorage } from 'claimlink';
import { createNodeHandler } from 'claimlink/node';

const { PORT = '3000', PUBLIC_URL = `http://127.0.0.1:${PORT}/claims` } = process.env;

const claimlink = createClaimlink({
  // For tests and first steps. In production: PostgreSQL, or a storage over your own tables.
  storage: createMemoryStorage(),
  publicUrl: PUBLIC_URL,
  // In production the secret comes from your secret store and outlives the process.
  signer: createLinkSigner({
    keys: [{ kid: 'dev', algorithm: 'HS256', secret: randomBytes(32) }],
    issuer: PUBLIC_URL,
  }),
  onSubmit: ({ session }) => console.error(`claim ${session.reference} was submitted`),
  onError: (error, request, submission) => console.error(request ?? submission, error),
});
await claimlink.addClient({ clientId: 'acme', name: 'Acme Insurance' });
const { key } = await claimlink.addApiKey('acme'); // show the key once: only its hash is stored

@Controller()
class HostController {
  @Get()
  hello() {
    return { hello: 'from the host' };
  }

  @Post('quotes')
  @HttpCode(200)
  quote(@Body() body: unknown) {
    return { received: body };
  }
}

@Module({ controllers: [HostController] })
class AppModule {}

const app = await NestFactory.create<NestExpressApplication>(AppModule, { logger: ['error', 'warn'] });
// app.use() runs before the body parsers of Nest, and before guards and pipes. Middleware of a module runs after the parsers.
app.use('/claims', createNodeHandler(claimlink));

await app.listen(Number(PORT), '127.0.0.1');
console.log(`curl -H 'x-api-key: ${key}' ${await app.getUrl()}/claims/acme/sessions/user-1`);
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => app.close());
