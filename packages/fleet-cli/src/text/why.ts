/**
 * Result codes and errno codes as sentences for people.
 * JSON documents carry the codes themselves.
 */
const SENTENCES: Readonly<Record<string, string>> = {
  conflict: 'somebody else wrote first: the generation on disk is not the one that was named',
  superseded: 'somebody else wrote first: the generation on disk is not the one that was named',
  overtaken: 'the hold was written, and was lifted or replaced by somebody else before it was seen',
  unseen: 'the hold was not seen on disk afterwards',
  busy: 'another operation on this scope did not finish in time',
  'too-many-holders': 'the scope already has the maximum number of holders',
  'too-large': 'the holds of this scope would no longer fit into one file',
  uncertain:
    'its deadline was written by another clock, which may be right; `fleet resume --everyone` or `fleet doctor --fix` removes it',
  'missed-unwritten': 'what becomes of missed work could not be written beside the hold',
  'not-held': 'there is no such hold',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not do that there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EBUSY: 'something is mounted at the sentinel',
  ENOENT: 'the folder is gone',
  EIO: 'the disk reports an error',
  EMFILE: 'this process has no file descriptor left',
  ENFILE: 'this machine has no file descriptor left',
  ENOMEM: 'this machine has no memory left',
  ESTALE: 'the file system was unmounted or replaced under it',
  ETIMEDOUT: 'the file system does not answer',
  'not-json': 'the file is not JSON',
  'too-many-holds': 'the file names more holds than a sentinel can have',
  'not-utf8': 'the file is in another encoding than UTF-8',
  'utf-16': 'the file is in UTF-16, not in UTF-8',
  EFBIG: 'the file is larger than a sentinel can be',
  EINVAL: 'it is not a regular file',
  ELOOP: 'it is a symbolic link',
  entry: 'one entry of its holds cannot be read',
  unsettled: 'it kept changing while it was read',
};

/** `the disk is full (ENOSPC)`. */
export function whyText(why: string): string {
  const sentence = SENTENCES[why];
  return sentence === undefined ? why : `${sentence} (${why})`;
}

/** The same for something that was only read. */
export const unreadText = (why: string): string =>
  why === 'EACCES' ? 'this user may not read it (EACCES)' : whyText(why);
