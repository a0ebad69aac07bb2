/**
 * A process that delivers one version of `fleet.yaml` after the other until it is killed, as in
 * containers: a link to a link to a folder; the middle link is replaced and the old folder removed.
 */
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2] ?? '';
const at = (name: string) => join(folder, name);
/** Larger than a page or a pipe, so that reading it takes a while. */
const PADDING = `# ${'x'.repeat(100)}\n`.repeat(600);

for (let version = 1; ; version++) {
  const seconds = `${(version % 600) + 1}s`;
  const text = `policies: { max_ttl: ${seconds} }\n${PADDING}watcher: { sweep: ${seconds} }\n`;
  mkdirSync(at(`..${version}`));
  writeFileSync(at(`..${version}/fleet.yaml`), `version: 1\n${text}`);
  symlinkSync(`..${version}`, at('..new'));
  renameSync(at('..new'), at('..data'));
  if (version === 1) {
    symlinkSync('..data/fleet.yaml', at('fleet.yaml'));
    process.stdout.write('ready\n');
  } else {
    rmSync(at(`..${version - 1}`), { recursive: true });
  }
}
