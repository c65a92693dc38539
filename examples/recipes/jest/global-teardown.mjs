// Closes the mock after the last worker.
export default async function teardown() {
  await globalThis.mock.close();
}
