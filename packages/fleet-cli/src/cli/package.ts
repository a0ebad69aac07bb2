/**
 * Where this package is installed, and its version.
 */
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Found from the launcher in bin/, by whatever path it was started: bundled code has no folder of its own. */
export const packageFolder = (): string => dirname(dirname(realpathSync(process.argv[1] ?? '')));

export const version = (): string =>
  JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8')).version;
