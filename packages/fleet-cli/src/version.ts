/**
 * The version of this package, read when it is asked for.
 */
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

export function version(): string {
  // From the launcher in bin/, however it was reached: bundled code does not know where it lies.
  const launcher = realpathSync(process.argv[1] ?? '');
  const manifest = join(dirname(launcher), '..', 'package.json');
  return JSON.parse(readFileSync(manifest, 'utf8')).version;
}
