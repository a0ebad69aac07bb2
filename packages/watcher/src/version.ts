/**
 * The version of this package, read when it is asked for.
 */
import { readFileSync } from 'node:fs';

/** As built and as source, this file is one folder below the package's own. */
export const version = (): string =>
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
