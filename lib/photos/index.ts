/**
 * Stores of photos: files of a folder, and objects of an S3 bucket.
 *
 * @module claimlink/photos
 */

export type * from '../core/photo-store.js';
export { createFolderStore } from './folder.js';
export { fromS3, type S3Client, type S3Listing, type S3StoreOptions } from './s3.js';
