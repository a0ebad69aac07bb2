/**
 * The service files are what their managers take them for. systemd runs its own in the other tests
 * here; launchd can be had on macOS only, so its file is compared with what launchd documents.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const guides = join(repository, 'docs/watcher');

const have = (command: string) => spawnSync(command, ['--version']).error === undefined;

function scratch(): string {
  const dir = mkdtempSync(join(tmpdir(), 'fleet-service-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

describe('systemd', () => {
  const analyze = 'systemd-analyze';
  beforeEach(({ skip }) => {
    if (!have(analyze)) skip('there is no systemd here');
  });

  const verify = (path: string, ...words: readonly string[]) => {
    const env = { ...process.env, XDG_RUNTIME_DIR: scratch() };
    const options = { encoding: 'utf8', env } as const;
    const { status, stderr } = spawnSync(analyze, ['verify', ...words, path], options);
    return { status, stderr };
  };

  test.each([
    ['--system', 'fleet-watcher.service'],
    ['--user', 'user/fleet-watcher.service'],
  ])('a manager of kind %s finds nothing to remark in %s', (kind, file) => {
    expect(verify(join(guides, file), kind)).toEqual({ status: 0, stderr: '' });
  });

  test('a word that it does not know would be remarked', () => {
    const text = readFileSync(join(guides, 'fleet-watcher.service'), 'utf8');
    const path = join(scratch(), 'fleet-watcher.service');
    writeFileSync(path, text.replace('RestartSec=', 'RestartSecs='));
    expect(verify(path).stderr).toContain('RestartSecs');
  });

  test('both units start and stop the watcher in one way', () => {
    const service = (file: string, differs: RegExp) => {
      const [, lines = ''] =
        /^\[Service\]\n(.*?)^\[Install\]/ms.exec(readFileSync(join(guides, file), 'utf8')) ?? [];
      return lines.split('\n').filter((line) => !/^(#|$)/.test(line) && !differs.test(line));
    };
    const differs = /^(User|Environment|ProtectSystem|ReadWritePaths)=/;
    const system = service('fleet-watcher.service', differs);
    expect(system).toContain('RestartPreventExitStatus=2');
    expect(service('user/fleet-watcher.service', differs)).toEqual(system);
  });
});

describe('launchd', () => {
  const python = 'python3';
  beforeEach(({ skip }) => {
    if (!have(python)) skip('there is no python3 here, which parses property lists');
  });

  interface Job {
    readonly Label: string;
    readonly ProgramArguments: readonly [string, ...string[]];
    readonly EnvironmentVariables: Readonly<Record<string, string>>;
  }

  const name = 'org.fleet.watcher.plist';
  const parse = (): Job => {
    const script =
      'import json, plistlib, sys; json.dump(plistlib.load(open(sys.argv[1], "rb")), sys.stdout)';
    const words = ['-c', script, join(guides, name)];
    const { status, stdout, stderr } = spawnSync(python, words, { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return JSON.parse(stdout);
  };

  test('the file is named after its label, and has keys and types of launchd.plist(5)', () => {
    const words = expect.arrayContaining([expect.any(String)]);
    // All that the page has of these kinds, and this file uses: another key is a misspelt one.
    expect(parse()).toEqual({
      Label: name.replace(/\.plist$/, ''),
      ProgramArguments: words,
      EnvironmentVariables: { PATH: expect.any(String) },
      RunAtLoad: true,
      KeepAlive: { SuccessfulExit: false },
      ThrottleInterval: expect.any(Number),
      StandardErrorPath: expect.stringMatching(/^\//),
    });
  });

  test('its command runs with no other environment, and a stop is its successful exit', async () => {
    const { ProgramArguments, EnvironmentVariables } = parse();
    const [program, ...words] = ProgramArguments;
    expect(program).toMatch(/^\/.*\/fleet-watcher$/);
    const root = scratch();
    cpSync(join(repository, 'profiles.example'), root, { recursive: true });
    const ours = words.map((word) => (word === '/Users/me/.fleet' ? root : word));
    expect(ours).toContain(root);

    const bin = join(repository, 'packages/watcher/bin/fleet-watcher.js');
    const child = spawn(process.execPath, [bin, ...ours, '--port', '0'], {
      cwd: '/',
      env: { ...EnvironmentVariables },
      stdio: 'ignore',
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const check = spawnSync(process.execPath, [bin, '--root', root, '--check']);
    expect(check.status).toBe(0);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
