/**
 * The path of Chromium. In CI a missing one is installed; elsewhere an error says how.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Where Debian's package `chromium` puts it; another place by `CHROMIUM`. */
const PATH = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

export function ensureChromium(): string {
  if (existsSync(PATH)) return PATH;
  if (process.env['CI'] === undefined) {
    throw new Error(`there is no ${PATH}: install Debian's package chromium, or set CHROMIUM`);
  }
  execFileSync('/usr/bin/apt-get', ['update', '-qq'], { stdio: 'inherit' });
  execFileSync('/usr/bin/apt-get', ['install', '-y', '-qq', 'chromium'], { stdio: 'inherit' });
  return PATH;
}
