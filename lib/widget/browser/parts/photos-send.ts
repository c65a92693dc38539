// Sends photos, at most two at a time, and again by itself after a cut.
import type { Photo } from '../photo.js';

const AT_A_TIME = 2;
const REPETITIONS = 3;
const TIMEOUT_MS = 300_000;
const LONGEST_WAIT = 30;

const photos = self.photos;
const { headers, texts } = photos;
/** A page that is not secure cannot make the id of the bytes. */
const random = crypto.subtle ? '' : '&id=random';
const queue: Photo[] = [];
let running = 0;

/** The service never takes such a photo. */
const LOST = /41[035]/;
/** Another attempt of itself does not help. */
const FINAL = /4(?!08|29)../;

/** Why the service takes no photo now, by the status. */
const PROBLEMS: Partial<Record<number, string>> = {
  409: texts.full,
  410: texts.ended,
  413: texts.large,
  415: texts.unreadable,
  429: texts.busy,
};

/** Sends the bytes once. The status of a cut is 0. */
const post = (photo: Photo) =>
  new Promise<XMLHttpRequest>((resolve) => {
    const request = new XMLHttpRequest();
    photo.request = request;
    request.open('POST', photos.url(photo.id) + random);
    for (const name in headers) request.setRequestHeader(name, headers[name] as string);
    request.timeout = TIMEOUT_MS;
    request.upload.onprogress = ({ loaded, total }) => {
      photo.progress = loaded / total;
      photos.draw(photo);
    };
    request.onloadend = () => resolve(request);
    request.send(photo.body);
  });

const upload = async (photo: Photo): Promise<void> => {
  for (let count = 0; !photo.isRemoved; count++) {
    const request = await post(photo);
    const { status } = request;
    if (status === 200) {
      photo.isSent = true;
      delete photo.body;
      break;
    }
    if (FINAL.test(`${status}`) || count >= REPETITIONS) {
      if (LOST.test(`${status}`)) delete photo.body;
      photo.problem = PROBLEMS[status] ?? (navigator.onLine ? texts.rejected : texts.offline);
      break;
    }
    const seconds = Number(request.getResponseHeader('retry-after')) || 2 ** count;
    await new Promise((resolve) => setTimeout(resolve, Math.min(seconds, LONGEST_WAIT) * 1000));
  }
  delete photo.progress;
  if (photo.isRemoved) return;
  photos.draw(photo);
  photos.say(`${photo.name}: ${photo.problem ?? texts.sent}`);
};

const next = (): void => {
  const photo = running < AT_A_TIME && queue.shift();
  if (!photo) {
    photos.update();
    return;
  }
  running++;
  void upload(photo).then(() => {
    running--;
    next();
  });
  next();
};

photos.send = (photo) => {
  photo.problem = undefined;
  photo.progress = 0;
  photos.draw(photo);
  queue.push(photo);
  next();
};

addEventListener('online', () => {
  for (const photo of photos.all) if (photo.problem === texts.offline) photos.send(photo);
  photos.load();
});
