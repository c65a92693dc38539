// The text of files that people edit: their byte order mark names the encoding.
import t from 'tap';
import { decodeText } from '../../../mock-server/scenario/text-file.js';
import { ENCODINGS } from '../encodings.js';

const TEXT = '{ "name": "Zoë 李 🚗" }\r\n';

for (const [encoding, encode] of Object.entries(ENCODINGS))
  t.test(`${encoding} is decoded without its byte order mark`, async (t) => {
    t.equal(decodeText(encode(TEXT)), TEXT);
    t.equal(decodeText(encode('')), '');
  });

for (const [name, bytes] of Object.entries({
  'Windows-1252': Buffer.from(TEXT, 'latin1'),
  'UTF-16 without a byte order mark': Buffer.from(TEXT, 'utf16le'),
  'UTF-16 with half of a character': Buffer.from('\ufeffab', 'utf16le').subarray(0, 5),
  'UTF-32': Buffer.from([0xff, 0xfe, 0, 0, 0x7b, 0, 0, 0]),
  'a picture': Buffer.from([0x89, 0x50, 0x4e, 0x47]),
}))
  t.test(`${name} is rejected: it would be read as another text`, async (t) => {
    t.throws(() => decodeText(bytes), { code: 'EILSEQ', message: 'it is not text in UTF-8 or UTF-16' });
  });
