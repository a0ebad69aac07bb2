/**
 * The packages as they are published: all of their tarballs, installed together by the command of the
 * README in an empty folder, on each version of Node that is supported. Needs the npm registry.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'fleet-tarballs-'));
const tarballs = join(folder, 'tarballs');
const opt = join(folder, 'opt');
const nodes = join(folder, 'nodes');
const packages = readdirSync(join(repository, 'packages'));

/** `path`: what is found first. No fleet is named, and npm's settings (a mirror, a proxy) are kept. */
function run(command: string, args: readonly string[], cwd = folder, path = '') {
  const { FLEET_ROOT: _root, HERMES_HOME: _home, ...rest } = process.env;
  const env = { ...rest, PATH: `${path}${process.env['PATH'] ?? ''}` };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** The two commands of the README, with folders of this test. */
function commandsOfReadme(): [packing: string, installing: string] {
  const readme = readFileSync(join(repository, 'README.md'), 'utf8');
  const here = (command = '') => command.replace('/opt/fleet', opt).replace('DIR', tarballs);
  const [, packing] = /^npm ci && npm run build && (npm pack .*)$/m.exec(readme) ?? [];
  const [, installing] = /^(npm install --prefix .*)$/m.exec(readme) ?? [];
  expect([packing, installing]).not.toContain(undefined);
  return [here(packing), here(installing)];
}

beforeAll(() => {
  for (const made of [tarballs, opt, nodes]) mkdirSync(made);
  // Built it is already, by whoever runs the tests.
  const [packing, installing] = commandsOfReadme();
  expect(run('sh', ['-c', packing], repository)).toMatchObject({ status: 0 });
  expect(run('sh', ['-c', installing])).toMatchObject({ status: 0 });
  const wanted = ['22', '24'].map(
    (major) => `node${major}@npm:node-linux-${process.arch}@${major}`,
  );
  expect(run('npm', ['install', '--prefix', nodes, ...wanted])).toMatchObject({ status: 0 });
}, 240_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const nodeOf = (major: string): string => {
  const fetched = join(nodes, `node_modules/node${major}/bin/node`);
  return existsSync(fetched) ? fetched : process.execPath;
};

test('every package has a tarball, with its licence, and with no map of a file that is not in it', () => {
  expect(readdirSync(tarballs)).toHaveLength(packages.length);
  for (const name of packages) {
    const installed = join(opt, 'node_modules/@fleet-estop', name);
    const licence = (dir: string) => readFileSync(join(dir, 'LICENSE'), 'utf8');
    expect(licence(installed), name).toBe(licence(repository));
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
    const maps = files.filter((file) => file.endsWith('.js.map'));
    for (const file of maps) {
      const { sources, sourcesContent } = JSON.parse(readFileSync(join(installed, file), 'utf8'));
      expect(sourcesContent, `${name}/${file}`).toHaveLength(sources.length);
    }
    if (name !== 'fleet-cli') expect(maps.length, name).toBeGreaterThan(0);
  }
});

describe.each(['20', '22', '24'])('on Node %s', (major) => {
  const path = () => `${dirname(nodeOf(major))}:${join(opt, 'node_modules/.bin')}:`;
  const at = (command: string, ...args: readonly string[]) => run(command, args, folder, path());

  test('that is the Node that runs', () => {
    expect(at('node', '--version').stdout).toMatch(new RegExp(`^v${major}\\.`));
  });

  test('`fleet` makes a fleet, pauses it, and asserts that it is paused', () => {
    const root = join(folder, `fleet-${major}`);
    expect(at('fleet', 'init', root)).toMatchObject({ status: 0 });
    expect(at('fleet', '--root', root, 'pause')).toMatchObject({ status: 0 });
    expect(at('fleet', '--root', root, 'assert', 'paused')).toMatchObject({ status: 0 });
  });

  test('`fleet-watcher` is there, tells its version, and sees the fleet', () => {
    const root = join(folder, `watched-${major}`);
    at('fleet', 'init', root);
    const { version } = JSON.parse(
      readFileSync(join(repository, 'packages/watcher/package.json'), 'utf8'),
    );
    expect(at('fleet-watcher', '--version')).toMatchObject({ status: 0, stdout: `${version}\n` });
    const printed = at('fleet-watcher', '--root', root, '--once');
    expect(printed).toMatchObject({ status: 0 });
    expect(JSON.parse(printed.stdout)).toMatchObject({ schema: 'fleet/state/v1', root });
  });

  test('a gateway author can import the gate and the core', () => {
    const script = `
      import { openGate } from '@fleet-estop/gateway';
      import { arm, mayStart } from '@fleet-estop/sentinel-core';
      console.log(typeof openGate, typeof arm, typeof mayStart);`;
    const args = ['--input-type=module', '--eval', script];
    expect(run('node', args, opt, path())).toMatchObject({
      status: 0,
      stdout: 'function function function\n',
    });
  });
});
