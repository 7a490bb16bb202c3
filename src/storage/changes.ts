// What a write may do to a store. There is no change that rewrites or removes a native file.

export type Change =
  /** Bytes of a new file; several with one path follow each other. The file must not exist. */
  | { type: "create"; path: string; bytes: string | Uint8Array }
  /** Bytes after the end of an existing file, which must still have this inode and size. */
  | { type: "append"; path: string; inode: number; size: number; bytes: string | Uint8Array };
