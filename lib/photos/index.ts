/**
 * Stores of photos: files of a folder.
 *
 * @module claimlink/photos
 */

export type {
  NewPhoto,
  PhotoEntry,
  PhotoLink,
  PhotoLinkPage,
  PhotoRef,
  PhotoStore,
  PhotoType,
  PutOptions,
  StoredPhoto,
} from '../core/photo-store.js';
export { createFolderStore } from './folder.js';
