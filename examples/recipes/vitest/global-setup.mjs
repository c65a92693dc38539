// Starts the mock before the first worker, and closes it after the last one.
import { startMockServer } from 'claimlink/mock-server';

export default async function setup(project) {
  // The origin of the pages of happy-dom, which applies CORS.
  const mock = await startMockServer({ port: 0, controlOrigins: ['http://localhost:3000'] });
  project.provide('mockUrl', mock.url);
  return () => mock.close();
}
