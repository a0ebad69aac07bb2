/**
 * The version of this package, read when it is asked for.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from './package-folder.ts';

export const version = (): string =>
  JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8')).version;
