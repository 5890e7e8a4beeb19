import type { Page } from 'playwright-core';

const scale = 8;

/** A screenshot at an eighth of its size, as a PNG: layout and colours remain, letters become grey. */
export async function thumbnailOf(page: Page, canvas: Page): Promise<Buffer> {
  const screenshot = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  const encoded = await canvas.evaluate(
    async ({ png, factor }) => {
      const bytes = Uint8Array.from(atob(png), (character) => character.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes]));
      const canvas = new OffscreenCanvas(Math.round(image.width / factor), Math.round(image.height / factor));
      const context = canvas.getContext('2d');
      if (!context) throw new Error('no canvas');
      context.imageSmoothingQuality = 'high';
      context.drawImage(image, 0, 0, canvas.width, canvas.height);
      const blob = await canvas.convertToBlob({ type: 'image/png' });
      return btoa(String.fromCharCode(...new Uint8Array(await blob.arrayBuffer())));
    },
    { png: screenshot.toString('base64'), factor: scale },
  );
  return Buffer.from(encoded, 'base64');
}

/** How much two pictures differ, as a share of the greatest difference possible; 1 if their sizes differ. */
export const differenceOf = (canvas: Page, one: Buffer, other: Buffer): Promise<number> =>
  canvas.evaluate(
    async (pictures) => {
      const read = async (png: string) => {
        const bytes = Uint8Array.from(atob(png), (character) => character.charCodeAt(0));
        const image = await createImageBitmap(new Blob([bytes]));
        const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
        if (!context) throw new Error('no canvas');
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, image.width, image.height).data;
      };
      const [first, second] = await Promise.all(pictures.map(read));
      if (!first || !second || first.length !== second.length) return 1;
      return first.reduce((sum, value, index) => sum + Math.abs(value - (second[index] ?? 0)), 0) / first.length / 255;
    },
    [one.toString('base64'), other.toString('base64')],
  );
