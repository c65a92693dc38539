// jsdom with the fetch of Node: Jest's own environment has none.
import { TestEnvironment } from 'jest-environment-jsdom';

export default class extends TestEnvironment {
  async setup() {
    await super.setup();
    Object.assign(this.global, {
      fetch,
      Headers,
      Request,
      Response,
      structuredClone,
      TextDecoder,
      TextEncoder,
    });
  }
}
