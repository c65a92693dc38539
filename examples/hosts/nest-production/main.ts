// A complete NestJS host over PostgreSQL: logs, rate limits, health, delivery and shutdown.
//   export DATABASE_URL=postgres://... CLAIMLINK_SCHEMA=claimlink
//   npx claimlink migrate
//   npx claimlink clients add acme --name 'Acme Insurance' --callback-origin https://app.acme.example
//   npx claimlink keys issue --client acme --expires 90d
//   export PUBLIC_URL=https://claims.acme.example/claims SIGNING_KEYS="2026-01=$(openssl rand -hex 32)"
//   npx tsx nest-production/main.ts
// tsx does not write types of parameters for Nest, so dependencies have @Inject.
import 'reflect-metadata';
import { ConsoleLogger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createNodeHandler } from 'claimlink/node';
import { ClaimsService } from './claims.service.js';
import { HealthController } from './health.controller.js';
import { createRequestLimit, createRequestLog } from './middleware.js';

@Module({ controllers: [HealthController], providers: [ClaimsService] })
class AppModule {}

const app = await NestFactory.create<NestExpressApplication>(AppModule, {
  logger: new ConsoleLogger({ json: true }),
});
app.enableShutdownHooks(['SIGINT', 'SIGTERM'], { useProcessExit: true });
app.set('trust proxy', 'loopback'); // the address of the proxy: requests are counted by the address of its client

const { claimlink } = app.get(ClaimsService);
// app.use() runs before the body parsers of Nest, and before guards and pipes.
app.use(createRequestLog(claimlink, '/claims'));
app.use('/claims', createRequestLimit(claimlink), createNodeHandler(claimlink));
await app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1');
console.log(`${await app.getUrl()}/claims`);
