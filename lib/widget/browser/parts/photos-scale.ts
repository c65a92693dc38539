// Writes a photo anew before it is sent: smaller, upright, and without the place where it was taken.

/** Longest side in pixels. Also below the limit of a canvas on iOS. */
const LONGEST = 2560;
const QUALITY = 0.85;
/** A browser that protects against fingerprints returns another colour than this one, or one that looks the same. */
const COLOUR = '#123';

const { field } = self.photos;

self.photos.scale = async (file) => {
  // Android may change a file after it was chosen, and iOS may empty it: the bytes in memory stay.
  const bytes = new Blob([await file.arrayBuffer()], { type: file.type });
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d') as CanvasRenderingContext2D;
  try {
    // It has the orientation of the file. Without options: some browsers turn the image twice with them.
    const image = await createImageBitmap(bytes);
    const ratio = Math.min(1, LONGEST / Math.max(image.width, image.height));
    const scaled = (side: number): number => Math.max(1, Math.round(side * ratio));
    canvas.width = scaled(image.width);
    canvas.height = scaled(image.height);
    const fill = (colour: string): void => {
      context.fillStyle = colour;
      context.fillRect(0, 0, canvas.width, canvas.height);
    };
    fill(COLOUR);
    const [red, green, blue] = context.getImageData(0, 0, 1, 1).data as unknown as [number, number, number];
    if (((red ^ 0x11) | (green ^ 0x22) | (blue ^ 0x33)) > 0xf) throw 0;
    // JPEG has no transparency.
    fill('#fff');
    context.imageSmoothingQuality = 'high';
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    image.close();
    const body = await new Promise<Blob | null>((resolve) => {
      canvas.toBlob(resolve, 'image/jpeg', QUALITY);
    });
    if (!body) throw 0;
    return { body, size: body.size, isScaled: true };
  } catch (error) {
    const brand = await bytes.slice(4, 12).text();
    if ('heic' in field.dataset && /^ftyp(he|m[is]f1)/.test(brand)) return { body: bytes, size: bytes.size };
    throw error;
  } finally {
    // iOS counts the pixels of all canvases.
    canvas.width = 0;
  }
};
