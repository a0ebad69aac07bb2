/**
 * Where this package is installed: bundled code does not know where it lies.
 */
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';

/** From the launcher in bin/, however it was reached. */
export const packageFolder = (): string => dirname(dirname(realpathSync(process.argv[1] ?? '')));
