// The S3 store of photos over the AWS SDK and an S3 server in memory, with the checksums that the SDK adds and without them.
import { existsSync } from 'node:fs';
import t from 'tap';
import { fromS3, type S3Client } from '../../lib/photos/index.js';
import { photoStoreSuite } from '../../lib/testing/index.js';
import { REPOSITORY } from '../repository.js';

const FOLDER = new URL('test/photos/packages/', REPOSITORY);

interface Packages {
  S3: new (options: object) => S3Client;
  startFauxqs(options: { port: number; logger: boolean }): Promise<{
    port: number;
    createBucket(name: string): unknown;
    stop(): Promise<void>;
  }>;
}

/** Loads a file of a package. */
async function load(path: string): Promise<Packages> {
  return import(new URL(`node_modules/${path}`, FOLDER).href);
}

if (!existsSync(new URL('node_modules/.package-lock.json', FOLDER))) {
  const message = 'it needs npm ci --prefix test/photos/packages/';
  if (process.env['CI']) t.fail(message);
  else t.test(`S3 is skipped: ${message}`, { skip: true }, () => {});
} else {
  const [{ S3 }, { startFauxqs }] = await Promise.all([
    load('@aws-sdk/client-s3/dist-cjs/index.js'),
    load('fauxqs/dist/app.js'),
  ]);
  const server = await startFauxqs({ port: 0, logger: false });
  t.teardown(() => server.stop());
  server.createBucket('photos');
  let stores = 0;

  for (const requestChecksumCalculation of ['WHEN_SUPPORTED', 'WHEN_REQUIRED']) {
    const s3 = new S3({
      region: 'us-east-1',
      endpoint: `http://127.0.0.1:${server.port}`,
      forcePathStyle: true,
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      requestChecksumCalculation,
    });
    const cases = photoStoreSuite(() => fromS3(s3, { bucket: 'photos', prefix: `${stores++}/` }), {
      createPair() {
        const options = { bucket: 'photos', prefix: `${stores++}/` };
        return [fromS3(s3, options), fromS3(s3, options)];
      },
    });
    for (const { name, run } of cases) t.test(`checksums ${requestChecksumCalculation}: ${name}`, run);
  }
}
