// Health for the platform that runs the process.
import { Controller, Get, Inject, ServiceUnavailableException } from '@nestjs/common';
import { isClaimlinkError } from 'claimlink';
import { ClaimsService } from './claims.service.js';

@Controller()
export class HealthController {
  @Inject(ClaimsService) readonly claims!: ClaimsService;

  /** Does not query the database: a restart does not repair a database. */
  @Get('alive')
  alive() {
    return { status: 'alive' };
  }

  @Get('ready')
  async ready() {
    try {
      await this.claims.claimlink.listSessions('acme', 'health', { limit: 1 });
    } catch (error) {
      if (!isClaimlinkError(error) || error.code !== 'client_not_found')
        throw new ServiceUnavailableException();
    }
    return { status: 'ready' };
  }
}
