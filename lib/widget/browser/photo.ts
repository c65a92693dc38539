// The photos of the form, as its scripts share them: each of them has at most 1,500 bytes, so they are files of their own.

/** A photo in the list. */
export interface Photo {
  name: string;
  /** SHA-256 of the bytes that are sent. Empty until they are there. */
  id: string;
  size: number;
  /** What this page sends. Absent after it was sent, and if it can never be sent. */
  body?: Blob;
  /** What was sent before, read again. */
  picture?: Blob;
  /** The browser has written the photo anew, without place and time. */
  isScaled?: boolean;
  isSent?: boolean;
  isRemoved?: boolean;
  /** Part that is sent, 0 to 1. */
  progress?: number;
  /** Why the photo is not sent. */
  problem?: string | undefined;
  request?: XMLHttpRequest;
  row?: HTMLLIElement;
}

/** The texts of the scripts: those of `photos`, those of the form, and those for the two buttons of a photo. */
type PhotoTexts = Record<
  | 'photo'
  | 'show'
  | 'sent'
  | 'noPlace'
  | 'unreadable'
  | 'full'
  | 'large'
  | 'busy'
  | 'ended'
  | 'wait'
  | 'lost'
  | 'unsent'
  | 'unshown'
  | 'remove'
  | 'retry'
  | 'sending'
  | 'offline'
  | 'rejected'
  | 'personRemoved',
  string
>;

/** What the scripts share. Each adds its members. */
export interface Photos {
  all: Photo[];
  field: HTMLElement;
  button: HTMLButtonElement;
  file: HTMLInputElement;
  list: HTMLElement;
  texts: PhotoTexts;
  /** The headers of each request. A browser without cookies has a proof of its recipient. */
  headers: Record<string, string>;
  /** The ids and names from the text of the form. The id of a photo that was not sent has a hyphen before it. */
  names: [string, string][];
  /** Returns the URL of a photo, or of the list. */
  url(id?: string): string;
  /** Says a change to screen readers, with the other changes of a moment. */
  say(text: string): void;
  /** Writes a photo anew: smaller, and without place and time. Rejects if the browser cannot read it. */
  scale(file: Blob): Promise<Pick<Photo, 'body' | 'isScaled' | 'size'>>;
  send(photo: Photo): void;
  /** Takes a photo out of the list. */
  drop(photo: Photo): void;
  remove(photo: Photo): void;
  /** Takes over the list of the service. */
  load(): void;
  /** Shows the state of a photo. */
  draw(photo: Photo): void;
  /** Updates what the form knows of the photos. */
  update(): void;
}

declare global {
  interface Window {
    photos: Photos;
  }
}
