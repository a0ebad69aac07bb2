/**
 * A machine of its own with systemd as its first process, for the tests of one file. How it is made
 * is `boot.sh`, and what runs in it is said by the tests.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, vi } from 'vitest';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const bootScript = fileURLToPath(new URL('boot.sh', import.meta.url));
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** A worker that is killed takes its machine with it. */
const WITH_US = ['setpriv', '--pdeathsig', 'KILL'] as const;
const ENTER = ['nsenter', '--all', '--target'] as const;
/** Of the users in `boot.sh`, the one that has a manager. */
const AS_MINE = [
  'HOME=/home/mine',
  'XDG_RUNTIME_DIR=/run/user/59991',
  ...['setpriv', '--reuid=59991', '--regid=59991', '--clear-groups'],
];

export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Machine {
  /** The folder that is `/srv/fleet` there. */
  readonly fleet: string;
  /** As root. */
  run(...command: readonly string[]): Outcome;
  /** As the user with a manager, once `user-manager.service` runs. */
  runAsMine(...command: readonly string[]): Outcome;
  /** One property of a unit. */
  show(unit: string, property: string): string;
  /** A file, whatever folders it needs; read by systemd only when it is told to reload. */
  write(path: string, text: string): void;
  /** Lines of `[Service]` that overrule a unit's, in force from its next start. */
  dropIn(unit: string, lines: string): void;
  /** Who has the root, by the names of the entries of the watcher's lock. */
  owners(): readonly string[];
  shutDown(): Promise<void>;
}

/** Why there can be no such machine; undefined where there can. */
const missing = probe();

function probe(): string | undefined {
  if (process.platform !== 'linux') return 'systemd runs on Linux only';
  if (process.getuid?.() !== 0) return 'only root can make the namespaces for a systemd';
  if (!existsSync('/lib/systemd/systemd')) {
    return 'there is no systemd here';
  }
  const words = ['--mount', '--cgroup', '--net', '--pid', '--fork', 'true'];
  const { status, stderr } = spawnSync('unshare', words, { encoding: 'utf8' });
  return status === 0 ? undefined : `no namespaces can be made here: ${stderr.trim()}`;
}

/** One for all tests of a file, booted before them; where there can be none, each says so. */
export function machineOfThisFile(): Machine {
  // Each step waits for processes to start, on a machine that may be busy.
  vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
  let booted: Machine | undefined;
  const machine = (): Machine => {
    if (booted === undefined) throw new Error('the machine is not up');
    return booted;
  };
  beforeAll(async () => {
    if (missing === undefined) booted = await boot();
  });
  afterAll(() => booted?.shutDown());
  beforeEach(({ skip }) => {
    if (missing !== undefined) skip(missing);
  });
  return {
    get fleet() {
      return machine().fleet;
    },
    run: (...command) => machine().run(...command),
    runAsMine: (...command) => machine().runAsMine(...command),
    show: (unit, property) => machine().show(unit, property),
    write: (path, text) => machine().write(path, text),
    dropIn: (unit, lines) => machine().dropIn(unit, lines),
    owners: () => machine().owners(),
    shutDown: () => machine().shutDown(),
  };
}

async function boot(): Promise<Machine> {
  const scratch = mkdtempSync(join(tmpdir(), 'fleet-machine-'));
  const fleet = join(scratch, 'fleet');
  mkdirSync(fleet);
  cpSync(join(repository, 'profiles.example'), fleet, { recursive: true });

  const words = ['--mount', 'sh', bootScript, 'outside', scratch, repository, process.execPath];
  const [program, ...bound] = WITH_US;
  const child = spawn(program, [...bound, 'unshare', ...words], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (bytes) => {
    said += String(bytes);
  });
  const ended = once(child, 'close');
  const first = () => readFileSync(join(scratch, 'pid'), 'utf8').trim();

  const enter = (extra: readonly string[], command: readonly string[]): Outcome => {
    const [into, ...all] = ENTER;
    const inside = ['env', '-i', `PATH=${PATH}`, 'SYSTEMD_COLORS=0', ...extra, ...command];
    const options = { encoding: 'utf8', timeout: 60_000 } as const;
    const { status, stdout, stderr } = spawnSync(into, [...all, first(), ...inside], options);
    return { status, stdout, stderr };
  };
  const run = (...command: readonly string[]) => enter([], command);
  const shutDown = async () => {
    // A number is only its process's while somebody waits for that one.
    if (child.exitCode === null && child.signalCode === null) {
      if (existsSync(join(scratch, 'pid'))) process.kill(Number(first()), 'SIGKILL');
      else child.kill('SIGKILL');
    }
    await ended;
    rmSync(scratch, { recursive: true });
  };

  try {
    await vi.waitFor(
      () => {
        if (child.exitCode !== null) throw new Error(`the machine ended: ${said}`);
        const { stdout, stderr } = run('systemctl', 'is-active', 'fleet-test.target');
        if (stdout !== 'active\n') throw new Error(`it is not up: ${stdout}${stderr}${said}`);
      },
      { timeout: 60_000 },
    );
  } catch (error) {
    await shutDown();
    throw error;
  }
  const write = (path: string, text: string) => {
    const script = 'mkdir -p "$(dirname "$1")" && printf %s "$2" >"$1"';
    const { status, stderr } = run('sh', '-c', script, 'sh', path, text);
    if (status !== 0) throw new Error(stderr);
  };
  return {
    fleet,
    run,
    runAsMine: (...command) => enter(AS_MINE, command),
    show: (unit, property) =>
      run('systemctl', 'show', '--value', '-p', property, unit).stdout.trim(),
    write,
    dropIn(unit, lines) {
      write(`/etc/systemd/system/${unit}.d/test.conf`, `[Service]\n${lines}`);
      run('systemctl', 'daemon-reload');
    },
    owners() {
      const lock = join(fleet, '.fleet/watcher.lock');
      return existsSync(lock) ? readdirSync(lock) : [];
    },
    shutDown,
  };
}
