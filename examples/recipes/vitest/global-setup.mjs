// Starts the mock before the first worker, and closes it after the last one.
import { startMockServer } from 'claimlink/mock-server';

export default async function setup(project) {
  const mock = await startMockServer({ port: 0 });
  project.provide('mockUrl', mock.url);
  return () => mock.close();
}
